"""Methods with a neural network of their own, or with the probabilities of a language model on this computer."""
