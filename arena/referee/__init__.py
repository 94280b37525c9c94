"""One match: ask the players, apply the rules, keep the clock, make the record."""
