"""The rules of Couperation by number, on tables made by hand."""

from collections import Counter

import pytest
from msgspec.structs import replace

from arena.games.base import Kind, Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, GLASS, HEART, MARKS, Card
from arena.games.couperation.state import Acted, Drew, Passed, State
from arena.games.couperation.tower import SLOTS, Laid
from tests.games.couperation_tables import (
    at,
    do,
    down,
    full_tower,
    opening,
    place,
    random_states,
    refusal,
    table,
    up,
    use,
)


def fits(tower: dict[tuple[int, int], Laid], card: Card, row: int, slot: int) -> bool:
    """Return whether a card from hand, or the Finish card, may go face up into a slot."""
    hand = () if card == FINISH else (card,)
    front = 0 if card == FINISH else None
    state = table(tower=tower, hands=(hand, ()), front=front, variant="finish")
    return refusal(state, place(card, row, slot)) is None


def takes(tower: dict[tuple[int, int], Laid], card: int, row: int, slot: int) -> bool:
    """Return whether a card from the reserve may go into a slot."""
    state = table(tower=tower, hands=((3, card - 3), ()), reserve=(card,))
    return refusal(state, use((3, card - 3), card, row, slot)) is None


def drawn_next(state: State, action: Action) -> tuple[int, ...]:
    """Return what the next seat draws after ``action``."""
    after = do(state, action)
    return next(each.cards for each in after.happened if isinstance(each, Drew))


# Cards and tower


def test_r1_the_finish_card_counts_as_25() -> None:
    assert tuple(range(1, 51)) == GLASS
    assert fits({(0, 2): up(24), (0, 4): up(26)}, FINISH, 0, 3)
    assert not fits({(0, 2): up(26)}, FINISH, 0, 3)
    assert not fits({(0, 4): up(24)}, FINISH, 0, 3)
    assert not fits({(0, 2): up(FINISH)}, 24, 0, 3)
    assert fits({(0, 2): up(FINISH)}, 26, 0, 3)


def test_r2_five_divides_hearts_and_other_cards_have_their_rest_by_three() -> None:
    assert [MARKS[card] for card in (1, 2, 3, 4, 5, 6, 49, 50)] == [1, 2, 0, 1, HEART, 0, 1, HEART]
    assert {card: card % 3 if card % 5 else HEART for card in range(1, 51)} == MARKS


def test_r3_the_tower_has_28_slots_in_seven_rows() -> None:
    assert Counter(row for row, _ in SLOTS) == {0: 7, 1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}


@pytest.mark.parametrize(("row", "slot"), [(-1, 0), (0, -1), (0, 7), (6, 1), (7, 0), (10**30, 2)])
def test_r3_there_are_no_other_slots(row: int, slot: int) -> None:
    state = table(hands=((3, 8), ()), reserve=(11,))

    assert refusal(state, place(3, row, slot)) == "R3: the tower has no such slot"
    assert refusal(state, use((3, 8), 11, row, slot)) == "R3: the tower has no such slot"


def test_r4_a_slot_can_be_filled_when_both_supports_are() -> None:
    bottom = {(0, 0): up(10), (0, 1): down(4)}
    state = table(tower=bottom, hands=((12, 33), ()), reserve=(45,))

    assert refusal(state, place(12, 1, 0)) is None
    assert refusal(state, use((12, 33), 45, 1, 0)) is None
    for refused in (place(12, 1, 1), place(12, 1, 1, face_up=False), use((12, 33), 45, 1, 1)):
        assert refusal(state, refused) == "R4: the supports of slot (1, 1) are not both filled"


def test_r5_comparisons_are_strict() -> None:
    assert not fits({(0, 3): up(25)}, FINISH, 0, 2)
    assert not fits({(0, 3): up(25)}, FINISH, 0, 4)
    assert not fits({(0, 3): up(25), (0, 4): up(30)}, FINISH, 1, 3)


