"""Results: how well scores agree with people, and what the figures rest on."""
