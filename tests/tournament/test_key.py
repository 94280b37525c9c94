import hashlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.tournament.key import (
    canonical_json,
    check_public_value,
    commitment,
    fresh_secret,
    parameters,
    parameters_digest,
    tournament_id,
    tournament_key,
    unrated_reasons,
)

SECRET = bytes(range(32))
DIGEST = bytes(32)
CATEGORIES = {
    Category("donburiko", "standard", Mode.TABLE, 3): 50,
    Category("couperation", "standard", Mode.SELF, 2): 100,
}
DIGESTS = {"greedy": "sha256:aa", "first": "sha256:bb"}
PLAYS: dict[str, set[str] | None] = {"greedy": None, "first": {"donburiko", "chess"}}

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab_~ \x7f"), inner),
    max_leaves=12,
)


def entered(**changed: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "digests": DIGESTS,
        "bots": PLAYS,
        "categories": CATEGORIES,
        "limits": Limits(),
        "tier": Tier.BWRAP,
    }
    return parameters(**usual | changed)


def test_a_secret_is_32_bytes_and_never_the_same() -> None:
    assert len(fresh_secret()) == 32
    assert fresh_secret() != fresh_secret()


def test_the_commitment_is_the_sha256_of_the_secret() -> None:
    """The SHA-256 of bytes 0 to 31, as `sha256sum` prints it."""
    assert commitment(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_the_key_is_made_of_secret_digest_and_public_value() -> None:
    joined = SECRET + DIGEST + "日経平均 38,157.94".encode()

    key = tournament_key(SECRET, DIGEST, "日経平均 38,157.94")

    assert key == hashlib.sha256(joined).digest()
    assert tournament_key(SECRET, DIGEST) == hashlib.sha256(SECRET + DIGEST).digest()


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=256))
def test_any_text_can_be_a_public_value_and_is_taken_as_it_stands(text: str) -> None:
    assert check_public_value(text) == text
    assert (
        tournament_key(SECRET, DIGEST, text)
        == hashlib.sha256(SECRET + DIGEST + text.encode()).digest()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("é" * 512 + "x", "the public value has 1,025 bytes, and 1024 is the most"),
        ("\udcff", "the public value is not text: it has bytes that are not UTF-8"),
    ],
)
def test_what_cannot_be_a_public_value_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        tournament_key(SECRET, DIGEST, text)

    assert str(caught.value) == message


@pytest.mark.parametrize(("secret", "digest"), [(SECRET[1:], DIGEST), (SECRET, DIGEST + b"x")])
def test_bytes_cannot_wander_from_one_part_of_the_key_to_the_next(
    secret: bytes, digest: bytes
) -> None:
    with pytest.raises(ValueError, match="not 32 each"):
        tournament_key(secret, digest)


def test_parameters_have_everything_in_one_order() -> None:
    assert entered(limits=None) == {
        "parameters": 2,
        "bots": [
            ["first", "sha256:bb", ["donburiko"]],
            ["greedy", "sha256:aa", ["couperation", "donburiko"]],
        ],
        "categories": [
            {
                "game": "couperation",
                "variant": "standard",
                "mode": "self",
                "players": 2,
                "deals": 100,
            },
            {
                "game": "donburiko",
                "variant": "standard",
                "mode": "table",
                "players": 3,
                "deals": 50,
            },
        ],
        "authors": {},
        "matches_each": None,
        "limits": None,
        "tier": "bwrap",
        "rules_versions": {"couperation": 1, "donburiko": 1},
    }


def test_limits_stand_among_the_parameters_by_name() -> None:
    limits = Limits(move_ms=250)

    assert entered(limits=limits)["limits"] == msgspec.structs.asdict(limits)


def test_authors_that_count_and_the_limit_of_matches_stand_among_the_parameters() -> None:
    said = entered(authors={"greedy": "ödön", "first": "ada"}, matches_each=40)

    assert (said["authors"], said["matches_each"]) == ({"first": "ada", "greedy": "ödön"}, 40)
    assert list(said["authors"]) == ["first", "greedy"]


