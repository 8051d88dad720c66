"""Questions through all versions of a checklist, and what is kept of attempts to word them better."""
