"""Where the guide explains what the help on a screen has no room for: choices, figures, and the stages of a build."""

from collections.abc import Mapping

from app.domain.build import Stage
from pages.components.shell.guide.link import guide_link

EXPLAINED: Mapping[str, str] = {
    "levels": "researchers.html#levels",
    "intervals": "researchers.html#intervals",
    "draws": "researchers.html#draws",
    "methods": "methods.html",
    "verdict": "facilitators.html#read-the-verdict",
    "correlation": "figures.html#correlation",
    "coverage": "figures.html#coverage",
    "ceiling": "figures.html#what-one-person-reaches",
    "alpha": "figures.html#alpha",
    "kappa": "figures.html#kappa",
    "alt-test": "figures.html#the-alternative-annotator-test",
    "corrected": "figures.html#corrected-shares",
    "panel": "figures.html#several-judges",
    "difference": "figures.html#differences",
    "discrimination": "figures.html#what-a-question-tells",
    "weights": "figures.html#weights",
    "quotes": "figures.html#quotes",
    "drift": "figures.html#drift",
    "asking": "figures.html#one-call-or-one-each",
    "cost": "figures.html#quality-against-cost",
    "writers": "figures.html#texts-by-people-and-by-llms",
    "conditions": "researchers.html#whose-attributes",
    "overlap": "figures.html#attribute-overlap",
    "likeness": "figures.html#likeness",
    "contribution": "figures.html#whose-attributes-reached-the-checklist",
    "spread": "figures.html#the-spread-over-topics",
    "trust": "figures.html#how-far-topics-can-be-trusted",
    "batches": "facilitators.html#batches",
    "disagreements": "facilitators.html#settle-what-people-and-judges-see-differently",
}
OF_STAGES: Mapping[Stage, str] = {
    Stage.COMPONENTS: "facilitators.html#components",
    Stage.CLUSTERS: "facilitators.html#clusters",
    Stage.KEY_QUESTIONS: "facilitators.html#key-questions",
    Stage.SUB_QUESTIONS: "facilitators.html#sub-questions",
    Stage.VALIDATION: "facilitators.html#validation",
}


def more_in_guide(topic: str) -> str:
    """A link behind the help of a field or of a figure."""
    return f"\n\n{guide_link(EXPLAINED[topic])}"


def more_on_stage(stage: Stage) -> str:
    return guide_link(OF_STAGES[stage])
