"""Takes the first legal action, always: the smallest bot there is."""

from arena_bot import run

run("first-legal", lambda _observation, legal_actions: legal_actions[0], version="1.0")
