"""Rubric X-ray: what a project's own answers show against a question, in RIFT's eight failure modes (2604.01375)."""
