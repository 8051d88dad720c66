"""The four make-believe writers of the sample's summaries and how each goes wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.corpora.demo_data.degradations import Degradation

STRONG = (0.5, 0.75, 1.0)
WEAK = (0.0, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class Habits:
    """`main` degradations occur in every text of the system, `side` ones weakly and not in every text."""

    main: tuple[Degradation, ...] = ()
    side: tuple[Degradation, ...] = ()


# Every dimension suffers from the main habit of one system and a side habit of another, so the ratings of each
# dimension differ within each source, and no system is bad at everything.
SYSTEMS: Mapping[str, Habits] = {
    "careful": Habits(),
    "hasty": Habits(main=(Degradation.BROKEN, Degradation.SHUFFLED), side=(Degradation.TRIVIA,)),
    "inventive": Habits(main=(Degradation.INVENTED,), side=(Degradation.BROKEN, Degradation.SHUFFLED)),
    "rambling": Habits(
        main=(Degradation.TRIVIA, Degradation.REPEATED), side=(Degradation.SHUFFLED, Degradation.INVENTED)
    ),
}


def draw_strengths(habits: Habits, rng: np.random.Generator) -> dict[Degradation, float]:
    """The strengths (0..1) with which a system goes wrong in one text."""
    strengths = {kind: float(rng.choice(STRONG)) for kind in habits.main}
    return strengths | {kind: float(rng.choice(WEAK)) for kind in habits.side}
