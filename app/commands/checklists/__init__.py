"""Checklists: built, edited, versioned, answered by experts, traced back."""
