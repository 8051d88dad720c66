"""Similarity of the attributes within and between contributors, kinds and conditions."""

import altair as alt
import pandas as pd
import streamlit as st

from app.services.attributes.analysis import ContributorComparison, SetComparison, Similarity
from pages.components.compare.compared_names import Names
from pages.components.compare.embedding_choice import embedding_words
from pages.components.shell.csv_download import csv_download
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.picture import picture
from pages.components.shell.words import plain

MEASURES = {
    "ROUGE-L": "Shared words in the same order: 1 is the same wording, 0 no word in common. Mean over pairs.",
    "Jaccard": "Shared words out of all words of the two, whatever their order. Mean over pairs.",
    "Cosine": "Closeness in meaning as the embedding sees it: 1 is the same direction, 0 unrelated. Mean over pairs.",
}
SEEN = {"ROUGE-L": "Wording (ROUGE-L)", "Jaccard": "Shared words (Jaccard)", "Cosine": "Meaning (cosine)"}
FIELDS = {"ROUGE-L": "rouge_l", "Jaccard": "jaccard", "Cosine": "cosine"}
BETWEEN = {"kinds": "People and LLMs", "contributors": "Contributors", "conditions": "Conditions"}
CELL_WIDTH, CELL_HEIGHT, NARROWEST = 150, 52, 44
GRID_WIDTH = 720  # pixels, with which names left and above fit beside the navigation on a screen of 1,440
SLANTED = 120  # pixels: above narrower cells names stand aslant


def set_similarity(sets: ContributorComparison, names: Names) -> None:
    left, right = st.columns(2)
    by = left.segmented_control(
        "Sets",
        list(BETWEEN),
        format_func=BETWEEN.__getitem__,
        default="contributors",
        required=True,
        key="similarity_sets",
        help="Conditions are the sets a checklist can be built from: everybody, all people, all LLMs, each alone.",
    )
    measure = right.segmented_control(
        "Measure",
        list(MEASURES),
        format_func=SEEN.__getitem__,
        default="ROUGE-L",
        required=True,
        key="similarity_measure",
        help=_all_measures() + more_in_guide("likeness"),
    )
    assert by is not None  # required
    assert measure is not None
    found: SetComparison = getattr(sets, by)
    shown = {code: _name(by, code, names) for code in found.within}
    picture(
        _grid(found, shown, measure),
        "similarity",
        f"similarity_{by}",
        "On the diagonal the mean over pairs within a set, elsewhere over pairs between two. The lower a set's own "
        "value, the more diverse it is.",
        own_width=True,
    )
    rows = similarity_rows(found, shown)
    st.dataframe(
        rows,
        placeholder="–",
        hide_index=True,
        key="similarity_table",
        column_config={
            **{
                name: st.column_config.NumberColumn(format="%.3f", help=explained)
                for name, explained in MEASURES.items()
            },
            "Pairs": st.column_config.NumberColumn(format="localized", help="How many pairs the means run over."),
        },
    )
    csv_download("Similarity (CSV)", rows.assign(embedding=found.embedding, tokens=found.tokens), "similarity")
    reasons = [f"{shown[code]}: {value.reason}" for code, value in found.within.items() if value.reason]
    st.caption(
        plain(
            " ".join(
                [
                    f"Cosine from {embedding_words(found.embedding)}; words as {found.tokens} makes them.",
                    *found.notes,
                    *reasons,
                ]
            )
        )
    )


def similarity_rows(found: SetComparison, shown: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"Set": shown[a], "and": shown[b] if a != b else "itself", "Attributes": _sizes(found, a, b), **_row(value)}
            for a, b, value in _cells(found)
        ]
    )


def _cells(found: SetComparison) -> list[tuple[str, str, Similarity]]:
    within = [(code, code, value) for code, value in found.within.items()]
    return within + [(a, b, value) for (a, b), value in found.between.items()]


def _sizes(found: SetComparison, a: str, b: str) -> str:
    return str(found.sizes[a]) if a == b else f"{found.sizes[a]} and {found.sizes[b]}"


def _row(value: Similarity) -> dict[str, object]:
    return {"Pairs": value.pairs, "ROUGE-L": value.rouge_l, "Jaccard": value.jaccard, "Cosine": value.cosine}


def _grid(found: SetComparison, shown: dict[str, str], measure: str) -> alt.LayerChart | alt.FacetChart:
    cells = _cells(found)
    both = cells + [(b, a, value) for a, b, value in cells if a != b]
    field = FIELDS[measure]
    data = pd.DataFrame(
        [
            {
                "first": shown[a],
                "second": shown[b],
                "value": getattr(value, field),
                "label": "none" if getattr(value, field) is None else f"{getattr(value, field):.2f}",
                "pairs": value.pairs,
                "attributes": _sizes(found, a, b),
            }
            for a, b, value in both
        ]
    )
    order = list(shown.values())
    width = min(CELL_WIDTH, max(NARROWEST, GRID_WIDTH // max(1, len(order))))
    axis = alt.Axis(
        labelLimit=180 if width < SLANTED else width - 8,
        labelAngle=-45 if width < SLANTED else 0,
        labelAlign="left" if width < SLANTED else "center",
        labelOverlap=False,
        labelFlush=False,
        orient="top",
        domain=False,
        ticks=False,
    )
    base = alt.Chart(data).encode(
        x=alt.X("second:N", sort=order, title=None, axis=axis),
        y=alt.Y(
            "first:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=220, labelFlush=False, domain=False, ticks=False),
        ),
        tooltip=[
            alt.Tooltip("first:N", title="Set"),
            alt.Tooltip("second:N", title="and"),
            alt.Tooltip("value:Q", title=measure, format=".3f"),
            alt.Tooltip("pairs:Q", title="Mean over pairs", format=","),
            alt.Tooltip("attributes:N", title="Attributes"),
        ],
    )
    known = [value for _, _, cell in cells if (value := getattr(cell, field)) is not None] or [0.0, 1.0]
    lowest, highest = min(known), max(known)
    filled = base.mark_rect(stroke="#8a93a0", strokeWidth=0.5).encode(
        color=alt.Color(
            "value:Q",
            title=measure,
            scale=alt.Scale(range=["#e8f0f9", "#0b559f"], domain=[lowest, max(highest, lowest + 0.01)]),
            legend=None,
        )
    )
    middle = (lowest + highest) / 2
    label = base.mark_text(fontSize=13).encode(
        text="label:N",
        color=alt.condition(f"datum.value > {middle}", alt.value("#ffffff"), alt.value("#1c2430")),
    )
    return alt.layer(filled, label).properties(width=width * len(order), height=CELL_HEIGHT * len(order))


def _name(by: str, code: str, names: Names) -> str:
    if by == "kinds":
        return names.kind_title(code)
    return names.condition(code) if by == "conditions" else names.contributor(code)


def _all_measures() -> str:
    return "\n\n".join(f"**{name}**: {explained}" for name, explained in MEASURES.items())
