"""The rules of Donburiko, by the numbers of arena/games/donburiko/RULES.md.

Expected values are worked out by hand from that page. Columns are written as ``draw`` writes
them: ``2 4:0 (-1):1`` is a dealt 2, a 4 that seat 0 placed face up, and a -1 that seat 1 placed
face down.
"""

from collections import Counter
from contextlib import suppress
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.deal import Deal, DealtChance
from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.actions import Claim, Play
from arena.games.donburiko.cards import FACES, column_sum, deck
from arena.games.donburiko.state import (
    CardPlayed,
    ColumnClaimed,
    OpenColumn,
    PlacedCard,
    RoundBegan,
    RoundEnded,
    State,
)
from tests.games.donburiko_tables import (
    UNSHUFFLED,
    Match,
    all_actions,
    claim,
    column,
    faces,
    play,
    random_match,
    table,
)

ALL = faces("1 2 2 3 3 4 4 5 1/5 1/5 -1 -1 -2 -2 loach loach")
MATCHES = st.builds(random_match, st.sampled_from((2, 3, 4)), st.integers(0, 2**32))


def opening(players: int) -> State:
    return DONBURIKO.deal(UNSHUFFLED, players, "standard")


def refusal(state: State, action: Play | Claim) -> str:
    with pytest.raises(IllegalAction) as caught:
        DONBURIKO.apply(state, action, UNSHUFFLED)
    return str(caught.value)


def claimed(text: str, tokens: int = 4, bank: int | None = None) -> State:
    """Return the state after seat 0 claims the column in ``text``, while another stays."""
    rest = 0 if bank is None else 50 - bank - tokens - column(text).tokens
    state = table([text, "1 2:2"], ["", "1", "1"], [tokens, 0, rest])
    return claim(state, 0)


def claim_of(state: State) -> ColumnClaimed:
    happened = state.happened[0]
    assert isinstance(happened, ColumnClaimed)
    return happened


# Cards and tokens


def test_r1_there_are_sixteen_cards() -> None:
    assert deck(3) == ALL
    assert deck(4) == ALL


def test_r2_two_players_have_no_one_or_five() -> None:
    assert deck(2) == faces("1 2 2 3 3 4 4 5 -1 -1 -2 -2 loach loach")


