"""Results: one file or package a tab."""
