"""Script of what a component of ours has to tell the server, sent again until the server confirms it."""

from pathlib import Path

OUTBOX = Path(__file__).with_name("outbox.js").read_text(encoding="utf-8")