@pytest.mark.parametrize("players", [-1, 0, 1, 5])
def test_r2_no_other_number_of_players_has_a_deck(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 4 players"):
        DONBURIKO.deal(UNSHUFFLED, players, "standard")


def test_only_the_standard_variant_is_dealt() -> None:
    with pytest.raises(ValueError, match="no variant 'finish'"):
        DONBURIKO.deal(UNSHUFFLED, 3, "finish")


@pytest.mark.parametrize(
    ("players", "tokens", "bank"), [(2, (4, 4), 42), (3, (4, 4, 4), 38), (4, (3, 3, 3, 3), 38)]
)
def test_r3_the_tokens_at_the_start(players: int, tokens: tuple[int, ...], bank: int) -> None:
    state = opening(players)

    assert (state.tokens, state.bank) == (tokens, bank)


@given(match=MATCHES)
def test_r4_there_are_always_fifty_tokens(match: Match) -> None:
    for state in match.states:
        lying = [column.tokens for column in state.columns if column is not None]

        assert state.bank + sum(state.tokens) + sum(lying) == 50
        assert min(state.bank, *state.tokens) >= 0


# Round


def test_r5_the_first_cards_are_the_columns_face_up() -> None:
    state = opening(3)

    assert state.columns == tuple(
        OpenColumn((PlacedCard(face, up=True, by=None),), tokens=0) for face in faces("1 2 2")
    )


def test_r5_every_round_is_dealt_from_all_cards_by_its_own_chance() -> None:
    chance = DealtChance(Deal(bytes(32), "donburiko", "standard", 3, 0))
    state = table(["2 4:0", "3"], ["", "", ""], [4, 4, 4])

    after = DONBURIKO.apply(state, Claim(column=0), chance)

    again = DealtChance(Deal(bytes(32), "donburiko", "standard", 3, 0))
    assert after.rounds == (again.shuffle("round-2", ALL),)


@pytest.mark.parametrize(
    ("players", "hands", "set_aside"),
    [
        (2, ("2 3 4 -1", "3 4 5 -1"), "-2 -2 loach loach"),
        (3, ("3 4 1/5 -2", "3 5 -1 -2", "4 1/5 -1 loach"), "loach"),
        (4, ("3 1/5 -2", "4 1/5 -2", "4 -1 loach", "5 -1 loach"), ""),
    ],
)
def test_r6_hands_are_dealt_one_card_at_a_time_and_the_rest_is_set_aside(
    players: int, hands: tuple[str, ...], set_aside: str
) -> None:
    state = opening(players)

    assert state.hands == tuple(faces(hand) for hand in hands)
    assert state.set_aside == faces(set_aside)


@pytest.mark.parametrize(("number", "starts"), [(1, 1), (2, 2), (3, 0), (10, 1)])
def test_r7_the_next_round_is_started_by_the_next_seat(number: int, starts: int) -> None:
    state = table(["2 4:0", "3"], ["", "", ""], [4, 4, 4], turn=2, number=number)

    after = claim(state, 0)

    assert after.turn == starts
    assert after.happened[-1] == RoundBegan(number + 1, Seat(starts))


def test_r7_seat_0_starts_the_first_round() -> None:
    state = opening(4)

    assert state.turn == 0
    assert state.happened == (RoundBegan(1, Seat(0)),)


def test_r7a_the_turn_passes_to_the_next_seat_and_from_the_last_to_the_first() -> None:
    state = table(["1", "2", "3"], ["4", "4", "5"], [4, 4, 4], turn=1)

    after_one = play(state, "4", 0, up=True)
    after_two = play(after_one, "5", 0, up=True)

    assert (after_one.turn, after_two.turn) == (2, 0)


def test_r7a_players_out_of_the_round_are_passed_over() -> None:
    state = table(
        ["1", "2", None, None], ["4", "", "5", ""], [4] * 4, in_round=(True, False, True, False)
    )

    assert play(state, "4", 0, up=True).turn == 2


def test_r7a_the_last_player_in_the_round_goes_on_turn_after_turn() -> None:
    state = table(["1", None], ["4 5", "3"], [4, 4], in_round=(True, False))

    after = play(state, "4", 0, up=True)

    assert after.turn == 0
    assert play(after, "5", 0, up=True).turn == 0


def test_r8_legal_actions_are_plays_then_claims() -> None:
    state = table(["1", None, "2 3:1"], ["4 -1", "", "5"], [1, 4, 4])

    assert DONBURIKO.legal_actions(state) == (
        Play(card="4", column=0, up=True),
        Play(card="4", column=0, up=False),
        Play(card="4", column=2, up=True),
        Play(card="4", column=2, up=False),
        Play(card="-1", column=0, up=True),
        Play(card="-1", column=0, up=False),
        Play(card="-1", column=2, up=True),
        Play(card="-1", column=2, up=False),
        Claim(column=2),
    )


def test_r8a_a_player_without_cards_must_claim() -> None:
    state = table(["1 2:1", "3", "2 3:1"], ["", "4", "5"], [4, 4, 4])

    assert DONBURIKO.legal_actions(state) == (Claim(column=0), Claim(column=2))


@given(match=MATCHES)
def test_r8a_whoever_is_to_act_has_something_to_do(match: Match) -> None:
    for state in match.states:
        assert bool(DONBURIKO.legal_actions(state)) == (DONBURIKO.to_act(state) is not None)


# Playing


def test_r9_a_card_moves_from_hand_to_the_end_of_a_column() -> None:
    state = table(["1", "2 (3):1"], ["3 4 4", "5"], [4, 4])

    after = play(state, "4", 1, up=True)

    assert after.hands == (faces("3 4"), faces("5"))
    assert after.columns == (column("1"), column("2 (3):1 4:0"))
    assert after.happened == (CardPlayed(Seat(0), 1, "4", up=True),)


def test_r9_equal_cards_are_one_action() -> None:
    state = table(["1"], ["4 4"], [0])

    assert DONBURIKO.legal_actions(state) == (Play(card="4", column=0, up=True),)


@pytest.mark.parametrize("card", ["5", "loach"])
def test_r9_a_card_of_another_hand_cannot_be_played(card: str) -> None:
    state = table(["1"], ["4", "5"], [4, 4])

    assert refusal(state, Play(card=card, column=0, up=True)) == f"R9: you hold no {card}"


@pytest.mark.parametrize("card", ["?", "7", "", "1/5 ", "LOACH", "9" * 5000])
def test_r9_what_is_no_card_cannot_be_played(card: str) -> None:
    state = table(["1"], ["4", "5"], [4, 4])

    assert refusal(state, Play(card=card, column=0, up=False)) == "R9: there is no such card"


def test_r9a_a_column_of_five_takes_a_sixth_card_and_then_no_more() -> None:
    state = table(["1 2:0 2:0 3:0 3:0", "5"], ["4", "4"], [4, 4])

    after = play(state, "4", 0, up=True)

    assert after.columns[0] == column("1 2:0 2:0 3:0 3:0 4:0")
    assert refusal(after, Play(card="4", column=0, up=True)) == (
        "R9a: column 0 is full: it has 6 cards"
    )


def test_r9a_a_claimed_column_takes_no_card() -> None:
    state = table([None, "5"], ["4"], [4])

    assert refusal(state, Play(card="4", column=0, up=True)) == "R9a: column 0 has been claimed"


@pytest.mark.parametrize("number", [-1, 2, 99, 2**70])
def test_r9a_a_column_that_never_was_takes_no_card(number: int) -> None:
    state = table(["1", "5"], ["4"], [4])

    assert refusal(state, Play(card="4", column=number, up=True)) == (
        "R9a: there is no such column"
    )


def test_r10_a_card_played_face_up_brings_a_token_from_the_bank() -> None:
    state = table(["1"], ["4", "5"], [0, 10])

    after = play(state, "4", 0, up=True)

    assert (after.tokens, after.bank) == ((1, 10), 39)
    assert after.columns == (column("1 4:0"),)


def test_r10_an_empty_bank_brings_nothing() -> None:
    state = table(["1"], ["4", "5"], [17, 33], end_met=True)

    after = play(state, "4", 0, up=True)

    assert (after.tokens, after.bank) == ((17, 33), 0)
    assert after.columns == (column("1 4:0"),)


def test_r11_a_card_played_face_down_costs_a_token_that_lies_on_the_column() -> None:
    state = table(["1 (2):1"], ["4", "5"], [1, 10])

    after = play(state, "4", 0, up=False)

    assert (after.tokens, after.bank) == ((0, 10), 38)
    assert after.columns == (column("1 (2):1 (4):0"),)
    assert after.happened == (CardPlayed(Seat(0), 0, "4", up=False),)


def test_r11_without_a_token_no_card_is_played_face_down() -> None:
    state = table(["1"], ["4", "5"], [0, 10])

    assert DONBURIKO.legal_actions(state) == (Play(card="4", column=0, up=True),)
    assert refusal(state, Play(card="4", column=0, up=False)) == (
        "R11: you have no token to put on the column"
    )


# Claiming


@pytest.mark.parametrize("text", ["1 2:1", "1 2:1 2:1 3:1 3:1 (4):1"])
def test_r12_a_column_of_two_to_six_cards_can_be_claimed(text: str) -> None:
    state = table([text, "1 2:2"], ["", "", "1"], [4, 4, 4])

    assert Claim(column=0) in DONBURIKO.legal_actions(state)
    assert claim(state, 0).columns == (None, column("1 2:2"))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "R12: column 0 has a single card"),
        (1, "R12: column 1 has been claimed"),
        (3, "R12: there is no such column"),
        (-1, "R12: there is no such column"),
        (2**70, "R12: there is no such column"),
    ],
)
def test_r12_nothing_else_can_be_claimed(number: int, text: str) -> None:
    state = table(["1", None, "1 2:1"], ["4"], [4])

    assert refusal(state, Claim(column=number)) == text


