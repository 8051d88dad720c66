"""Data: projects, dimensions, texts, ratings, imports and held-out splits."""
