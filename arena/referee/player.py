"""What the referee needs of whoever holds a seat."""

from typing import Protocol


class Player(Protocol):
    """Whoever holds a seat: a bot's process, a scripted double, a person.

    It is handed lines of bytes, and never a state of the game, so it cannot leak one.
    """

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Send ``line`` and return the next line of the player, without its LF.

        Args:
            line: one message, LF included.
            budget_ms: wall time for sending, thinking and answering together.

        Raises:
            BotFault: ``timeout``, ``exited``, ``out_of_memory``, or ``bad_message`` for a line
                over the cap.
        """
        ...

    def excused_ns(self) -> int:
        """Return how much of the last question's time is not the player's, in nanoseconds."""
        return 0

    def tell(self, line: bytes) -> None:
        """Send ``line``, to which there is no answer, as far as the player takes it at once."""
        ...

    def stop(self, grace_ms: int) -> None:
        """End the player: at once if it exits by itself within ``grace_ms``, else by force."""
        ...
