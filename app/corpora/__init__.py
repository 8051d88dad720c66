"""Datasets of texts with human ratings: known formats, any table, draws from them, and the demo data."""
