"""Runtime: what every use case needs: the database, models with their keys and ledger, prompts, jobs, files."""
