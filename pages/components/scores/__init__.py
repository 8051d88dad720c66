"""Score: runs configured, forecast, started and watched."""