def test_r12a_who_has_claimed_is_out_of_the_round_and_keeps_the_hand() -> None:
    state = table(["1 2:1", "3 4:2", "1"], ["4 5", "", "5"], [4, 4, 4])

    after = claim(state, 0)

    assert after.in_round == (False, True, True)
    assert after.hands == (faces("4 5"), (), faces("5"))
    assert DONBURIKO.observe(after, Seat(1)).hand_sizes == (2, 0, 1)


def test_r13_the_whole_column_is_turned_up_in_the_order_in_which_it_lay() -> None:
    after = claimed("2 (loach):1 -1:2 (4):0")

    assert claim_of(after).faces == faces("2 loach -1 4")


def test_r13_the_tokens_of_the_column_come_before_the_payment() -> None:
    after = claimed("-1 (-2):1 (1):2", tokens=0)

    assert claim_of(after) == ColumnClaimed(
        Seat(0), 0, faces("-1 -2 1"), tokens=2, total=-2, paid=-2
    )
    assert after.tokens[0] == 0


@pytest.mark.parametrize(
    ("text", "total"), [("1 2", 3), ("4 4 5", 13), ("-1 -2", -3), ("5 -1 -2", 2), ("3 -1 -2", 0)]
)
def test_r14_a_column_is_worth_the_sum_of_its_cards(text: str, total: int) -> None:
    assert column_sum(faces(text)) == total


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("loach 3", 3),
        ("loach loach", 0),
        ("-1 loach", 1),
        ("loach -2", 2),
        ("-1 2 -2 loach", 5),
        ("-1 -1 -2 -2 loach loach", 6),
        ("loach -2 -2 3", 7),
    ],
)
def test_r14a_a_loach_turns_the_ponds_positive(text: str, total: int) -> None:
    assert column_sum(faces(text)) == total


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("1 1/5", 6),  # 2 or 6
        ("2 1/5", 3),  # 3 brings 3, 7 costs 1
        ("4 1/5", 5),  # 5 brings 5, 9 costs 3
        ("-1 1/5", 4),  # 0 or 4
        ("-2 1/5", 3),  # -1 costs 1, 3 brings 3
        ("5 1/5", 6),  # 6 or 10
        ("3 3 1/5", 7),  # 7 costs 1, 11 costs 5
        ("1/5 1/5", 6),  # 2, 6 or 10: one of each
        ("2 1/5 1/5", 4),  # 4, 8 or 12
        ("-1 1/5 1/5", 5),  # 1, 5 or 9
        ("-2 -2 1/5 1/5", 6),  # -2, 2 or 6
        ("-2 -2 -1 1/5 1/5", 5),  # -3, 1 or 5
        ("-1 -1 loach 1/5 1/5", 4),  # 4, 8 or 12: the ponds count 2
        ("-2 -1 -2 1/5", 0),  # -4 costs 4, 0 costs nothing
    ],
)
def test_r14b_one_or_five_is_whatever_pays_best(text: str, total: int) -> None:
    assert column_sum(faces(text)) == total


