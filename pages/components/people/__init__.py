"""Parts of the screen People."""
