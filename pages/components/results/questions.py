"""Results, Questions: what each question of the checklist contributes."""

from typing import Literal

import pandas as pd
import streamlit as st

from app.domain.model_call import model_label
from app.services.results.contribution import Aspects, aspects_of
from app.services.results.question_analysis import questions_of, repeat_agreement
from app.services.results.result_texts import question_shares, quote_counts
from app.services.results.results import DimensionResult
from app.services.results.rubric_xray import ModeFinding, RubricXray, rubric_xray
from app.services.runtime.workbench import Workbench
from pages.components.results.expert_agreement import expert_agreement, failures
from pages.components.results.question_table import chosen_question, question_facts, question_table, question_weights
from pages.components.results.texts import edit_question
from pages.components.shell.blinding import open_attributes
from pages.components.shell.labels import example_lines, more_in_guide, plain
from pages.components.shell.runs.result_choices import LEVELS, ResultScope
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import show_table


def aspect_tables(workbench: Workbench, result: DimensionResult) -> bool:
    """Draw tables of aspects; return whether there are any."""
    with st.spinner("Looking at each aspect"):
        found = aspects_of(workbench, result)
    if found is None:
        return False
    st.markdown("This method asks no questions: the judge scores related aspects first.")
    show_table(
        [_row(found, number) for number in range(len(found.aspects))],
        "aspects",
        {
            "Spearman": st.column_config.TextColumn(
                help="Of the aspect's scores with people's ratings of the dimension. In brackets its 95 % interval."
            ),
            "With the score": st.column_config.NumberColumn(
                format="%.3f", help="Spearman of the aspect's scores with the score that the method gave in the end."
            ),
        },
    )
    st.caption(f"{LEVELS[found.level]}. Agreement with people of each aspect by itself.")
    if found.pairs:
        st.markdown("**Aspects with each other** (Spearman)")
        names = [aspect.name for aspect in found.aspects]
        cells = {(pair.a, pair.b): pair.spearman for pair in found.pairs}
        rows = [[cells.get((a, b), cells.get((b, a))) for b in names] for a in names]
        st.dataframe(
            pd.DataFrame(rows, index=names, columns=names, dtype=float).round(3), key="aspect_pairs", placeholder="–"
        )
        st.caption("Aspects that always go together say the same twice.")
    return True


def _row(found: Aspects, number: int) -> dict[str, object]:
    aspect = found.aspects[number]
    spearman = aspect.figures["spearman"]
    return {
        "Aspect": aspect.name,
        "Spearman": interval(spearman.value, spearman.low, spearman.high),
        "Kendall tau-b": interval(aspect.figures["kendall"].value),
        "Pearson": interval(aspect.figures["pearson"].value),
        "With the score": aspect.with_score,
        "Texts": aspect.texts,
    }


HELP = (
    "A badge is given only where the figure's whole 95 % interval lies beyond a limit, and says on how many texts it "
    "was measured. No badge is no proof that a question is good: the answers at hand may be too few. The kinds of "
    "faults are those of RIFT, eight ways in which a rubric fails."
)
MODES: dict[str, str] = {
    "misaligned or rigid": "the answers don't mean what people mean",
    "subjective": "people answer it differently",
    "ungrounded": "the text alone doesn't decide it",
    "hackable": "it can be answered yes for something else than quality",
    "redundant": "another question says the same",
    "low signal": "the answers tell texts hardly apart",
    "non-atomic": "it asks several things at once",
    "missing criteria": "something people look for isn't asked",
}
WRONG = ("misaligned or rigid", "subjective", "ungrounded")


def question_findings(found: RubricXray, place: int) -> None:
    """Draw each badge of one question with its evidence and advice."""
    for finding in found.of_question(place):
        st.badge(
            plain(finding.badge),
            icon=":material/search:",
            color=_color(finding),
            help=f"RIFT calls it {finding.mode}: {MODES[finding.mode]}.",
        )
        st.markdown(plain(finding.evidence))
        st.markdown(f"**What to do:** {plain(finding.advice)}")


def missing_criteria(found: RubricXray) -> None:
    """Draw the attributes behind no question, in full, with their contributors."""
    finding = next((each for each in found.findings if each.question is None), None)
    if finding is None:
        return
    with st.expander(f"Missing criteria: {finding.badge}", key="missing_criteria"):
        st.markdown(plain(f"{finding.evidence} {finding.advice}"))
        for each in found.unserved:
            reason = f": {each.reason}" if each.reason else ""
            st.markdown(f"- {plain(each.text)}")
            st.caption(plain(f"{model_label(each.contributor)}; {each.where}{reason}"))


def _color(finding: ModeFinding) -> Literal["gray", "orange", "blue"]:
    if finding.by_wording:
        return "gray"
    return "orange" if finding.mode in WRONG else "blue"


QUOTES_HELP = (
    "Each passage that the judge quotes was looked up in the text and its source. One that isn't there was made up, or "
    "put together. Answers that nothing written decides, such as a No to something absent, need none."
) + more_in_guide("quotes")


def result_questions(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "the checklist's questions")
    result = scope.one("questions")
    if result is None:
        return
    run_id, dimension_id = result.run.id, result.dimension.id
    with st.spinner("Looking at each question"):
        found = questions_of(scope.workbench, result)
        xray = rubric_xray(scope.workbench, result)
    if found is None or xray is None:
        if not aspect_tables(scope.workbench, result):
            st.markdown("This method asks no questions.")
        return
    shares = question_shares(scope.workbench, run_id, dimension_id)
    stability = repeat_agreement(scope.workbench, run_id, dimension_id)
    failures(scope.workbench, result)
    st.markdown(f"**{plain(xray.summary)}**", help=HELP + more_in_guide("discrimination"))
    if xray.further and not xray.flagged:
        st.caption(plain(f"To look further: {'; '.join(xray.further)}."))
    st.caption(plain(f"Looked at {xray.basis}"))
    badges = [[finding.badge for finding in xray.of_question(place)] for place in range(len(shares))]
    question_table(found, shares, stability, badges, f"{run_id}_{dimension_id}")
    if quotes := quote_counts(scope.workbench, run_id, dimension_id):
        st.caption(f"Quotes of {plain(model_label(result.run.judge))}: {quotes}.", help=QUOTES_HELP)
    for question, item in zip(found.questions, found.analysis.items, strict=True):
        if question.id == chosen_question():
            st.markdown(f"**{item.question + 1}. {plain(question.text)}**")
            if question.component:
                st.caption(plain(question.component))
            example_lines(question)
            question_findings(xray, item.question)
            question_facts(item, found)
            edit_question(scope.workbench, result, question, f"edit_question_{question.id}")
    missing_criteria(xray)
    expert_agreement(scope.workbench, scope.project, result)
    question_weights(scope.workbench, result, [question.text for question in found.questions])
