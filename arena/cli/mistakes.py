"""The command line's own errors in one line each.

Typer uses the installed click or, from 0.20 on, a copy of its own; its public `typer.BadParameter`
leads to the classes of whichever it is.
"""

from typing import Any

import typer

from arena.games import closest

UsageMistake: Any = typer.BadParameter.__mro__[1]
"""Click's ``UsageError``: base of all mistakes in a command line."""

_HINTED = ("Did you mean", "Possible options")


def is_help(error: BaseException) -> bool:
    """Return whether ``error`` only brings the help that a command without arguments shows."""
    return type(error).__name__ == "NoArgsIsHelpError"


def mistake(error: Any) -> str:  # noqa: ANN401 - see `UsageMistake`
    """Return a mistake in the command line as one line, with the closest name and where help is."""
    text = " ".join(error.format_message().split())
    context = error.ctx
    if context and not any(hint in text for hint in _HINTED):
        if option := getattr(error, "option_name", None):
            known = [name for param in context.command.params for name in param.opts]
            text = f"{text.rstrip('.')}{closest(option, [n for n in known if n[:2] == '--'])}"
        elif hasattr(context.command, "list_commands") and "No such command" in text:
            known = context.command.list_commands(context)
            text = f"{text.rstrip('.')}{closest(text.split(chr(39))[1], known)}"
    path = context.command_path if context else "arena"
    return f"{text.rstrip('.')} (see `{path} --help`)"
