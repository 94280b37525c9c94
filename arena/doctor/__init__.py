"""Attacks on the sandbox, made for real: what a host can give, and what a tier really keeps."""
