"""Data: projects, dimensions, imports, locked splits, copies of everything."""
