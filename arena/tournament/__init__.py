"""What is played, with which chance, and by which processes."""