def test_r14b_in_every_column_one_sum_alone_pays_best() -> None:
    """By brute force: every column of two to six cards, every value of each card in it."""
    for size in range(2, 7):
        for cards in combinations_with_replacement(FACES, size):
            if Counter(cards) - Counter(ALL):
                continue
            flip = -1 if "loach" in cards else 1
            values = {"1/5": (1, 5), "-1": (-flip,), "-2": (-2 * flip,), "loach": (0,)}
            sums = {sum(choice) for choice in product(*(values.get(c) or (int(c),) for c in cards))}
            pays = {total: 6 - total if total > 6 else total for total in sums}
            best = [total for total in sums if pays[total] == max(pays.values())]

            assert best == [column_sum(cards)]


def test_r14b_the_choice_does_not_look_at_what_bank_or_claimer_have() -> None:
    state = claimed("2 1/5:1", tokens=0, bank=1)

    assert claim_of(state) == ColumnClaimed(Seat(0), 0, faces("2 1/5"), tokens=0, total=3, paid=1)


@pytest.mark.parametrize(
    ("text", "paid"),
    [("1 -1:1", 0), ("2 -1:1", 1), ("1 1:1", 2), ("1 2:1", 3), ("1 3:1", 4), ("1 4:1", 5)],
)
def test_r15_a_sum_up_to_six_is_paid_by_the_bank(text: str, paid: int) -> None:
    after = claimed(text, tokens=4, bank=20)

    assert (after.tokens[0], after.bank) == (4 + paid, 20 - paid)
    assert claim_of(after).paid == paid


