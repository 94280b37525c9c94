"""Donburiko, a competitive game for 2 to 4 players; its rules are in RULES.md."""

from arena.games.base import Game, Kind
from arena.games.donburiko import chance, observation, picture, rules, words
from arena.games.donburiko.actions import Action
from arena.games.donburiko.cards import PLAYER_COUNTS
from arena.games.donburiko.chance import Cards
from arena.games.donburiko.observation import Event, Observation
from arena.games.donburiko.state import State

DONBURIKO: Game[State, Action, Observation] = Game(
    name="donburiko",
    rules_version=1,
    kind=Kind.COMPETITIVE,
    player_counts=PLAYER_COUNTS,
    variants=(rules.VARIANT,),
    action_type=Action,
    observation_type=Observation,
    event_type=Event,
    cards_type=Cards,
    deal=rules.deal,
    to_act=rules.to_act,
    legal_actions=rules.legal_actions,
    apply=rules.apply,
    observe=observation.observe,
    events=observation.events,
    scores=rules.scores,
    ranks=rules.ranks,
    reason=rules.reason,
    best_score=None,
    cards=chance.cards,
    chance_of=chance.chance_of,
    draw=picture.draw,
    unit="tokens",
    draw_observation=picture.draw_observation,
    legend=picture.LEGEND,
    say_action=words.say_action,
    say_event=words.say_event,
)
