"""The comparison in five numbers, none of which depends on a random start."""

import streamlit as st

from app.services.attributes.analysis import ContributorComparison, UniqueAttributes
from pages.components.compare.compared_names import Names
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.words import plain

ROUGE = (
    "The mean ROUGE-L of all pairs: how much of the two wordings is the same words in the same order. "
    "1 is the same wording, 0 no word in common."
) + more_in_guide("likeness")


def comparison_summary(sets: ContributorComparison, found: UniqueAttributes, names: Names) -> None:
    """Only what the same attributes always give; topics depend on random starts and come with their own verdict."""
    kinds = list(sets.kinds.within)
    if len(kinds) < 2:
        only = names.kind(kinds[0]) if kinds else "nobody"
        st.markdown(plain(f"Only {only} have said something so far, so there is no other side to compare with."))
        return
    threshold = found.kinds.threshold
    places = iter(st.columns(5))
    for kind in kinds:
        alone, size = len(found.kinds.unique[kind]), sets.kinds.sizes[kind]
        others = names.kind("llm" if kind == "human" else "human")
        next(places).metric(
            f"Only {names.short_kind(kind)} noticed",
            f"{alone} of {size}",
            help=plain(
                f"Attributes of {names.kind(kind)} for which {others} said nothing with a cosine of {threshold:.2f} or "
                "more. The threshold can be moved under “Who notices what”."
            )
            + more_in_guide("overlap"),
        )
    for kind in kinds:
        next(places).metric(
            f"Alike within {names.short_kind(kind)}",
            _shown(sets.kinds.within[kind].rouge_l),
            help=ROUGE,
        )
    (across,) = sets.kinds.between.values()
    next(places).metric("Alike between the two", _shown(across.rouge_l), help=ROUGE)
    st.markdown(_reading(sets))


def _reading(sets: ContributorComparison) -> str:
    """What the likenesses can't say: they are means over pairs of these very attributes, without an interval."""
    if any(within.rouge_l is None for within in sets.kinds.within.values()):
        return "A set of one attribute has no likeness within."
    return (
        "The likenesses describe the attributes written here. Which side varies its wording more in general can't be "
        "told from them: other people and other LLMs would write others."
    )


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