@pytest.mark.parametrize(("text", "due"), [("3 4:1", 1), ("5 4:1", 3), ("4 4:1 2:1", 4)])
def test_r15a_what_is_above_six_is_paid_by_the_claimer(text: str, due: int) -> None:
    after = claimed(text, tokens=5, bank=20)

    assert (after.tokens[0], after.bank) == (5 - due, 20 + due)
    assert claim_of(after).paid == -due


@pytest.mark.parametrize(("text", "due"), [("1 -2:1", 1), ("-1 -1:1 -2:1", 4)])
def test_r15b_what_is_below_zero_is_paid_by_the_claimer(text: str, due: int) -> None:
    after = claimed(text, tokens=5, bank=20)

    assert (after.tokens[0], after.bank) == (5 - due, 20 + due)
    assert claim_of(after).paid == -due


def test_r15_six_is_paid_in_full() -> None:
    after = claim(table(["2 4:1", "3 (1):1"], ["", "", "2"], [4, 4, 4]), 0)

    assert claim_of(after).paid == 6
    assert after.tokens == (10, 4, 4)


@pytest.mark.parametrize(("bank", "paid"), [(0, 0), (3, 3), (5, 5), (6, 5)])
def test_r15c_a_bank_that_is_short_pays_all_it_has(bank: int, paid: int) -> None:
    after = claimed("1 4:1", tokens=4, bank=bank)

    assert (after.tokens[0], after.bank) == (4 + paid, bank - paid)
    assert claim_of(after).paid == paid


@pytest.mark.parametrize(
    ("text", "tokens", "paid"),
    [
        ("5 4:1", 0, 0),
        ("5 4:1", 2, -2),
        ("5 4:1", 3, -3),
        ("-2 -2:1", 1, -1),
        ("5 (4):1", 1, -2),  # due 3, has 1 and the one on the column
    ],
)
def test_r15c_a_claimer_who_is_short_pays_all_they_have(text: str, tokens: int, paid: int) -> None:
    after = claimed(text, tokens=tokens, bank=20)

    assert claim_of(after).paid == paid
    assert after.tokens[0] == tokens + claim_of(after).tokens + paid
    assert after.bank == 20 - paid


def test_numbers_of_any_length_are_refused_like_others() -> None:
    state = table(["1 2:1"], ["4"], [4])

    assert refusal(state, Claim(column=10**5000)) == "R12: there is no such column"
    assert refusal(state, Play(card="4", column=-(10**5000), up=True)) == (
        "R9a: there is no such column"
    )


# End of a round


def ending(state: State, number: int) -> RoundEnded | None:
    """Return the end of the round that a claim of column ``number`` brings, if it does."""
    ends = [what for what in claim(state, number).happened if isinstance(what, RoundEnded)]
    return ends[0] if ends else None


