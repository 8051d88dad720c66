"""Heartbeats of processes that work on jobs and runs: how often they come, and when a silent process counts as gone."""

from datetime import timedelta

HEARTBEAT_SECONDS = 5.0
"""Seconds between two heartbeats of a process that works on a job or a run."""
HEARTBEAT_TIMEOUT = timedelta(seconds=30)
"""A job or run whose process is silent for longer may be taken over by another process."""
WORKER_TIMEOUT = timedelta(seconds=20)
"""A worker that is silent for longer isn't listed as there any more."""
