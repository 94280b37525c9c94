"""Checks that need no trust in whoever ran a tournament, and what others need to make them."""
