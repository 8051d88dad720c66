"""Work in the background: jobs, what kinds there are, who does them, and how far each is."""
