"""One repository for each group of tables. They take and return frozen values, never rows."""
