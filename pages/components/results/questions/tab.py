"""Results, Questions: what each question of the checklist contributes."""

import streamlit as st

from app.services.results.question_analysis import questions_of, repeat_agreement
from app.services.results.result_texts import question_shares
from app.services.results.rubric_xray import rubric_xray
from app.services.results.run_answers import quote_counts
from pages.components.results.questions.aspect_tables import aspect_tables
from pages.components.results.questions.expert_agreement import expert_agreement
from pages.components.results.questions.judge_worth import failures
from pages.components.results.questions.question_table import chosen_question, question_facts, question_table
from pages.components.results.questions.question_weights import question_weights
from pages.components.results.questions.rubric_xray import missing_criteria, question_findings, xray_summary
from pages.components.results.texts.text_detail import edit_question
from pages.components.shell.blinding import open_attributes
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.words import model_label, plain

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
    xray_summary(xray)
    badges = [[finding.badge for finding in xray.of_question(place)] for place in range(len(shares))]
    question_table(found, shares, stability, badges, f"{run_id}_{dimension_id}")
    if quotes := quote_counts(scope.workbench, run_id, dimension_id):
        st.caption(f"Quotes of {plain(model_label(result.run.judge))}: {quotes}.", help=QUOTES_HELP)
    for question, item in zip(found.questions, found.analysis.items, strict=True):
        if question.id == chosen_question():
            st.markdown(f"**{item.question + 1}. {plain(question.text)}**")
            if question.component:
                st.caption(plain(question.component))
            question_findings(xray, item.question)
            question_facts(item, found)
            edit_question(scope.workbench, result, question, f"edit_question_{question.id}")
    missing_criteria(xray)
    expert_agreement(scope.workbench, scope.project, result)
    question_weights(scope.workbench, result, [question.text for question in found.questions])
