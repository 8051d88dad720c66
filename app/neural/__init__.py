"""Language models that run on this computer: loaded, batched, asked for vectors and probabilities, never for prose."""
