"""Background work: jobs, their kinds, the processes that do them, and their progress."""
