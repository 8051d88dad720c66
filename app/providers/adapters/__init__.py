"""Adapters: one file for each vendor or kind of model, and shared code for calls and replies."""
