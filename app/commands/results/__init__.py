"""Results: agreement with people, of runs here and of any scores."""