def test_the_order_of_entry_leaves_no_trace_in_the_parameters() -> None:
    again = entered(
        digests=dict(reversed(DIGESTS.items())),
        bots=dict(reversed(PLAYS.items())),
        categories=dict(reversed(CATEGORIES.items())),
    )

    assert canonical_json(again) == canonical_json(entered())


@pytest.mark.parametrize(
    "changed",
    [
        {"digests": {"greedy": "sha256:aa", "first": "sha256:cc"}},
        {"bots": {"greedy": None, "first": None}},
        {
            "digests": {"greedy": "sha256:aa", "f": "sha256:bb"},
            "bots": dict.fromkeys(["greedy", "f"]),
        },
        {"categories": dict.fromkeys(CATEGORIES, 50)},
        {"categories": dict(list(CATEGORIES.items())[:1])},
        {"limits": Limits(move_ms=999)},
        {"limits": Limits(memory_mb=511)},
        {"limits": None},
        {"tier": Tier.NONE},
    ],
    ids=[
        *("content", "games", "name", "deals", "categories", "move_ms", "memory_mb", "no limits"),
        "tier",
    ],
)
def test_whatever_decides_a_match_changes_the_digest(changed: dict[str, Any]) -> None:
    assert parameters_digest(entered(**changed)) != parameters_digest(entered())


def test_every_bot_has_a_digest() -> None:
    with pytest.raises(ValueError, match="digests of"):
        entered(digests={"greedy": "sha256:aa"})


def test_the_digest_is_the_sha256_of_canonical_json() -> None:
    """The same value as ``printf '{"a":[1,"é"],"b":null}' | sha256sum`` in a UTF-8 terminal."""
    digest = parameters_digest({"b": None, "a": [1, "é"]})

    assert digest == hashlib.sha256(b'{"a":[1,"\xc3\xa9"],"b":null}').digest()


def test_canonical_json_escapes_only_what_must_be() -> None:
    text = '\x00\x1f\b\t\n\f\r"\\/\x7fé🂡\u2028'

    assert canonical_json({"t": text}) == (
        '{"t":"\\u0000\\u001f\\b\\t\\n\\f\\r\\"\\\\/\x7fé🂡\u2028"}'.encode()
    )


@given(value=plain)
def test_canonical_json_says_the_same_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@pytest.mark.parametrize("value", [1.5, [float("nan")], {"é": 1}, {1: 2}, {"a": b"x"}])
def test_what_has_several_spellings_has_no_canonical_one(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


def test_an_id_follows_from_name_parameters_and_commitment() -> None:
    content = f"spring/{'00' * 32}/{commitment(SECRET)}"

    found = tournament_id("spring", DIGEST, commitment(SECRET))

    assert found == f"spring-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    assert found not in {
        tournament_id("spring", DIGEST, commitment(SECRET[::-1])),
        tournament_id("spring", SECRET, commitment(SECRET)),
    }


@pytest.mark.parametrize("name", ["", "a/b", "x" * 33, "-x", "x\n", "é"])
def test_a_tournament_is_named_like_a_bot(name: str) -> None:
    with pytest.raises(UsageError, match=r"^a tournament cannot be called '"):
        tournament_id(name, DIGEST, commitment(SECRET))


def test_a_tournament_without_a_reason_against_it_is_rated() -> None:
    assert unrated_reasons(published_key=False, tier=Tier.BWRAP, limits=Limits()) == ()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"published_key": True}, "the key is published"),
        ({"tier": Tier.NONE}, "bots are not isolated"),
        ({"limits": None}, "limits are off"),
        ({"paths": ["b", "a"]}, "played from a path: a, b"),
        ({"people": ["you"]}, "played by a person: you"),
    ],
)
def test_each_reason_alone_makes_a_tournament_unrated(changed: dict[str, Any], reason: str) -> None:
    facts: dict[str, Any] = {"published_key": False, "tier": Tier.BWRAP, "limits": Limits()}

    assert unrated_reasons(**facts | changed) == (reason,)


def test_all_reasons_are_given() -> None:
    reasons = unrated_reasons(
        published_key=True, tier=Tier.NONE, limits=None, paths=["a"], people=["you"]
    )

    assert len(reasons) == 5
