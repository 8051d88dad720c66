"""Checklists: edited, tried, published, answered by experts, and followed back to their attributes."""
