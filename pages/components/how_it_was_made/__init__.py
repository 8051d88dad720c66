"""Build: the five stages from attributes to a draft, each with its output."""
