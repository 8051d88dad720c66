"""Overview: the projects, how far each is, and what is ready to do."""