def test_r5_equal_cards_are_not_listed_beside_each_other() -> None:
    placing = table(tower={(0, 3): up(25)}, hands=((30,), ()), front=0, variant="finish")
    taking = table(tower={(0, 3): up(FINISH)}, hands=((12, 13), ()), reserve=(25,))

    assert not [
        each
        for each in GAME.legal_actions(placing)
        if isinstance(each, Place) and each.card == FINISH
    ]
    assert [each for each in GAME.legal_actions(taking) if isinstance(each, Reserve)] == [
        use((12, 13), 25, 0, 3)
    ]


def test_r5_a_card_that_is_replaced_sets_no_limit() -> None:
    tower = {(0, 1): up(10), (0, 3): up(25)}

    assert takes(tower, 11, 0, 1)
    assert takes(tower, 9, 0, 1)


@pytest.mark.parametrize(("card", "good"), [(9, False), (11, True), (24, True), (26, False)])
def test_r5a_a_card_lies_between_the_nearest_face_up_cards_of_its_row(
    card: int, good: bool
) -> None:
    tower = {(0, 0): up(10), (0, 1): down(40), (0, 3): up(25), (0, 5): up(12)}

    assert fits(tower, card, 0, 2) == good
    assert takes(tower, card, 0, 1) == good


@pytest.mark.parametrize(("card", "good"), [(9, False), (11, True), (19, True), (21, False)])
def test_r5b_a_card_lies_between_its_supports(card: int, good: bool) -> None:
    assert fits({(0, 0): up(10), (0, 1): up(20)}, card, 1, 0) == good
    assert fits({(0, 0): down(10), (0, 1): up(20)}, card, 1, 0) == (card < 20)
    assert fits({(0, 0): up(10), (0, 1): down(20)}, card, 1, 0) == (card > 10)


@pytest.mark.parametrize(("card", "good"), [(14, False), (16, True), (24, True), (27, False)])
def test_r5c_a_card_put_under_others_lies_between_them(card: int, good: bool) -> None:
    under = {(0, 0): up(10), (0, 1): down(4), (0, 2): up(30)}

    assert takes({**under, (1, 0): up(15), (1, 1): up(26)}, card, 0, 1) == good
    assert takes({**under, (1, 0): down(15), (1, 1): up(26)}, card, 0, 1) == (card < 26)
    assert takes({**under, (1, 0): up(15), (1, 1): down(26)}, card, 0, 1) == (card > 15)


def test_r5c_a_card_that_rests_elsewhere_sets_no_limit() -> None:
    assert takes({(0, 0): up(10), (0, 1): up(20), (0, 2): up(30), (1, 1): up(26)}, 9, 0, 0)


def test_r6_a_card_face_down_ignores_values_and_sets_no_limit() -> None:
    state = table(tower={(0, 3): up(25)}, hands=((2, 24, 45), (9,)))

    assert refusal(state, place(45, 0, 2)) is not None
    after = do(state, place(45, 0, 2, face_up=False))

    assert at(after, 0, 2) == down(45, by=0)
    assert fits({(0, 2): down(2), (0, 3): up(25)}, 24, 0, 1)
    assert fits({(0, 2): down(45), (0, 3): up(25)}, 30, 0, 4)


# Set-up


def test_r7a_each_seat_is_dealt_three_of_the_47_cards_one_at_a_time() -> None:
    """The first cards of this deal are published with the protocol."""
    state = opening(0, 2, "standard")

    assert state.dealt[:5] == (3, 28, 16, 9, 24)
    assert state.hands == ((3, 16, 24), tuple(sorted((28, 9, state.dealt[5]))))
    assert sorted(state.dealt) == [*range(2, 25), *range(26, 50)]


@pytest.mark.parametrize(("players", "count"), [(2, 4), (3, 3), (4, 2)])
def test_r7b_the_reserve_begins_with_1_and_50_and_some_cards_of_the_deck(
    players: int, count: int
) -> None:
    state = opening(7, players, "standard")
    dealt = state.dealt[3 * players : 3 * players + count]

    assert state.reserve == tuple(sorted((1, 50, *dealt)))
    assert state.deck == 47 - 3 * players - count


