"""Thinking aloud: the samples that assessors read, and what LLMs say while reading them."""
