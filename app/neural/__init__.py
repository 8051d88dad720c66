"""Language models that run on this computer: loading, batching, vectors and probabilities of tokens; no generation."""
