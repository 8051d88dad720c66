"""Thinking aloud: choosing samples, asking models for attributes, and finding attributes in transcripts."""
