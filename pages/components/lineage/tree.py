"""The lineage to click through: from a component to its questions and the attributes behind them, and back."""

import pandas as pd
import streamlit as st

from app.domain.checklist import Question
from app.services.checklists.lineage import Branch, LineageView, Unserved
from pages.components.shell.checklists.build_words import ORIGINS, STAGE_NAMES
from pages.components.shell.contributor_words import said_by
from pages.components.shell.words import model_label, number, plain

WITHOUT_COMPONENT = "Without a component"


def forward(view: LineageView) -> None:
    """Component -> key question -> question -> attributes -> contributors."""
    for branch in view.lineage.branches:
        name = branch.component.name or WITHOUT_COMPONENT
        label = f"{plain(name)} · {number(len(branch.questions), 'question')}"
        with st.expander(label, key=f"branch_{branch.component.position}_{len(name)}"):
            _branch(view, branch)


def _branch(view: LineageView, branch: Branch) -> None:
    if branch.key_question:
        st.markdown(f"Key question: {plain(branch.key_question)}")
    numbers = view.numbers
    for question in branch.questions:
        decided = view.decisions.get(question.id)
        rests = f" :gray[worded from {number(decided, 'decision')}]" if decided else ""
        st.markdown(f"**{numbers[question.id]} {plain(question.text)}**{_origin(question)}{rests}")
        behind = [view.attributes[id_] for id_ in question.attributes if id_ in view.attributes]
        if behind:
            st.markdown(
                "\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]{_also(view, a.id, question)}" for a in behind)
            )
        else:
            st.caption("No attribute is behind it.")


def _origin(question: Question) -> str:
    said = ORIGINS[question.origin]
    return f" :gray[{said}]" if said else ""


def _also(view: LineageView, attribute: int, question: Question) -> str:
    others = [view.numbers[id_] for id_ in view.lineage.serving.get(attribute, ()) if id_ != question.id]
    return f" :gray[also behind {', '.join(map(str, others))}]" if others else ""


def back(view: LineageView) -> None:
    """Contributor -> attributes -> components and questions."""
    names = list(view.reaches)
    if not names:
        st.markdown("No attribute is on record for this checklist.")
        return
    chosen = st.segmented_control(
        "Contributor", names, format_func=model_label, default=names[0], required=True, key="lineage_contributor"
    )
    name = chosen or names[0]
    reach = view.reaches[name]
    st.markdown(
        f"{number(reach.given, 'attribute')}, {reach.reached} behind {number(reach.questions, 'question')}, "
        f"{reach.dropped} left out on the way."
    )
    under = {id_: b.component.name for b in view.lineage.branches for id_ in b.component.attributes}
    dropped = {d.attribute for d in view.checklist.dropped}
    own = [
        a
        for a in view.attributes.values()
        if a.contributor == name and a.id in {*under, *dropped, *view.lineage.serving}
    ]
    rows = [
        {
            "Attribute": a.text,
            "Component": under.get(a.id, "left out"),
            "Questions": ", ".join(str(view.numbers[id_]) for id_ in view.lineage.serving.get(a.id, ())) or "none",
        }
        for a in own
    ]
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key=f"lineage_of_{name}")


def unserved(view: LineageView) -> None:
    """Attributes that no question serves, with the stage and the reason."""
    left = [one for one in view.lineage.unserved if one.attribute in view.attributes]
    if not left:
        st.markdown("Every attribute is behind a question.")
        return
    rows = [
        {
            "Attribute": view.attributes[one.attribute].text,
            "Said by": model_label(view.attributes[one.attribute].contributor),
            "Where it ended": _ended(one),
            "Reason": one.reason,
        }
        for one in left
    ]
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key="lineage_unserved")


def _ended(one: Unserved) -> str:
    if one.stage:
        return f"left out: {STAGE_NAMES.get(one.stage, one.stage)}"
    return f"under {one.component}, behind no question" if one.component else "not in this checklist: it came later"
