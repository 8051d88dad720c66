"""What the screen People shows."""
