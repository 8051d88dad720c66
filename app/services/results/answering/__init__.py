"""What experts' next answers would bring."""
