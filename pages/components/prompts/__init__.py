"""Prompts: each prompt as this project words it."""
