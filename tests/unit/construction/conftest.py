"""Six attributes with ids unlike the numbers they get in prompts, and a context to work in."""

import pytest

from app.construction.stage import StageContext
from app.domain.attribute import Attribute, ContributorKind
from app.domain.project import Dimension, Task

TEXTS = (
    "Facts come in order.",
    "Events follow each other in time.",
    "Sentences are linked.",
    "Pronouns point to something.",
    "It reads well.",
    "Facts come in a good order.",
)


@pytest.fixture
def attributes() -> list[Attribute]:
    return [
        Attribute("coherence", "Ada", ContributorKind.HUMAN, text, id=100 + number)
        for number, text in enumerate(TEXTS, start=1)
    ]


@pytest.fixture
def context() -> StageContext:
    return StageContext(Task("summary", "article"), Dimension("coherence", "Hangs together."))
