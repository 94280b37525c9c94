"""From records to ratings: pure, and independent of the order in which matches were played."""
