"""Agreement of experts and judge, question by question: ambiguous ones, and those at which the judge fails."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.checklists.expert_answers import answer_sheet
from app.services.results.question_analysis import FEWEST_TEXTS, AskedOfExperts, QuestionAgreement, asked_of_experts
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.results.questions.judge_differences import judge_differences
from pages.components.results.questions.judge_worth import judge_worth, rest_on_decisions
from pages.components.results.questions.several_judges import several_judges
from pages.components.shell.expert import current_expert
from pages.components.shell.guide import more_in_guide
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import csv_download
from pages.components.shell.words import plain

HELP = (
    "Little agreement among experts: the question is ambiguous, and no judge can get it right. Much agreement among "
    "experts and little with the judge: the judge fails at it. .6 is commonly called substantial agreement. A verdict "
    f"needs {FEWEST_TEXTS} texts. These are hints: nothing is changed by itself."
)
VERDICTS = {
    "fine": "Fine",
    "ambiguous question": "Ambiguous",
    "judge fails": "Judge fails",
    "can't be told": "Can't be told",
}
ROW_HEIGHT = 64  # room for a question in three lines
COLUMNS = {
    "Texts": st.column_config.NumberColumn(width=50, help="Drawn texts with the answers of two experts or more."),
    "Texts with judge": st.column_config.NumberColumn(
        "With judge", width=75, help="Those of them that the judge answered on and experts are not split on."
    ),
    "Why": st.column_config.TextColumn(width=230),
    "Question": st.column_config.TextColumn(width=230),
    "Verdict": st.column_config.TextColumn(
        width=85,
        help="Ambiguous: experts don't agree among themselves. Judge fails: experts agree, the judge doesn't.",
    ),
    "Experts (alpha)": st.column_config.TextColumn(
        width=145,
        help="Krippendorff's alpha of the experts' yes and no, with its 95 % interval. 1 is perfect, 0 is chance.",
    ),
    "Fleiss' kappa": st.column_config.NumberColumn(
        format="%.2f", width=80, help="As alpha, over the texts that the most experts answered."
    ),
    "Judge (Cohen's kappa)": st.column_config.TextColumn(
        width=150,
        help="The judge with what was decided on Disagreements, else with what most experts say, without texts on "
        "which they are split. In brackets: 95 % interval.",
    ),
}


def expert_agreement(workbench: Workbench, project: Project, result: DimensionResult) -> None:
    st.markdown("**Experts and judge, question by question**", help=HELP + more_in_guide("kappa"))
    found = asked_of_experts(workbench, result)
    if found is None:
        st.markdown(
            "No expert has answered the questions of this checklist yet. Their answers show which are ambiguous; "
            f"that takes {FEWEST_TEXTS} texts or more. Decisions alone are no measure: they were made where somebody "
            "parted."
        )
        link("answer", "Let experts answer")
        judge_differences(workbench, project, result)
        return
    if _still_answering(workbench, found):
        st.markdown("What the others answered opens here when you have answered all your texts.")
        return
    table = pd.DataFrame([_row(question.text, agreement) for question, agreement in found.questions])
    st.dataframe(
        table if table["Why"].any() else table.drop(columns="Why"),
        hide_index=True,
        placeholder="–",
        height="content",
        row_height=ROW_HEIGHT,
        key="expert_agreement",
        column_config=COLUMNS,
    )
    st.caption(
        plain(
            f"{len(found.experts)} experts ({', '.join(found.experts)}) on {found.texts:,} drawn texts; the judge "
            f"answered on {found.judged:,} of them.{rest_on_decisions(found.decided)}"
        )
    )
    if found.carried and found.carried.answers:
        st.caption(f"Experts: {found.carried}")
    csv_download("Experts and judge (CSV)", table, "experts_and_judge")
    link("disagreements", "Decide where they part")
    _applicability(found)
    judge_worth(workbench, result)
    judge_differences(workbench, project, result)
    several_judges(workbench, project.id, result)


def _applicability(found: AskedOfExperts) -> None:
    """Agreement on whether questions apply; nothing where they all always do."""
    if not found.applicability:
        return
    st.markdown(
        "**Do experts and judge agree on what does not apply?**",
        help="“Does not apply” against yes and no together. In the table above those answers are left out."
        + more_in_guide("alpha"),
    )
    table = pd.DataFrame(
        [
            {
                "Question": question.text,
                "Experts say it": _how_often(one.people_share, one.people_n, "answers"),
                "Judge says it": _how_often(one.judge_share, one.judge_n, "texts"),
                "Experts (alpha)": interval(one.people.value, one.people.low, one.people.high),
                "Judge (Cohen's kappa)": interval(one.judge.value, one.judge.low, one.judge.high),
                "Why": " ".join(dict.fromkeys(why for why in (one.people.reason, one.judge.reason) if why)),
            }
            for question, one in found.applicability
        ]
    )
    st.dataframe(table, hide_index=True, placeholder="–", height="content", key="applicability")
    csv_download("Does not apply (CSV)", table, "does_not_apply")


def _how_often(share: float | None, of: int, what: str) -> str | None:
    return None if share is None else f"{share:.0%} of {of:,} {what}".replace("%", " %")


def _still_answering(workbench: Workbench, found: AskedOfExperts) -> bool:
    expert = current_expert()
    if not expert or not found.questions:
        return False
    sheet = answer_sheet(workbench, found.checklist, expert)
    return sheet.done < len(sheet.texts)


def _row(question: str, agreement: QuestionAgreement) -> dict[str, object]:
    people, judge = agreement.people, agreement.judge
    return {
        "Question": question,
        "Verdict": VERDICTS[agreement.verdict],
        "Experts (alpha)": interval(people.value, people.low, people.high),
        "Judge (Cohen's kappa)": interval(judge.value, judge.low, judge.high),
        "Fleiss' kappa": agreement.fleiss.value,
        "Texts": people.n,
        "Texts with judge": judge.n,
        "Why": " ".join(dict.fromkeys(why for why in (agreement.too_few, people.reason, judge.reason) if why)),
    }
