"""The command line's own errors in one line each.

Typer uses the installed click or, from 0.20 on, a copy of its own; its public `typer.BadParameter`
leads to the classes of whichever it is.
"""

import re
from collections.abc import Sequence
from typing import Any

import typer

from arena.games import closest

UsageMistake: Any = typer.BadParameter.__mro__[1]
"""Click's ``UsageError``: base of all mistakes in a command line."""

_REWORDED = (
    (r"'[^']*' is not a valid int(eger)?( range)?", "not a whole number"),
    (r"\S+ is not in the range x>=(\S+)", r"the least is \1"),
    (r"\S+ is not in the range (\d+)<=x<=(\d+)", r"not from \1 to \2"),
)
"""What click says, and how one says it to people."""

_LISTS = {"--bots", "--field"}
"""Options that take bots with commas between them."""


class Stopped(Exception):
    """The user stopped a run before its end; the text says how to go on."""


def is_help(error: BaseException) -> bool:
    """Return whether ``error`` only brings the help that a command without arguments shows."""
    return type(error).__name__ == "NoArgsIsHelpError"


def mistake(error: Any, root: Any, arguments: Sequence[str]) -> str:  # noqa: ANN401 - see above
    """Return a mistake in the command line as one line, with the closest name and where help is.

    Args:
        error: a `UsageMistake`.
        root: the app's command.
        arguments: what was typed after ``arena``.
    """
    command, path = _where(error, root, arguments)
    text = " ".join(error.format_message().split())
    for pattern, words in _REWORDED:
        text = re.sub(pattern, words, text)
    if hasattr(error, "possibilities"):
        option = error.option_name
        text = f"no such option: {option}{_other_option(option, command, arguments)}"
    elif unknown := re.match(r"No such command '(.*?)'", text):
        text = f"no such command: {unknown[1]}{closest(unknown[1], command.commands)}"
    elif text.startswith("Got unexpected extra argument") and _LISTS & set(arguments):
        text += "; put commas between bots, without spaces"
    text = text.rstrip(".")
    return f"{text[:1].lower()}{text[1:]} (see `{path} --help`)"


def spelt(param: Any) -> str:  # noqa: ANN401 - see above
    """Return what the help calls a parameter: an option by its long name."""
    name: str = param.name
    return max(param.opts, key=len) if param.param_type_name == "option" else param.metavar or name


def _where(error: Any, root: Any, arguments: Sequence[str]) -> tuple[Any, str]:  # noqa: ANN401 - see above
    """Return the command in which the mistake is, and how it is called."""
    if error.ctx:
        return error.ctx.command, error.ctx.command_path
    command, path = root, "arena"
    for word in arguments:
        below = getattr(command, "commands", {})
        if word in below:
            command, path = below[word], f"{path} {word}"
        elif not word.startswith("-"):
            break
    return command, path


def _other_option(option: str, command: Any, arguments: Sequence[str]) -> str:  # noqa: ANN401
    """Return a hint for an unknown ``option`` of ``command``, empty where nothing comes close."""
    for word in arguments:
        below = getattr(command, "commands", {}).get(word)
        if below and option in _options(below):
            return f"; it goes behind {word}: arena {word} {option}"
    near = closest(option, _options(command))
    return near if "did you mean" in near else ""


def _options(command: Any) -> set[str]:  # noqa: ANN401 - see above
    names = {name for param in command.params for name in param.opts}
    return {"--help", *(name for name in names if name.startswith("--"))}
