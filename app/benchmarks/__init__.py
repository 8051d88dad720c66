"""Benchmarks that people run on a server of their own, by `interacteval bench`. The others are in tests/benchmarks."""