def test_r7c_25_lies_in_the_middle_of_the_bottom_row() -> None:
    state = opening(0, 3, "finish")

    assert at(state, 0, 3) == up(25, by=None)
    assert [laid for laid in state.tower if laid] == [up(25, by=None)]


def test_r7d_the_finish_card_is_where_the_protocol_says() -> None:
    state = opening(5, 4, "finish")

    assert state.dealt.index(FINISH) == 41
    assert GAME.observe(state, Seat(0)).deck == 48 - 4 * 3 - 2


@pytest.mark.parametrize(("players", "first"), [(2, 29), (3, 30), (4, 31)])
def test_r7d_the_finish_card_is_anywhere_in_the_lower_half(players: int, first: int) -> None:
    """Of 37, 35 and 33 cards left after 10, 12 and 14, the upper half has 19, 18 and 17."""
    dealt = [opening(number, players, "finish").dealt for number in range(200)]

    assert {deck.index(FINISH) for deck in dealt} == set(range(first, 48))


def test_r7e_seat_0_starts_and_play_goes_in_seat_order() -> None:
    state = do(opening(0, 3, "standard"), Draw(count=0))
    seats = []
    for slot in (0, 1, 2, 4):
        seats.append(state.seat)
        state = do(state, place(state.hands[state.seat][0], 0, slot, face_up=False))

    assert seats == [0, 1, 2, 0]


# Draw

PLENTY = (11, 12, 13, 14, 16, 17)


def test_r8_what_is_left_of_the_deck_is_drawn_if_it_is_less() -> None:
    state = table(hands=((8,), (9,)), deck=(11,))

    after = do(state, place(8, 0, 0))

    assert after.hands == ((), (9, 11))
    assert after.deck == 0


@pytest.mark.parametrize(("card", "drawn"), [(3, ()), (4, (11,)), (8, (11, 12))])
def test_r8a_as_many_cards_are_drawn_as_there_are_diamonds(
    card: int, drawn: tuple[int, ...]
) -> None:
    state = table(hands=((card,), (9,)), deck=PLENTY)

    after = do(state, place(card, 0, 0))

    assert after.happened == (Acted(Seat(0), place(card, 0, 0)), Drew(Seat(1), drawn, finish=False))
    assert after.hands == ((), (9, *drawn))


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [
        (up(8), up(14), 4),
        (up(7), up(14), 3),
        (up(8), down(14), 2),
        (down(8), down(14), 0),
        (up(5), up(14), 2),
        (up(9), up(15), 0),
        (up(8), up(FINISH), 2),
    ],
)
def test_r8b_a_heart_draws_the_diamonds_of_its_supports(
    left: Laid, right: Laid, count: int
) -> None:
    state = table(tower={(0, 0): left, (0, 1): right}, hands=((10,), (9,)), deck=PLENTY)

    assert drawn_next(state, place(10, 1, 0)) == PLENTY[:count]


def test_r8b_a_heart_in_the_bottom_row_draws_nothing() -> None:
    state = table(tower={(0, 3): up(25)}, hands=((10,), (9,)), deck=PLENTY)

    assert drawn_next(state, place(10, 0, 0)) == ()


def test_r8c_a_card_face_down_and_the_finish_card_draw_nothing() -> None:
    state = table(hands=((8,), (9,)), front=0, deck=PLENTY, variant="finish")

    assert not drawn_next(state, place(8, 0, 0, face_up=False))
    assert drawn_next(state, place(FINISH, 0, 0)) == ()


def test_r8d_one_card_is_drawn_after_a_pass() -> None:
    state = table(hands=((9,), (), ()), deck=PLENTY)

    after = do(state, place(9, 0, 0))

    assert after.happened[1:] == (
        Drew(Seat(1), (), finish=False),
        Passed(Seat(1)),
        Drew(Seat(2), (11,), finish=False),
    )
    assert GAME.to_act(after) == 2