def test_r16_exactly_six_ends_the_round_at_once() -> None:
    state = table(["2 4:1", "3 1:1", "5 (1):0"], ["4", "", "2"], [4, 4, 4])

    assert ending(state, 0) == RoundEnded(1, "donburiko")


def test_r16_any_other_sum_does_not() -> None:
    state = table(["2 4:1 1:0", "3 1:1", "5 (1):0"], ["4", "", "2"], [4, 4, 4])

    assert ending(state, 0) is None


def test_r16_six_ends_the_round_even_if_the_bank_cannot_pay_it() -> None:
    state = table(["2 4:1", "3 1:1"], ["4", ""], [30, 18])

    after = claim(state, 0)

    assert after.happened == (
        ColumnClaimed(Seat(0), 0, faces("2 4"), tokens=0, total=6, paid=2),
        RoundEnded(1, "donburiko"),
    )


def test_r16_six_that_empties_the_table_counts_as_donburiko() -> None:
    last_column = table([None, "2 4:1"], ["4", "3"], [4, 4], in_round=(True, False))
    singles_left = table(["3", "2 4:1"], ["4", "3"], [4, 4])

    assert ending(last_column, 1) == RoundEnded(1, "donburiko")
    assert ending(singles_left, 1) == RoundEnded(1, "donburiko")


def test_r16a_the_round_ends_when_no_column_is_left() -> None:
    state = table([None, "2 3:1"], ["4", "3"], [4, 4], in_round=(True, False))

    assert ending(state, 1) == RoundEnded(1, "no_columns")


def test_r16b_the_round_ends_when_single_cards_are_left() -> None:
    state = table(["3", "2 3:1", None, "1"], ["4", "3", "", "2"], [4] * 4, number=7)

    assert ending(state, 1) == RoundEnded(7, "single_cards")


def test_r16b_one_column_of_two_keeps_the_round_going() -> None:
    state = table(["3", "2 3:1", "5 1:0"], ["4", "3", "2"], [4] * 3)

    assert ending(state, 1) is None


def test_r16b_single_cards_end_no_round_before_a_claim() -> None:
    assert opening(4).turn == 0
    assert opening(4).happened == (RoundBegan(1, Seat(0)),)


def test_r17_tokens_of_columns_that_nobody_claimed_go_back_to_the_bank() -> None:
    state = table(["2 4:1", "3 (1):1 (-2):2", "5 (1):0"], ["4", "", "2"], [4, 4, 4])
    assert state.bank == 35

    after = claim(state, 0)

    assert (after.tokens, after.bank) == ((10, 4, 4), 35 - 6 + 3)
    assert [column and column.tokens for column in after.columns] == [0, 0, 0]


def test_r17a_cards_that_were_not_turned_up_are_shown_to_nobody() -> None:
    state = table(["2 4:1", "3 (1):1", "5 (-2):0"], ["4", "loach", "2"], [4, 4, 4])

    after = claim(state, 0)

    assert after.happened == (
        ColumnClaimed(Seat(0), 0, faces("2 4"), tokens=0, total=6, paid=6),
        RoundEnded(1, "donburiko"),
        RoundBegan(2, Seat(1)),
    )


# End of the match


@pytest.mark.parametrize(("tokens", "bank"), [((19, 19, 10), 0), ((19, 19, 9), 1)])
def test_r18_an_empty_bank_makes_the_round_the_last(tokens: tuple[int, ...], bank: int) -> None:
    state = table(["1 (2):1", "3"], ["", "", "4"], tokens, turn=2)

    after = play(state, "4", 0, up=True)

    assert (after.bank, after.last_round) == (bank, bank == 0)


