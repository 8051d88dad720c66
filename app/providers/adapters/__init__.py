"""Adapters: one file a vendor or kind of model, and what they share in calling and in reading replies."""
