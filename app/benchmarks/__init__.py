"""Our own benchmarks, reached from `interacteval bench` alone."""
