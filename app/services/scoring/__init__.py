"""Scoring: runs forecast, planned, worked on and resumed."""
