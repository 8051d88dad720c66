"""Checklists: building, editing, versions, experts' answers, lineage."""
