"""Score: runs set up, forecast, started and watched."""
