"""Scoring many texts: bounded, cancellable, saved as it goes, and resumable."""
