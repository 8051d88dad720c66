"""Mean scores set against each other, of systems and of checklist versions, corrected by experts' answers."""
