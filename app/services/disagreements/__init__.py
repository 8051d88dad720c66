"""Disagreements: where experts, judges and a judge's repeats part, and what a facilitator decides about it."""
