"""Thinking aloud: samples, experts by hand and by voice, LLMs, and who sees which attributes when."""
