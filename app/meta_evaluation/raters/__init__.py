"""Raters: how well people agree with each other, and what that means for a judge."""
