"""Enough? For facilitators: how much of what experts would say is there, and what one more expert would add."""

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import NEUTRAL, PERSON
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.services.attributes.checklist_coverage import (
    ChecklistCoverage,
    begin_judging_coverage,
    checklist_coverage,
    coverage_job_key,
    forecast_coverage,
    stop_judging_coverage,
)
from app.services.attributes.comparison import OtherExpertsCoverage, ThemeCoverage, attribute_coverage
from app.services.attributes.embedding_choice import LSA, LSA_NAME, open_embedding, usual_embedding
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.last_models import last_model
from pages.components.shell.background import watch
from pages.components.shell.labels import ShownErrors, about, more_in_guide, number, plain, show_saved_error
from pages.components.shell.runs.model_options import chosen_model, model_choice
from pages.components.shell.tables import Chart, picture, show_table

ORDER, AVERAGE = "in the order they came", "average over all orders"
COVERAGE_HELP = (
    "Of what one more expert like these would say, the share that somebody has said already, with its 95 % interval. "
    "It is estimated from how many themes only one expert has (Good-Turing; Chao and Jost 2012)."
)
UNSEEN_HELP = "How many themes experts like these would name that nobody has named yet, at least (Chao2)."
LIMITS = (
    "What this doesn't say: whether the themes matter, whether other kinds of experts would see others, and whether a "
    "checklist asks for them all. Themes are groups of attributes formed by {embedding}, not by anybody's "
    "judgment; merging attributes that say the same on Attributes makes them better. With few experts the interval is "
    "wide, and that is the answer."
)
CHECKLIST_HELP = (
    "Questions that only this expert's attributes led to are taken out; of the expert's attributes, the share that a "
    "question that stays comes near. It stands for a checklist made without them: none is built. A model can be asked "
    "to judge it too."
)
LEFT_OUT_HELP = (
    "For each expert: the share of their attributes to which somebody else said something like it. It stands for what "
    "a checklist made without them would miss. Closeness of wording is measured; no checklist is built, nobody asked."
)


CALIBRATED_MODEL = "all-MiniLM-L6-v2"
"""The sentence model for which the limit was calibrated: guide, Figures, Themes and what is left."""


def enough(workbench: Workbench, project: Project, dimension: Dimension) -> None:
    """Draw the figures, folded until opened, as a sentence model takes seconds to load. Only facilitators see them.

    Numbers only: a facilitator who thinks aloud too reads nobody's words here.
    """
    if not may(workbench, Right.FACILITATE, project_id=project.id):
        return
    unfolded = st.expander("Enough?", key="enough", on_change="rerun", icon=":material/query_stats:")
    if not unfolded.open:
        return
    with unfolded, ShownErrors():
        with st.spinner("Looking for attributes that say the same"):
            embedding = open_embedding(usual_embedding(), workbench.credentials)
            found = attribute_coverage(workbench, project.id, dimension.id, embedding)
            checklist = checklist_coverage(workbench, project.id, dimension.id, embedding)
        _figures(found)
        if len(found.in_order) > 1:
            _accumulation(found, dimension.id)
        _left_out(found)
        if checklist is not None:
            _by_checklist(checklist, found.people)
            _ask_a_model(workbench, project, dimension)
        model = "word statistics" if embedding.name == LSA_NAME else "a sentence model"
        st.caption(LIMITS.format(embedding=model))


def _figures(found: ThemeCoverage) -> None:
    with st.container(horizontal=True, gap="large", key="enough_figures"):
        st.metric(
            "Themes",
            f"{found.themes:,}",
            help=f"Groups of the {number(found.attributes, 'attribute')} that say the same." + more_in_guide("enough"),
            width="content",
        )
        if found.coverage is not None:
            value, low, high = (
                f"{100 * one:.0f}" for one in (found.coverage.value, found.coverage.low, found.coverage.high)
            )
            st.metric("Covered", f"{value} % ({low} to {high})", help=COVERAGE_HELP, width="content")
            st.metric("Not seen yet", f"{found.unseen_themes:,.0f} or more", help=UNSEEN_HELP, width="content")
    st.markdown(plain(" ".join(_sentences(found))))


def _sentences(found: ThemeCoverage) -> list[str]:
    whom = "expert" if found.people else "contributor"
    if found.next_expert is None:
        said = ["What one more expert would add can be estimated once two have said something."]
    else:
        said = [f"One more {whom} would add about {_rounded(found.next_expert)}."]
    last = number(found.last_attributes, "attribute")
    said.append(f"The last {last} brought {_new(found.last_attributes_added)}.")
    if len(found.in_order) > 1:
        said.append(f"{model_label(found.last_expert)}, the last {whom}, brought {_new(found.last_expert_added)}.")
    if found.otherwise:
        low, high = (f"{100 * each:.0f}" for each in found.otherwise)
        same = f"{low} %" if low == high else f"{low} to {high} %"
        said.append(f"With themes formed a quarter looser or stricter, {same} would be covered.")
    return said


def _new(themes: int) -> str:
    return number(themes, "new theme") if themes else "no new theme"


def _rounded(themes: float) -> str:
    """Return a number of themes, below ten with one decimal, as halves matter there."""
    shown = f"{themes:.0f}" if themes >= 10 else f"{themes:.1f}"
    return f"{shown} new themes"


