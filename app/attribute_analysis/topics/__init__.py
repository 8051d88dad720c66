"""Topics of attributes: two models, how stable each is, and how evenly people and LLMs speak about them."""
