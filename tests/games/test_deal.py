import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.deal import SEED, WORD, Deal, DealtChance, Stream
from tests import spec_chance

ZERO = bytes(32)
LABEL = "donburiko/standard/3/0/round-1"
FACES = tuple(spec_chance.FACES)

keys = st.binary(min_size=32, max_size=32)
labels = st.text(alphabet=st.characters(codec="ascii"), max_size=40)


class Fixed(Stream):
    """A stream of given words."""

    def __init__(self, *words: int) -> None:
        super().__init__(ZERO, "fixed")
        self._given = list(words)

    def word(self) -> int:
        return self._given.pop(0)


# Words


def test_a_block_is_eight_words_most_significant_byte_first() -> None:
    stream = Stream(ZERO, LABEL)
    block = b"".join(stream.word().to_bytes(4, "big") for _ in range(8))

    assert block == hmac.new(ZERO, f"{LABEL}/0".encode(), hashlib.sha256).digest()


def test_blocks_are_numbered_from_0() -> None:
    stream = Stream(ZERO, LABEL)
    words = [stream.word() for _ in range(9)]

    second = hmac.new(ZERO, f"{LABEL}/1".encode(), hashlib.sha256).digest()
    assert words[8] == int.from_bytes(second[:4], "big")


@given(key=keys, label=labels)
def test_words_are_those_of_the_specification(key: bytes, label: str) -> None:
    stream = Stream(key, label)

    assert [stream.word() for _ in range(20)] == spec_chance.first_words(key, label, 20)


def test_streams_of_two_labels_or_keys_have_nothing_in_common() -> None:
    streams = [
        Stream(ZERO, LABEL),
        Stream(ZERO, "donburiko/standard/3/0/round-2"),
        Stream(ZERO, "donburiko/standard/3/1/round-1"),
        Stream(bytes(31) + b"\x01", LABEL),
    ]
    words = {stream.word() for stream in streams for _ in range(100)}

    assert len(words) == 400


def test_a_label_is_ascii() -> None:
    with pytest.raises(UnicodeEncodeError):
        Stream(ZERO, "どんぐり").word()


# Numbers


@given(key=keys, bounds=st.lists(st.integers(1, WORD), max_size=30))
def test_numbers_are_those_of_the_specification(key: bytes, bounds: list[int]) -> None:
    stream, words = Stream(key, LABEL), spec_chance.words(key, LABEL)

    numbers = [stream.below(bound) for bound in bounds]

    assert numbers == [spec_chance.below(words, bound) for bound in bounds]
    assert all(number < bound for number, bound in zip(numbers, bounds, strict=True))


@pytest.mark.parametrize("bound", [3, 6, 7, 10, 2**31 + 1, WORD - 1])
def test_no_number_is_favoured_because_odd_words_are_dropped(bound: int) -> None:
    """Of 2^32 words the last 2^32 mod n are dropped; each number below n is left as often."""
    limit = WORD - WORD % bound

    assert Fixed(limit, WORD - 1, 5).below(bound) == 5 % bound
    assert Fixed(limit - 1, 5).below(bound) == bound - 1


@pytest.mark.parametrize("bound", [1, 2, 2**16, WORD])
def test_a_bound_that_divides_the_words_drops_none(bound: int) -> None:
    assert Fixed(WORD - 1).below(bound) == bound - 1


def test_a_single_choice_takes_a_word_too() -> None:
    stream, untouched = Stream(ZERO, LABEL), Stream(ZERO, LABEL)
    untouched.word()

    assert stream.below(1) == 0
    assert stream.word() == untouched.word()


@pytest.mark.parametrize("bound", [0, -1, WORD + 1])
def test_there_is_nothing_to_choose_from_none_or_too_many(bound: int) -> None:
    with pytest.raises(ValueError, match=f"cannot choose below {bound}"):
        Stream(ZERO, LABEL).below(bound)