def _accumulation(found: ThemeCoverage, dimension_id: int) -> None:
    caption = (
        "Themes found, by how many contributors were heard. A line that flattens says that there is little left. "
        "Dashed: one more, estimated."
    )
    picture(_chart(found), "Themes by contributors heard", "themes", f"enough_{dimension_id}", caption)


def _chart(found: ThemeCoverage) -> Chart:
    rows = [
        (place, float(one.themes), ORDER, model_label(one.contributor)) for place, one in enumerate(found.in_order, 1)
    ]
    rows += [(place, themes, AVERAGE, f"any {place}") for place, themes in enumerate(found.expected, 1)]
    base = alt.Chart(pd.DataFrame(rows, columns=["heard", "themes", "line", "who"])).encode(
        x=alt.X("heard:Q", title="Contributors heard", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("themes:Q", title="Themes", scale=alt.Scale(zero=True)),
        tooltip=[
            alt.Tooltip("who:N", title="Who"),
            alt.Tooltip("heard:Q", title="Contributors heard"),
            alt.Tooltip("themes:Q", title="Themes", format=".1f"),
        ],
    )
    kinds = alt.Scale(domain=[ORDER, AVERAGE], range=[PERSON, NEUTRAL])
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0, columns=1)
    lines = [base.mark_line(point=alt.OverlayMarkDef(size=60)).encode(alt.Color("line:N", scale=kinds, legend=legend))]
    if found.next_expert is not None:
        so_far = len(found.in_order)
        ahead = [
            (so_far, found.themes, "all so far"),
            (so_far + 1, found.themes + found.next_expert, "one more, estimated"),
        ]
        data = pd.DataFrame(ahead, columns=["heard", "themes", "who"])
        lines.append(
            base.properties(data=data).mark_line(
                strokeDash=[4, 4], color=NEUTRAL, point=alt.OverlayMarkDef(color=NEUTRAL)
            )
        )
    chart: Chart = alt.layer(*lines).properties(height=330)
    return chart


def _left_out(found: ThemeCoverage) -> None:
    if not found.leave_one_out:
        return
    st.markdown("**What the others already have of each**", help=LEFT_OUT_HELP)
    _shares(
        "enough_left_out",
        [
            {
                "Expert" if found.people else "Contributor": model_label(name),
                "Attributes": one.of,
                "Others have": one.covered,
                "Share": _share(one),
            }
            for name, one in found.leave_one_out.items()
        ],
    )


def _by_checklist(found: ChecklistCoverage, people: bool) -> None:
    st.markdown(f"**What version {found.version} covers of each without them**", help=CHECKLIST_HELP)
    _shares(
        "enough_by_checklist",
        [
            {
                "Expert" if people else "Contributor": model_label(name),
                "Questions left": f"{found.left[name]} of {found.questions}",
                "Attributes": one.of,
                "Covered": one.covered,
                "Share": _share(one),
                **({"Model": _share(found.judged[name])} if name in found.judged else {}),
            }
            for name, one in found.experts.items()
        ],
    )
    calibrated = found.embedding == LSA.embedder.name or found.embedding.endswith(CALIBRATED_MODEL)
    limit = "" if calibrated else " This limit was not calibrated for this sentence model."
    said = f"Covered: a cosine of {found.near:g} or more to a question that stays ({found.embedding}).{limit}"
    st.caption(plain(said))
    if found.agreement is not None:
        kappa = "" if found.kappa is None else f" (kappa {found.kappa:.2f})"
        judge = plain(model_label(found.judge))
        st.caption(f"Model: {judge}. Both say the same of {100 * found.agreement:.0f} % of the attributes{kappa}.")


_MODEL, _PROBLEM = "coverage_model", "coverage_problem"


def _ask_a_model(workbench: Workbench, project: Project, dimension: Dimension) -> None:
    """Draw the request to a model, in the background, which questions cover which attributes."""
    if watch(workbench, coverage_job_key(dimension.id)):
        st.button("Stop", key="coverage_stop", on_click=stop_judging_coverage, args=[workbench, dimension.id])
        return
    show_saved_error(_PROBLEM)
    first = last_model(workbench, project.id, "judge")
    purpose = "It says which questions cover which attributes. It isn't told whose they are."
    model = model_choice(workbench, "Second judge", _MODEL, purpose, first=first, offer=False)
    calls = 0
    if model:
        with ShownErrors():
            ahead = forecast_coverage(workbench, project.id, dimension.id, model)
            calls = ahead.calls
            cost = "unknown price" if ahead.cost_usd is None else about(ahead.cost_usd)
            st.caption(f"{number(calls, 'call')}, {cost}." if calls else "It has answered about all of them.")
    args = (workbench, project.id, dimension.id)
    st.button("Ask the model", key="coverage_ask", disabled=not calls, on_click=_begin, args=args)


def _begin(workbench: Workbench, project_id: int, dimension_id: int) -> None:
    with ShownErrors(_PROBLEM):
        begin_judging_coverage(workbench, project_id, dimension_id, chosen_model(_MODEL))


def _share(one: OtherExpertsCoverage) -> str:
    return f"{100 * one.covered / one.of:.0f} % ({100 * one.low:.0f} to {100 * one.high:.0f})"


def _shares(key: str, rows: list[dict[str, str | int]]) -> None:
    show_table(
        rows, key, {"Share": st.column_config.TextColumn(help="In brackets: 95 % interval (Wilson).")}, width="content"
    )
