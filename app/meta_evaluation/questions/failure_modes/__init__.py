"""Rubric X-ray: evidence in a project's answers that a question has one of RIFT's eight failure modes (2604.01375)."""
