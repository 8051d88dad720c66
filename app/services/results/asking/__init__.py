"""Ways of asking a judge the same checklist, compared."""
