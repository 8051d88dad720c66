"""Side by side: people's and LLMs' attributes compared blind."""
