"""People and LLMs compared: how alike their attributes are, and what each of them speaks about."""

import pandas as pd
import streamlit as st

from app.errors import WorkbenchError
from app.services.analysis import SetComparison, SetsCompared, Similarity, similarity_of, topics_of
from app.services.workbench import Workbench
from pages.components.topics import topics
from pages.components.words import model_label, plain, show_error

MEASURES = {
    "ROUGE-L": "Shared words in the same order: 1 = the same wording, 0 = no word in common. Mean over pairs.",
    "Jaccard": "Shared words out of all words of the two, whatever their order. Mean over pairs.",
    "Cosine": "Closeness of meaning, as far as words that occur together tell it. Mean over pairs.",
}


def compared(workbench: Workbench, project_id: int, dimension_id: int, llms: str) -> None:
    """`llms`: what to call those that are not people."""
    try:
        with st.spinner("Comparing the attributes and fitting topics from several random starts"):
            sets = similarity_of(workbench, project_id, dimension_id)
            found = topics_of(workbench, project_id, dimension_id)
    except WorkbenchError as error:
        show_error(error)
        return
    st.subheader("What the attributes are about", anchor=False)
    topics(found, dimension_id, llms)
    st.subheader("How alike the attributes are", anchor=False)
    _similarity(sets, llms)


def _similarity(sets: SetsCompared, llms: str) -> None:
    names = {"human": "people", "llm": llms}
    st.markdown(plain(_in_words(sets.kinds, names)))
    rows = _rows(sets.kinds, names)
    # Where only one person or LLM spoke, their row is the kind's row over again.
    rows += [row for row in _rows(sets.contributors, {}) if _values(row) not in map(_values, rows)]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="similarity",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f", help=explained) for name, explained in MEASURES.items()
        },
    )
    notes = [*sets.kinds.notes, f"Cosine of {sets.kinds.embedding}."]
    st.caption(plain(" ".join(dict.fromkeys(notes))))


def _in_words(kinds: SetComparison, names: dict[str, str]) -> str:
    within = {names[name]: value.rouge_l for name, value in kinds.within.items() if value.rouge_l is not None}
    across = [value.rouge_l for value in kinds.between.values() if value.rouge_l is not None]
    how = "A set whose attributes are less alike is more diverse."
    if len(within) < 2 or not across:
        return f"{how} With people and LLMs both, their sets can be compared."
    said = "; ".join(f"within {name} {value:.2f}" for name, value in within.items())
    return f"Likeness of wording (ROUGE-L): {said}; between the two {across[0]:.2f}. {how}"


def _rows(found: SetComparison, names: dict[str, str]) -> list[dict[str, object]]:
    def name(code: str) -> str:
        return names.get(code) or model_label(code)

    within = [
        {"Within or between": f"within {name(code)}", "Attributes": str(found.sizes[code]), **_measures(value)}
        for code, value in found.within.items()
    ]
    between = [
        {
            "Within or between": f"between {name(a)} and {name(b)}",
            "Attributes": f"{found.sizes[a]} and {found.sizes[b]}",
            **_measures(value),
        }
        for (a, b), value in found.between.items()
    ]
    return within + between


def _measures(value: Similarity) -> dict[str, object]:
    return {"Pairs": value.pairs, "ROUGE-L": value.rouge_l, "Jaccard": value.jaccard, "Cosine": value.cosine}


def _values(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(row.values())[1:]
