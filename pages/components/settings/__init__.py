"""Settings: providers, prices, and recorded calls."""
