"""The beginning and the end of a text that may be endless."""

HEAD_BYTES = 2 * 1024
TAIL_BYTES = 6 * 1024


class Tail:
    """Keeps the first and the last bytes of what is added, and counts what it drops."""

    def __init__(self, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._head = b""
        self._tail = b""
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        """Add ``chunk`` at the end."""
        room = self._head_bytes - len(self._head)
        self._head += chunk[:room]
        tail = self._tail + chunk[room:]
        cut = max(0, len(tail) - self._tail_bytes)
        self._dropped += cut
        self._tail = tail[cut:]

    def text(self) -> bytes:
        """Return what was kept, with a line that says how much was not."""
        if not self._dropped:
            return self._head + self._tail
        return b"%b\n[... %d bytes dropped ...]\n%b" % (self._head, self._dropped, self._tail)
