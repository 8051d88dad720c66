"""Benchmarks that people run on their own server with `interacteval bench`. The others are in tests/benchmarks."""
