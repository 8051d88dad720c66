"""Embeddings: texts to vectors at a vendor or from a folder on this machine."""
