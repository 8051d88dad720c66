"""Versions, questions and wordings of a checklist, for the screens that show them."""
