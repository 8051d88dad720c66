"""Recipes of papers: what is needed to reproduce each of their tables, and the published figures."""
