"""Improving questions by decisions: wordings are proposed, tried, and proven on unseen texts."""
