"""Couperation, a co-operative game for 2 to 4 players; its rules are in RULES.md."""

from arena.games.base import Game, Kind
from arena.games.couperation import chance, legal, observation, picture, rules, state, words
from arena.games.couperation.actions import Action
from arena.games.couperation.chance import Cards
from arena.games.couperation.observation import Event, Observation
from arena.games.couperation.state import State

COUPERATION: Game[State, Action, Observation] = Game(
    name="couperation",
    rules_version=1,
    kind=Kind.COOPERATIVE,
    player_counts=tuple(state.RESERVE_DEALT),
    variants=state.VARIANTS,
    action_type=Action,
    observation_type=Observation,
    event_type=Event,
    cards_type=Cards,
    deal=state.deal,
    to_act=rules.to_act,
    legal_actions=legal.legal_actions,
    apply=rules.apply,
    observe=observation.observe,
    events=observation.events,
    scores=rules.scores,
    ranks=rules.ranks,
    reason=rules.reason,
    best_score=rules.BEST_SCORE,
    cards=chance.cards,
    chance_of=chance.chance_of,
    draw=picture.draw,
    unit="cards",
    draw_observation=picture.draw_observation,
    legend=picture.LEGEND,
    say_action=words.say_action,
    say_event=words.say_event,
)
