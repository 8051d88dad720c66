"""Scoring: forecasting, planning, executing and resuming runs."""