def test_numbers_come_up_equally_often() -> None:
    """Chi-squared with 5 degrees of freedom is beyond 20.5 once in a thousand keys."""
    stream = Stream(ZERO, "dice")
    counts = Counter(stream.below(6) for _ in range(6_000))

    assert sum((counts[face] - 1_000) ** 2 / 1_000 for face in range(6)) < 20.5


@given(key=keys, label=labels)
def test_a_seed_is_two_words_modulo_2_to_the_53(key: bytes, label: str) -> None:
    stream, words = Stream(key, label), Stream(key, label)
    first, second = words.word(), words.word()

    assert stream.seed() == (first * 2**32 + second) % SEED
    assert stream.word() == words.word()


# Shuffles


@given(key=keys, cards=st.lists(st.integers(), max_size=60))
def test_a_shuffle_is_a_permutation_and_the_one_of_the_specification(
    key: bytes, cards: list[int]
) -> None:
    shuffled = Stream(key, LABEL).shuffled(cards)

    assert Counter(shuffled) == Counter(cards)
    assert list(shuffled) == spec_chance.shuffled(spec_chance.words(key, LABEL), cards)


def test_a_shuffle_leaves_its_cards_as_they_were() -> None:
    cards = [1, 2, 3]

    Stream(ZERO, LABEL).shuffled(cards)

    assert cards == [1, 2, 3]


def test_each_order_comes_up_equally_often() -> None:
    """Chi-squared with 5 degrees of freedom is beyond 20.5 once in a thousand keys."""
    stream = Stream(ZERO, "orders")
    counts = Counter(stream.shuffled("abc") for _ in range(6_000))

    assert len(counts) == 6
    assert sum((count - 1_000) ** 2 / 1_000 for count in counts.values()) < 20.5


# Deals


def test_a_label_is_made_of_the_deal_and_a_purpose() -> None:
    deal = Deal(ZERO, "donburiko", "standard", 3, 1_000)
    stream, spelt = deal.stream("house"), Stream(ZERO, "donburiko/standard/3/1000/house")

    assert [stream.word() for _ in range(9)] == [spelt.word() for _ in range(9)]


def test_a_stream_of_a_deal_begins_anew_each_time() -> None:
    deal = Deal(ZERO, "donburiko", "standard", 3, 0)

    assert deal.stream("house").word() == deal.stream("house").word()


def test_each_seat_has_its_own_seed() -> None:
    deal = Deal(ZERO, "donburiko", "standard", 3, 0)

    assert deal.bot_seed(1) == 6_081_785_660_305_164
    assert len({deal.bot_seed(seat) for seat in range(3)}) == 3


def test_a_deal_does_not_show_its_key() -> None:
    deal = Deal(b"\xab" * 32, "donburiko", "standard", 3, 0)

    assert "ab" * 4 not in repr(deal)
    assert "\\xab" not in repr(deal)


@pytest.mark.parametrize("other", [1, 2])
def test_deals_of_one_name_are_equal_and_of_another_are_not(other: int) -> None:
    names = {Deal(ZERO, "tuck", "standard", 3, number) for number in (1, other)}

    assert len(names) == other


# Chance


def test_the_chance_of_a_deal_shuffles_by_the_purposes_stream() -> None:
    chance = DealtChance(Deal(ZERO, "donburiko", "standard", 3, 0))

    assert chance.shuffle("round-1", FACES)[:5] == ("5", "1/5", "3", "-1", "3")


def test_the_words_that_a_call_leaves_serve_the_next_of_the_same_purpose() -> None:
    chance = DealtChance(Deal(ZERO, "tuck", "standard", 3, 0))
    stream = Deal(ZERO, "tuck", "standard", 3, 0).stream("deck")

    assert chance.shuffle("deck", FACES) == stream.shuffled(FACES)
    assert chance.below("other", 10) < 10
    assert chance.below("deck", 10) == stream.below(10)
    assert chance.shuffle("deck", FACES) == stream.shuffled(FACES)
