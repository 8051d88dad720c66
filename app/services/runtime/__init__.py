"""Runtime: what every use case needs: the database, models with keys and ledger, prompts, batches, files, backups."""
