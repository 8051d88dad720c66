"""Disagreements: where experts, judges and a judge's repeats differ, and what a facilitator decides."""
