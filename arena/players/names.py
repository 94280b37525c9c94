"""Names of bots, and of what takes part in tournaments."""

import re
import unicodedata

from arena.errors import UsageError
from arena.wire.escape import printable

LONGEST_NAME = 32
PERSON_NAME = "you"
"""What a person is called in a record, and so no bot."""

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")
_VERSION = re.compile(r"[1-9][0-9]{0,8}")
_SHOWN = 40


def check_name(name: str, what: str = "a bot") -> str:
    """Return ``name`` itself if ``what`` may be called so.

    Raises:
        UsageError: it may not. The message shows the name escaped and shortened.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{what} cannot be called '{printable(name, _SHOWN)}': a name has 1 to {LONGEST_NAME} "
            "of the characters A-Z a-z 0-9 . _ - and begins with a letter or a digit"
        )
    return name


def check_bot_name(name: str) -> str:
    """Return ``name`` itself if a bot may be handed in as that.

    Raises:
        UsageError: a bot cannot be called so, or it is what a person is called, in whatever case.
    """
    if fold(check_name(name)) == PERSON_NAME:
        raise UsageError(
            f"a bot cannot be called '{name}': that is what a person is called in a match"
        )
    return name


def check_entry(name: str) -> str:
    """Return ``name`` itself if one may take part as that: by a name, or as ``name@version``.

    That can be a person, too.

    Raises:
        UsageError: it may not.
    """
    plain, at, version = name.partition("@")
    if at and not _VERSION.fullmatch(version):
        raise UsageError(f"'{printable(name, _SHOWN)}' is no version: it is NAME@NUMBER, from 1")
    check_name(plain)
    return name


def fold(name: str) -> str:
    """Return what two names share that people would take for the same one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def fold_author(author: str | None) -> str | None:
    """Return what two spellings of one author share; ``None`` where nobody is named."""
    return fold((author or "").strip()).strip() or None
