"""Checklist: viewing, editing, trying and publishing."""