@pytest.mark.parametrize(("before", "end_met"), [(18, False), (19, True)])
def test_r18_twenty_tokens_make_the_round_the_last(before: int, end_met: bool) -> None:
    state = table(["1", "3"], ["4", "2"], [before, 4])

    after = play(state, "4", 0, up=True)

    assert after.last_round == end_met


@pytest.mark.parametrize(("before", "end_met"), [(14, False), (15, True)])
def test_r18_a_claim_can_make_the_round_the_last(before: int, end_met: bool) -> None:
    assert claimed("1 4:1", tokens=before).last_round == end_met


def test_r18_is_looked_at_once_all_payments_are_made() -> None:
    """18 tokens, 3 more from the column, less 5 to pay: there were never 20 to be seen."""
    after = claimed("1 (5):1 (4):1 (1):2", tokens=18)

    assert claim_of(after).paid == -5
    assert (after.tokens[0], after.last_round) == (16, False)


def test_r18_is_looked_at_before_tokens_of_columns_return() -> None:
    state = table(["2 4:1", "3 (1):0", "1"], ["", "", "3"], [11, 19, 14])
    assert state.bank == 5

    after = claim(state, 0)

    assert (after.tokens, after.bank) == ((16, 19, 14), 1)
    assert (after.turn, after.round) == (None, 1)


def test_r18_a_round_without_it_is_not_the_last() -> None:
    after = claim(table(["2 4:1", "3"], ["", "3"], [13, 4]), 0)

    assert (after.tokens, after.round, after.last_round) == ((19, 4), 2, False)


def test_r18a_the_last_round_stays_the_last() -> None:
    state = table(["1 (3):1", "4 5:0", "3 1:1"], ["4", "", "2"], [19, 3, 3])

    rich = play(state, "4", 0, up=True)
    poorer = claim(rich, 1)
    refilled = play(poorer, "2", 0, up=True)
    spent = claim(refilled, 0)

    assert (rich.tokens[0], rich.last_round) == (20, True)
    assert poorer.last_round
    assert spent.tokens == (17, 0, 4)  # 20, then 1 + 3 + 4 + 2 = 10 costs 4, and 1 from the column
    assert spent.last_round
    assert spent.turn == 2


def test_r18a_a_token_spent_on_a_card_face_down_does_not_undo_it() -> None:
    state = table(["1", "3"], ["4", "2"], [20, 4], end_met=True)

    after = play(state, "4", 0, up=False)

    assert (after.tokens[0], after.last_round) == (19, True)


def test_r18b_the_last_round_is_played_to_its_end() -> None:
    state = table(["1", "2"], ["4", "2 3"], [19, 4])

    met = play(state, "4", 0, up=True)
    on = play(met, "3", 1, up=True)
    claimed_one = claim(on, 0)
    over = claim(claimed_one, 1)

    assert [met.turn, on.turn, claimed_one.turn, over.turn] == [1, 0, 1, None]
    assert over.happened[-1] == RoundEnded(1, "no_columns")
    assert DONBURIKO.reason(over) == "finished"


def test_r18b_nothing_can_be_done_once_the_match_is_over() -> None:
    over = claim(table(["2 4:1", "3 1:0"], ["4", "3"], [4, 4], end_met=True), 0)

    assert DONBURIKO.to_act(over) is None
    assert DONBURIKO.legal_actions(over) == ()
    assert refusal(over, Play(card="4", column=1, up=True)) == "R18b: the match is over"
    assert refusal(over, Claim(column=1)) == "R18b: the match is over"


def test_r19_round_fifty_is_the_last() -> None:
    before = table(["2 4:1", "3 1:0"], ["4", "3"], [4, 4], number=49)

    last = claim(before, 0)

    assert (last.round, last.last_round) == (50, True)
    assert not before.last_round


def test_r19_a_match_that_round_fifty_ended_says_so() -> None:
    over = claim(table(["2 4:1", "3 1:0"], ["4", "3"], [4, 4], number=50), 0)

    assert DONBURIKO.to_act(over) is None
    assert DONBURIKO.reason(over) == "round_limit"


