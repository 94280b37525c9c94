"""Takes any legal action, with dice seeded by the match: the least that a bot should beat."""

from arena_bot import Action, Bot, Turn


class RandomLegal(Bot):
    """Chooses uniformly, and the same way again when the match is repeated."""

    name = "random-legal"
    version = "1.0"

    def choose(self, turn: Turn) -> Action:
        """Return any of the legal actions."""
        return turn.rng.choice(turn.legal_actions)


if __name__ == "__main__":
    RandomLegal().run()
