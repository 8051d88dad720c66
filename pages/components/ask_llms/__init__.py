"""Ask LLMs: which models think aloud, and what they said."""
