"""Recipes of papers: what each of their tables takes, and the figures they published."""
