"""The SQLite file in which bots, tournaments, schedules and records are kept."""
