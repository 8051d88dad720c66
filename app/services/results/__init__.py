"""Results: how well scores agree with people, and what lies behind the figures."""