def test_r8e_the_first_player_chooses_to_draw_0_or_1() -> None:
    state = opening(0, 2, "standard")
    first, hand = state.dealt[10], state.hands[0]

    assert GAME.legal_actions(state) == (Draw(count=0), Draw(count=1))
    assert do(state, Draw(count=0)).hands[0] == hand
    assert do(state, Draw(count=1)).hands[0] == tuple(sorted((*hand, int(first))))
    for refused in (Draw(count=2), Draw(count=-1), place(3, 0, 0), Discard(card=3)):
        assert str(refusal(state, refused)).startswith("R8e: ")


def test_r8f_after_the_reserve_the_card_taken_says_what_is_drawn() -> None:
    tower = {(0, 0): up(7), (0, 1): up(14), (1, 0): down(3)}
    state = table(tower=tower, hands=((2, 8), (9,)), reserve=(6, 10), deck=PLENTY)

    assert drawn_next(state, use((2, 8), 6, 0, 0)) == ()
    assert drawn_next(state, use((2, 8), 10, 1, 0)) == PLENTY[:3]


def test_r8g_the_finish_card_is_laid_in_front_and_a_card_drawn_for_it() -> None:
    state = table(hands=((8,), (9,)), deck=(11, FINISH, 12, 13), variant="finish")

    after = do(state, place(8, 0, 0))

    assert after.happened[1] == Drew(Seat(1), (11, 12), finish=True)
    assert after.hands == ((), (9, 11, 12))
    assert after.front == 1
    assert after.deck == 1


def test_r8g_the_finish_card_at_the_end_of_the_deck_brings_no_other() -> None:
    state = table(hands=((8,), (9,)), deck=(FINISH,), variant="finish")

    after = do(state, place(8, 0, 0))

    assert after.happened[1] == Drew(Seat(1), (), finish=True)
    assert (after.hands, after.front, after.deck) == (((), (9,)), 1, 0)


# Place


def test_r9a_a_card_from_hand_goes_into_an_empty_slot() -> None:
    state = table(tower={(0, 3): up(25)}, hands=((8, 30), (9,)))

    after = do(state, place(8, 0, 2))

    assert at(after, 0, 2) == up(8, by=0)
    assert after.hands[0] == (30,)
    assert refusal(state, place(9, 0, 2)) == "R9a: you do not hold that card"
    assert refusal(state, place(30, 0, 3)) == "R9a: slot (0, 3) is filled"


def test_r9b_a_card_goes_face_up_where_it_fits_and_face_down_anywhere() -> None:
    state = table(tower={(0, 3): up(25)}, hands=((30,), ()))

    assert GAME.legal_actions(state) == (
        place(30, 0, 0, face_up=False),
        place(30, 0, 1, face_up=False),
        place(30, 0, 2, face_up=False),
        place(30, 0, 4),
        place(30, 0, 4, face_up=False),
        place(30, 0, 5),
        place(30, 0, 5, face_up=False),
        place(30, 0, 6),
        place(30, 0, 6, face_up=False),
    )
    assert refusal(state, place(30, 0, 1)) == (
        "R5: 30 does not fit slot (0, 1), which takes more than 0 and less than 25"
    )


def test_r9c_the_finish_card_is_never_placed_face_down() -> None:
    state = table(hands=((), ()), front=0, variant="finish")

    assert refusal(state, place(FINISH, 0, 0, face_up=False)) == (
        "R9c: the Finish card is never placed face down"
    )
    assert GAME.legal_actions(state) == tuple(place(FINISH, 0, slot) for slot in range(7))


def test_r9d_the_finish_card_is_placed_by_the_player_before_whom_it_lies() -> None:
    mine = table(hands=((8,), (9,)), front=0, variant="finish")
    other = table(hands=((8,), (9,)), front=1, variant="finish")

    after = do(mine, place(FINISH, 0, 0))

    assert (after.front, after.hands[0], at(after, 0, 0)) == (None, (8,), up(FINISH, by=0))
    assert (
        refusal(other, place(FINISH, 0, 0)) == "R9d: the Finish card does not lie in front of you"
    )


