"""Tournament runner for pluggable AI bots in games with hidden information."""

__version__ = "0.1.0"
