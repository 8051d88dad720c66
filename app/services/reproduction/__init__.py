"""Tables of papers, made again from their recipes."""