def test_r9d_the_finish_card_does_not_count_for_the_hand_limit() -> None:
    state = table(hands=((8, 9, 11, 12), (13,)), front=0, variant="finish")

    after = do(state, place(8, 0, 0))

    assert (after.seat, after.phase) == (1, "act")


# Reserve

HELD = table(tower={(0, 3): up(25)}, hands=((3, 8, 40), (9,)), reserve=(1, 5, 11, 50))


def test_r10a_a_pair_goes_into_the_reserve() -> None:
    after = do(HELD, use((3, 8), 11, 0, 0))

    assert after.hands[0] == (40,)
    assert after.reserve == (1, 3, 5, 8, 50)
    assert at(after, 0, 0) == up(11, by=0)


@pytest.mark.parametrize("pair", [(8, 3), (3, 3), (3, 9), (2, 9), (-3, 14), (1, 50)])
def test_r10a_a_pair_is_two_cards_of_the_hand_ascending(pair: tuple[int, int]) -> None:
    assert refusal(HELD, use(pair, 11, 0, 0)) == (
        "R10a: the pair is two cards of your hand, ascending"
    )


def test_r10b_a_card_is_taken_that_equals_the_sum_or_the_difference() -> None:
    assert refusal(HELD, use((3, 8), 11, 0, 0)) is None
    assert refusal(HELD, use((3, 8), 5, 0, 0)) is None
    assert refusal(HELD, use((3, 8), 1, 0, 0)) == (
        "R10b: the pair (3, 8) with 0 extra cards does not reach 1"
    )
    assert refusal(HELD, use((3, 40), 37, 0, 4)) == "R10b: the card to take is not in the reserve"


@pytest.mark.parametrize(("take", "good"), [(4, 1), (5, 0), (6, 1), (10, 1), (11, 0), (12, 1)])
def test_r10c_k_extra_cards_raise_or_lower_by_exactly_k(take: int, good: int) -> None:
    state = table(hands=((3, 8, 40), ()), reserve=(4, 5, 6, 10, 11, 12))

    assert (refusal(state, use((3, 8), take, 0, 0, extra=(40,))) is None) == bool(good)


def test_r10c_extra_cards_leave_the_game() -> None:
    state = table(hands=((3, 8, 40, 44, 48), ()), reserve=(9, 13), removed=(41,))

    after = do(state, use((3, 8), 13, 0, 0, extra=(40, 48)))

    assert after.removed == (40, 41, 48)
    assert after.hands[0] == (44,)
    assert after.reserve == (3, 8, 9)


@pytest.mark.parametrize(
    "extra", [(3,), (9,), (11,), (40, 40), (44, 40), (8, 40), tuple(range(99))]
)
def test_r10c_extra_cards_are_others_of_the_hand_ascending(extra: tuple[int, ...]) -> None:
    state = table(hands=((3, 8, 40, 44), (9,)), reserve=(12,))

    assert refusal(state, use((3, 8), 12, 0, 0, extra=extra)) == (
        "R10c: extra cards are other cards of your hand, ascending"
    )


def test_r10d_the_card_taken_may_be_one_of_the_pair() -> None:
    state = table(hands=((8, 16), (9,)))

    after = do(state, use((8, 16), 8, 0, 0))

    assert use((8, 16), 8, 0, 0) in GAME.legal_actions(state)
    assert at(after, 0, 0) == up(8, by=0)
    assert after.reserve == (1, 16, 50)
    assert after.hands[0] == ()


def test_r10e_the_card_taken_goes_into_an_open_slot_or_any_filled_one() -> None:
    tower = {(0, 0): up(2), (0, 1): down(49), (0, 3): up(25), (1, 0): down(48)}
    state = table(tower=tower, hands=((3, 8), ()), reserve=(11,))

    slots = [
        (each.row, each.slot) for each in GAME.legal_actions(state) if isinstance(each, Reserve)
    ]

    assert slots == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
    assert str(refusal(state, use((3, 8), 11, 0, 4))).startswith("R5: 11 does not fit")
    assert str(refusal(state, use((3, 8), 11, 1, 1))).startswith("R4: ")


