"""Who holds a seat; the only package that starts processes."""
