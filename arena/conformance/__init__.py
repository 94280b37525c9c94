"""Whether a bot keeps to the protocol, for its author: what it does, and why that is a fault."""