def test_r10f_a_replaced_card_goes_to_hand() -> None:
    state = table(tower={(0, 3): up(25, by=None)}, hands=((3, 8), (9,)), reserve=(11,))

    after = do(state, use((3, 8), 11, 0, 3))

    assert at(after, 0, 3) == up(11, by=0)
    assert after.hands[0] == (25,)
    assert after.happened[0] == Acted(Seat(0), use((3, 8), 11, 0, 3), up(25, by=None))


def test_r10f_a_replaced_finish_card_goes_in_front_of_the_player() -> None:
    tower = {(0, 3): up(FINISH, by=1)}
    state = table(tower=tower, hands=((9,), (3, 8)), reserve=(11,), seat=1, variant="finish")

    after = do(state, use((3, 8), 11, 0, 3))

    assert (after.front, after.hands[1], at(after, 0, 3)) == (1, (), up(11, by=1))


# Passing and the hand limit


def test_r11_a_player_who_can_act_must() -> None:
    state = table(tower={(0, 3): up(25)}, hands=((30,), ()))

    for refused in (Draw(count=0), Discard(card=30)):
        assert refusal(state, refused) == (
            "R11: after drawing, a turn places a card or uses the reserve"
        )


def test_r11a_the_referee_passes_for_who_cannot_act() -> None:
    """3 and 8 of seat 1 reach 5 and 11; 22 and 23 of seat 2 reach 1, which fits (0, 0)."""
    tower = full_tower({(6, 0): None, (0, 0): down(49)})
    state = table(tower=tower, hands=((27,), (3, 8), (22, 23)), reserve=(1, 46), deck=(48,))

    after = do(state, place(27, 6, 0, face_up=False))

    assert after.happened[1:] == (
        Drew(Seat(1), (), finish=False),
        Passed(Seat(1)),
        Drew(Seat(2), (48,), finish=False),
    )
    assert GAME.to_act(after) == 2


def test_r11a_who_has_only_a_finish_card_that_fits_nowhere_passes() -> None:
    tower = {(0, slot): up(26 + slot) for slot in range(6)}
    state = table(tower=tower, hands=((49,), (), (33,)), front=1, variant="finish")

    assert GAME.to_act(do(state, place(49, 0, 6))) == 2
    assert GAME.to_act(do(state, place(49, 1, 0, face_up=False))) == 2


def test_r12_a_hand_of_more_than_three_is_discarded_from_one_at_a_time() -> None:
    state = table(hands=((8, 9, 11, 12, 13, 14), (16,)), deck=PLENTY)

    placed = do(state, place(9, 0, 0))
    once = do(placed, Discard(card=12))
    twice = do(once, Discard(card=8))

    assert (placed.seat, placed.phase) == (0, "discard")
    assert GAME.legal_actions(placed) == tuple(Discard(card=card) for card in (8, 11, 12, 13, 14))
    assert (once.seat, once.phase, once.reserve) == (0, "discard", (1, 12, 50))
    assert (twice.seat, twice.phase, twice.reserve) == (1, "act", (1, 8, 12, 50))
    assert refusal(placed, Discard(card=9)) == "R12: you do not hold that card"
    assert refusal(placed, place(8, 0, 1)) == "R12: a hand of more than 3 cards must discard"


def test_r12_what_was_placed_still_says_what_is_drawn_after_a_discard() -> None:
    state = table(hands=((8, 9, 11, 12, 13), (16,)), deck=PLENTY)

    after = do(do(state, place(8, 0, 0)), Discard(card=9))

    assert after.happened == (
        Acted(Seat(0), Discard(card=9)),
        Drew(Seat(1), (11, 12), finish=False),
    )