def test_r19_a_match_that_ends_by_r18_in_round_fifty_is_finished() -> None:
    over = claim(table(["2 4:1", "3 1:0"], ["4", "3"], [14, 4], number=50), 0)

    assert DONBURIKO.reason(over) == "finished"


@pytest.mark.parametrize(
    ("tokens", "ranks"),
    [
        ([21, 9, 14], (1, 3, 2)),
        ([9, 9, 3], (1, 1, 3)),
        ([3, 9, 3], (2, 1, 2)),
        ([5, 5, 5, 5], (1, 1, 1, 1)),
    ],
)
def test_r20_most_tokens_win_and_equal_tokens_share_a_place(
    tokens: list[int], ranks: tuple[int, ...]
) -> None:
    state = table(["1"], [""] * len(tokens), tokens)

    assert DONBURIKO.scores(state) == tuple(tokens)
    assert DONBURIKO.ranks(state) == ranks


# Who sees what


def test_r21_everyone_sees_the_face_up_cards_and_who_placed_each_card() -> None:
    state = table(["1 4:2 (5):0", None, "3"], ["4", "3 2", "1/5"], [4, 9, 2], set_aside="loach")

    for seat in range(3):
        seen = DONBURIKO.observe(state, Seat(seat))
        first, second, third = seen.columns
        assert second is None
        assert first is not None
        assert third is not None
        assert [(card.up, card.by) for card in first.cards] == [(True, None), (True, 2), (False, 0)]
        assert [card.face for card in first.cards[:2] + third.cards] == ["1", "4", "3"]
        assert (first.tokens, third.tokens) == (1, 0)
        assert (seen.tokens, seen.bank, seen.hand_sizes) == ((4, 9, 2), 34, (1, 2, 1))
        assert (seen.set_aside, seen.to_act, seen.round) == (1, 0, 1)


def test_r22_a_seat_sees_its_hand_and_what_it_placed_face_down() -> None:
    state = table(["1 (4):2 (5):0"], ["4", "3 2", "1/5"], [4, 9, 2])

    views = [DONBURIKO.observe(state, Seat(seat)) for seat in range(3)]

    assert [view.hand for view in views] == [("4",), ("3", "2"), ("1/5",)]
    assert [[card.face for card in view.columns[0].cards] for view in views if view.columns[0]] == [
        ["1", "?", "5"],
        ["1", "?", "?"],
        ["1", "4", "?"],
    ]


def test_r23_nobody_sees_the_cards_that_are_set_aside() -> None:
    one = table(["1"], ["4", "5"], [4, 4], set_aside="loach -1")
    other = table(["1"], ["4", "5"], [4, 4], set_aside="3 1/5")

    for seat in (Seat(0), Seat(1)):
        assert DONBURIKO.observe(one, seat) == DONBURIKO.observe(other, seat)


# Of all matches


@given(match=MATCHES)
def test_legal_actions_are_exactly_those_that_apply(match: Match) -> None:
    for state in match.states[:: max(1, len(match.states) // 8)]:
        legal = DONBURIKO.legal_actions(state)
        applied = []
        for action in all_actions():
            with suppress(IllegalAction):
                DONBURIKO.apply(state, action, UNSHUFFLED)
                applied.append(action)

        assert len(applied) == len(legal)
        assert set(applied) == set(legal)


@given(match=MATCHES)
def test_every_card_of_a_round_is_in_one_place(match: Match) -> None:
    gone: list[str] = []
    for state in match.states:
        if any(isinstance(what, RoundBegan) for what in state.happened):
            gone = []
        else:
            gone += [
                face
                for what in state.happened
                if isinstance(what, ColumnClaimed)
                for face in what.faces
            ]
        lying = [card.face for column in state.columns if column for card in column.cards]
        held = [face for hand in state.hands for face in hand]

        assert Counter([*gone, *lying, *held, *state.set_aside]) == Counter(deck(match.players))
