"""Runs, draws, forecasts and choices of results, for the screens that start or compare runs."""