def test_r12_holds_after_a_pass_too() -> None:
    """20 to 23 reach only 1 to 5 and 39 to 47, which are not in the reserve."""
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((28,), (), (20, 21, 22)), reserve=(50,), deck=(23, 46))

    after = do(state, place(28, 6, 0, face_up=False))

    assert after.happened[1:] == (
        Drew(Seat(1), (), finish=False),
        Passed(Seat(1)),
        Drew(Seat(2), (23,), finish=False),
        Passed(Seat(2)),
    )
    assert (after.seat, after.phase) == (2, "discard")
    assert do(after, Discard(card=21)).hands[2] == (20, 22, 23)


# End


def test_r13_a_win_ends_the_game_before_any_discarding() -> None:
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((8, 27, 41, 44, 46), ()), deck=PLENTY)

    after = do(state, place(27, 6, 0))

    assert GAME.to_act(after) is None
    assert GAME.legal_actions(after) == ()
    assert len(after.hands[0]) == 4
    assert after.happened == (Acted(Seat(0), place(27, 6, 0)),)
    assert refusal(after, Discard(card=8)) == "R13: the game is over"


def test_r13_a_defeat_ends_the_game_before_any_discarding() -> None:
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((20, 21, 22, 28), ()), reserve=(50,), deck=(23,))

    after = do(state, place(28, 6, 0, face_up=False))

    assert GAME.to_act(after) is None
    assert GAME.reason(after) == "lost"
    assert after.hands == ((20, 21, 22, 23), ())


def test_r14a_28_cards_face_up_win() -> None:
    placed = table(tower=full_tower({(6, 0): None}), hands=((27,), (8,)))
    taken = table(tower=full_tower({(0, 0): down(5)}), hands=((22, 23), (8,)))

    for after in (do(placed, place(27, 6, 0)), do(taken, use((22, 23), 1, 0, 0))):
        assert GAME.to_act(after) is None
        assert GAME.reason(after) == "won"
        assert GAME.scores(after) == (28, 28)


def test_r14a_a_full_tower_with_a_card_face_down_does_not_win() -> None:
    tower = full_tower({(6, 0): None, (0, 2): down(12)})
    state = table(tower=tower, hands=((27,), (22, 23)))

    after = do(state, place(27, 6, 0))

    assert GAME.to_act(after) == 1
    assert GAME.reason(after) == ""


def test_r14b_the_finish_card_must_be_placed_last_on_top() -> None:
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((8,), (9,)), front=0, variant="finish")

    after = do(state, place(FINISH, 6, 0))

    assert (GAME.reason(after), GAME.scores(after)) == ("won", (28, 28))


def test_r14b_28_cards_face_up_without_it_do_not_end_the_game() -> None:
    """Seat 1 can still take 1 for 22 and 23, and put it into (0, 0)."""
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((27,), (22, 23)), front=1, variant="finish")

    after = do(state, place(27, 6, 0))

    assert GAME.to_act(after) == 1
    assert GAME.to_act(do(after, use((22, 23), 1, 0, 0))) is None  # nobody can act any more


def test_r14b_a_finish_card_on_top_is_not_the_last_where_another_is_turned_up_later() -> None:
    tower = full_tower({(6, 0): None, (0, 0): down(5)})
    state = table(
        tower=tower, hands=((3, 8), (22, 23)), reserve=(1, 11, 50), front=0, variant="finish"
    )

    after = do(do(state, place(FINISH, 6, 0)), use((22, 23), 1, 0, 0))

    assert GAME.observe(after, Seat(0)).score == 28
    assert GAME.to_act(after) == 0  # who can take 11 still


def test_r15_the_game_is_lost_after_a_pass_of_all_with_an_empty_deck() -> None:
    tower = full_tower({(6, 0): None})
    state = table(tower=tower, hands=((28,), ()), reserve=(50,), deck=(46, 48, 44))

    after = do(state, place(28, 6, 0, face_up=False))

    assert after.happened[1:] == (
        Drew(Seat(1), (), finish=False),
        Passed(Seat(1)),
        Drew(Seat(0), (46,), finish=False),
        Passed(Seat(0)),
        Drew(Seat(1), (48,), finish=False),
        Passed(Seat(1)),
        Drew(Seat(0), (44,), finish=False),
        Passed(Seat(0)),
    )
    assert GAME.reason(after) == "lost"


