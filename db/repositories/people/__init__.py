"""People, what belongs to whom, and who did what."""
