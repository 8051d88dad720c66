"""Which system scores higher, and what a version of the checklist changed, as experts' answers correct the judge."""

import pandas as pd
import streamlit as st

from app.domain.project import Project, Task
from app.services.results.differences import (
    EstimatedDifference,
    EstimatedFigure,
    SystemMean,
    SystemScores,
    difference_cautions,
    difference_verdict,
    other_versions,
    system_scores,
    version_difference,
)
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.results.questions.judge_worth import READ, READ_HELP
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import WRITER, csv_download, with_writers
from pages.components.shell.words import number, plain

SYSTEMS_HELP = (
    "A judge may like one system's texts better than experts do. Where experts answered all questions about some texts "
    "of a system, they correct its mean score (PPI++). In brackets: 95 % interval."
)
DIFFERENCE_HELP = (
    "Texts about the same source are compared in pairs, so that an easy source favours neither side. An interval that "
    "leaves out 0 shows a difference."
)
VERSIONS_HELP = (
    "The runs with most texts of the same judge with two versions of the checklist, text by text. Another version asks "
    "other questions; only where experts answered both can be said whether the judge or the questions moved the score."
) + more_in_guide("difference")


def judge_differences(workbench: Workbench, project: Project, result: DimensionResult) -> None:
    """Nothing where there is one system and one version."""
    with st.spinner(plain(f"Comparing {project.task.writers_name}")):
        systems = system_scores(workbench, result)
    if systems:
        _systems(systems, project.task)
        _two_systems(systems, project.task)
    _versions(workbench, project.id, result)


def _systems(found: SystemScores, task: Task) -> None:
    heading = plain(f"Mean score of each {task.writer_name}")
    st.markdown(f"**{heading}**", help=SYSTEMS_HELP + more_in_guide("corrected"))
    table = with_writers(pd.DataFrame([_mean(each) for each in found.means]), task)
    columns = {
        "Judge off by": st.column_config.NumberColumn(
            format="%+.2f", help="Above 0 the judge's mean is too high, by the corrected one."
        ),
        "Read": st.column_config.TextColumn(help=READ_HELP),
    }
    shown = table if table["Why"].any() else table.drop(columns="Why")
    st.dataframe(shown, hide_index=True, placeholder="–", key="system_scores", column_config=columns)
    csv_download(f"Mean scores of {task.writers_name} (CSV)", table, "system_scores")


def _mean(each: SystemMean) -> dict[str, object]:
    found = each.estimate
    return {
        WRITER: each.system,
        "Judge alone": _shown(each.judge_only),
        "Experts alone": _shown(found.human_only if found else None),
        "Corrected": _shown(found.corrected if found else None),
        "Judge off by": found.bias if found else None,
        "Experts' texts": f"{each.n_human:,} of {each.n:,}",
        "Read": READ[each.advised],
        "Why": ""
        if found
        else f"Experts answered every question of {number(each.n_human, 'text')}; two are the least.",
    }


def _two_systems(found: SystemScores, task: Task) -> None:
    names = [each.system for each in found.means]
    left, right = st.columns(2)
    a: str = left.selectbox(f"Compare {task.writer_name}", names, key="difference_a")
    others = [name for name in names if name != a]
    b: str = right.selectbox(f"with {task.writer_name}", others, key="difference_b")
    with st.spinner("Comparing the two"):
        apart = found.difference(a, b)
    _difference(apart, "systems", "texts about the same source" if apart.paired else "texts of the smaller side")


def _versions(workbench: Workbench, project_id: int, result: DimensionResult) -> None:
    others = other_versions(workbench, project_id, result)
    if not others:
        return
    st.markdown("**What did the new version of the checklist change?**", help=VERSIONS_HELP)
    names = {f"Version {each.version} (run {each.run.id})": each for each in others}
    chosen: str = st.selectbox(f"Compare version {result.version} with", list(names), key="difference_version")
    with st.spinner("Comparing two versions"):
        found = version_difference(workbench, result, names[chosen])
    if found.difference is None:
        st.markdown(plain(f"The two runs share {number(found.texts, 'text')}; two are the least that can be compared."))
        return
    _difference(found.difference, "versions", "texts scored with both versions")
    if found.missing:
        st.caption(plain(found.missing))


def _difference(found: EstimatedDifference, of: str, texts: str) -> None:
    st.markdown(plain(difference_verdict(found)), help=DIFFERENCE_HELP + more_in_guide("difference"))
    figures = {READ[name]: getattr(found, name) for name in READ}
    table = pd.DataFrame(
        [{f"{found.a} − {found.b}": name, "Mean score": _shown(figure)} for name, figure in figures.items()]
    )
    st.dataframe(table, hide_index=True, placeholder="–", key=f"difference_{of}", width="content")
    basis = f"{found.n:,} {texts}, {found.n_human:,} of them with experts' answers to all questions of both."
    st.caption(plain(" ".join([basis, *difference_cautions(found)])))
    csv_download(f"Difference of two {of} (CSV)", table, f"difference_{of}")


def _shown(figure: EstimatedFigure | None) -> str | None:
    if figure is None or figure.value is None:
        return None
    return interval(figure.value, figure.low, figure.high)