@pytest.mark.parametrize("action", [place(3, 0, 0, face_up=False), use((3, 8), 11, 0, 0)])
def test_r15_an_action_breaks_the_row_of_passes(action: Action) -> None:
    state = table(hands=((3, 8, 30), ()), reserve=(11,), passes=1)

    after = do(state, action)

    assert after.happened[2:] == (Passed(Seat(1)), Drew(Seat(0), (), finish=False))
    assert GAME.to_act(after) == 0


def test_r16_the_score_is_the_number_of_cards_face_up() -> None:
    state = table(tower={(0, 3): up(25), (0, 4): down(4), (0, 5): up(30)}, hands=((), (), ()))

    assert GAME.scores(state) == (2, 2, 2)
    assert GAME.best_score == 28


def test_r16a_28_cards_face_up_without_the_win_score_27() -> None:
    state = table(tower=full_tower({(6, 0): None}), hands=((27,), (8,)), variant="finish")

    after = do(state, place(27, 6, 0))

    assert (GAME.reason(after), GAME.scores(after)) == ("lost", (27, 27))
    assert GAME.observe(after, Seat(0)).score == 28


def test_r17_all_players_win_and_lose_together() -> None:
    state = random_states(1)[-1]
    players = len(state.hands)

    assert GAME.kind is Kind.COOPERATIVE
    assert len(set(GAME.scores(state))) == 1
    assert GAME.ranks(state) == (1,) * players


# Who sees what


def test_r18_everyone_sees_the_same_table() -> None:
    for state in random_states(2):
        first, *others = (GAME.observe(state, Seat(seat)) for seat in range(len(state.hands)))
        for other in others:
            for name in ("to_act", "phase", "hand_sizes", "finish", "reserve", "removed", "deck"):
                assert getattr(other, name) == getattr(first, name)
            for row, same in zip(other.tower, first.tower, strict=True):
                for slot, there in zip(row, same, strict=True):
                    assert (slot and (slot.up, slot.by)) == (there and (there.up, there.by))
                    assert not slot or not there or not slot.up or slot.card == there.card


def test_r19_a_hand_and_the_faces_of_own_cards_are_seen_by_one_alone() -> None:
    state = table(tower={(0, 0): down(4, by=1)}, hands=((8,), (9, 11), (12,)))

    seen = [GAME.observe(state, Seat(seat)) for seat in range(3)]

    assert [each.hand for each in seen] == [(8,), (9, 11), (12,)]
    assert [each.tower[0][0] and each.tower[0][0].card for each in seen] == [None, 4, None]


def test_r19_a_card_placed_face_down_and_cards_drawn_are_told_to_one_alone() -> None:
    state = table(hands=((8, 30), (9,)), deck=PLENTY)

    down_events = [GAME.events(do(state, place(8, 0, 0, face_up=False)), Seat(s)) for s in (0, 1)]
    draw_events = [GAME.events(do(state, place(8, 0, 0)), Seat(s)) for s in (0, 1)]

    assert [getattr(told[0], "card", 0) for told in down_events] == [8, None]
    assert [getattr(told[1], "cards", 0) for told in draw_events] == [None, (11, 12)]


def test_r20_nobody_sees_the_order_of_the_deck() -> None:
    state = opening(3, 3, "finish")
    deck_from = state.taken
    turned = replace(state, dealt=(*state.dealt[:deck_from], *reversed(state.dealt[deck_from:])))

    for seat in map(Seat, range(3)):
        assert GAME.observe(turned, seat) == GAME.observe(state, seat)


def test_r21_a_card_taken_up_is_known_to_who_takes_it_and_who_had_placed_it() -> None:
    state = table(tower={(0, 0): down(4, by=1)}, hands=((3, 8), (9,), (12,)), reserve=(11,))

    after = do(state, use((3, 8), 11, 0, 0))

    told = [GAME.events(after, Seat(seat))[0] for seat in range(3)]
    assert [getattr(each, "replaced", 0) for each in told] == [4, 4, None]
