"""Checklists: editing, trying, publishing, experts' answers, and lineage back to attributes."""
