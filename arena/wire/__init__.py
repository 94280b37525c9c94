"""The protocol: typed messages, and the way from bytes to messages and back."""
