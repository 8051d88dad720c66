"""Data: projects and dimensions, texts and ratings brought in, test splits locked away."""
