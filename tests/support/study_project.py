"""A project in which two people and two models have thought aloud about texts whose order is known."""

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Project, Rating, Task, Text
from app.services.attributes.attributes import add_attributes
from app.services.runtime.workbench import Workbench

SAID = {
    ("Ana", ContributorKind.HUMAN): ["Sentences follow each other in a sensible order.", "It has a beginning."],
    ("Ben", ContributorKind.HUMAN): ["Nothing is repeated needlessly.", "It ends with a conclusion."],
    ("model-a", ContributorKind.LLM): ["Ideas connect logically.", "Transitions are smooth."],
    ("model-b", ContributorKind.LLM): ["The topic stays the same throughout.", "Pronouns refer clearly."],
}
TEXTS = {
    4.5: "The ferry leaves at nine. Then it crosses the bay. After that it reaches the island, and so the trip ends.",
    3.0: "The ferry leaves at nine. It is blue. Cats are nice. The ferry leaves at nine.",
    1.5: "ferry ferry ferry and and the the the. ferry ferry and the.",
}


def ferry_project(workbench: Workbench, documents: int = 6) -> Project:
    """Project “P”: so many documents with three texts each, rated 4.5, 3 and 1.5 on coherence."""
    with workbench.database.write() as work:
        made = work.projects.add("P", Task("summary", "article"))
        dimension = work.projects.add_dimension(made.id, Dimension("coherence", "How the parts fit together."))
        texts = [
            Text(f"d{n}", f"{body} Number {n}.", f"s{rating}", source=f"About the ferry {n}.")
            for n in range(documents)
            for rating, body in TEXTS.items()
        ]
        work.texts.add_many(made.id, texts)
        ids = work.texts.ids_by_key(made.id)
        work.texts.add_ratings(
            [(ids[t.key], dimension.id, Rating("coherence", "r", float(t.system_id[1:]))) for t in texts]
        )
    for (name, kind), said in SAID.items():
        add_attributes(workbench, dimension.id, name, kind, said)
    return made
