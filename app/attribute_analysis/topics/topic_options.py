"""What can be asked of the topic models: how many topics, and how many random starts."""

from app.errors import InputError

FEWEST_TOPICS, MOST_TOPICS, DEFAULT_TOPICS = 2, 12, 5
"""The paper uses the default."""
FEWEST_SEEDS, MOST_SEEDS, DEFAULT_SEEDS = 1, 200, 20
ATTRIBUTES_PER_TOPIC = 5
"""Our choice: with fewer attributes a topic than this, shares rest on single sentences."""


def check_topics(n_topics: int) -> None:
    """Raise InputError for a number of topics out of range."""
    if not FEWEST_TOPICS <= n_topics <= MOST_TOPICS:
        raise InputError(
            f"{n_topics} topics can't be asked for.", f"Choose a number from {FEWEST_TOPICS} to {MOST_TOPICS}."
        )


def check_seeds(seeds: int) -> None:
    """Raise InputError for a number of random starts out of range."""
    if not FEWEST_SEEDS <= seeds <= MOST_SEEDS:
        raise InputError(
            f"{seeds} random starts can't be asked for.", f"Choose a number from {FEWEST_SEEDS} to {MOST_SEEDS}."
        )


def size_warning(n: int, n_topics: int) -> str:
    """Return a sentence if the set is too small for topics to mean much, else ""."""
    if n >= ATTRIBUTES_PER_TOPIC * n_topics:
        return ""
    return (
        f"The set is too small for topics: {n} attributes for {n_topics} topics, "
        f"fewer than {ATTRIBUTES_PER_TOPIC} each on average. Topics and shares mostly show single sentences here."
    )
