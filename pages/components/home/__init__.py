"""Home: the projects, how far each is, and what comes next."""
