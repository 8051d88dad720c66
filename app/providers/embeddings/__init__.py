"""Embeddings: vectors of texts from a vendor or from a model's folder on this computer."""
