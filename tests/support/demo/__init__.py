"""Makes the demo project that the app loads: `python -m tests.support.demo`."""
