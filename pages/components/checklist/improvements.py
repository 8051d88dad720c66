"""Better wordings of a question, with a test on texts; and a trial of changed questions on the viewed texts."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.checklist import ChecklistStatus, Question
from app.domain.improvement import AnswerErrors, DocumentHalf, Improvement, ImprovementStatus, ProposedWording
from app.domain.model_call import model_label
from app.domain.project import Task
from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.draft_edits import write_examples
from app.services.data.texts import text_titles
from app.services.improvement.decided_answers import (
    FEWEST_PROOF,
    DecidedQuestion,
    decided_questions,
    figures_sentence,
    judged_runs,
    too_few_sentence,
)
from app.services.improvement.draft_trial import DraftTrial, try_draft
from app.services.improvement.improve import (
    accept_improvement,
    attempt_sentence,
    begin_improvement,
    difference_of,
    example_tokens,
    forecast_improvement,
    improvement_job_key,
    refuse_improvement,
)
from app.services.improvement.question_timeline import question_timeline
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.last_models import last_model
from pages.components.shell.background import watch
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.publishing import ResultsLink, forget_results_link, results_link
from pages.components.shell.checklists.question_editor import Editing, close_reworded, marked
from pages.components.shell.current import hold, was_pressed
from pages.components.shell.labels import ShownErrors, about, dollars, number, plain, show_error, show_saved_error
from pages.components.shell.navigation.screens import go
from pages.components.shell.runs.model_options import chosen_model, model_choice
from pages.components.shell.tables import WRITER, show_table, with_writers

_TRIAL = "draft_trial"
CHANCE = (
    "These are the texts it was furthest from people on, where almost any change helps. Publish, score all texts and "
    "read the verdict before you trust it."
)


def tuning_bar(workbench: Workbench, view: ChecklistView) -> None:
    """Draw the bar; draw nothing for people who did not come from a result."""
    way = results_link(view.dimension.id)
    if way is None:
        return
    with st.container(border=True, key="tuning_bar"):
        with st.container(horizontal=True, vertical_alignment="center"):
            name = "Back to the text" if way.to_a_text else "Back to the result"
            if was_pressed(name, key="back_to_result", icon=":material/arrow_back:"):
                go("results", way.address)
            is_draft = view.checklist.status is ChecklistStatus.DRAFT  # once published, all texts are scored with it
            asked = (
                is_draft
                and bool(way.texts)
                and was_pressed(
                    f"Ask again on these {number(len(way.texts), 'text')}",
                    key="ask_again",
                    icon=":material/replay:",
                    help=f"The {len(way.texts)} texts of run {way.run} that you looked at, furthest from people first. "
                    "The same judge is asked the questions as they are now; answers to unchanged ones count again. "
                    "No result is made of it.",
                )
            )
            st.button("Hide", key="hide_tuning", type="tertiary", on_click=forget_results_link)
        trial = _trial(workbench, view, way, asked)
        if trial is not None:
            titles = text_titles(workbench, view.project.id, [each.row.text for each in trial.texts])
            _figures(trial, titles, view.project.task)


def _trial(workbench: Workbench, view: ChecklistView, way: ResultsLink, asked: bool) -> DraftTrial | None:
    """Return the trial if it is about exactly these questions and texts."""
    questions = [(each.id, each.text, each.guidance, each.may_not_apply) for each in view.checklist.asked]
    about = (way.run, way.texts, questions)
    if asked:
        with ShownErrors(), st.spinner(f"Asking the judge about {number(len(way.texts), 'text')}"):
            st.session_state[_TRIAL] = about, try_draft(workbench, view, way.run, way.texts)
    known, trial = st.session_state.get(_TRIAL, (None, None))
    return trial if known == about else None


def _figures(trial: DraftTrial, titles: Mapping[int, str], task: Task) -> None:
    if trial.distance is None:
        st.markdown("The judge gave no score for any of these texts.")
        return
    before, after = trial.distance
    nearer, further, same = trial.moved
    st.markdown(
        f"**From people on average: {before:.2f} points before, {after:.2f} now.** Nearer on {nearer}, further on "
        f"{further}, as before on {same} of {number(len(trial.scored), 'text')}."
    )
    failed = f" No score for {number(trial.failed, 'text')}: {trial.why}" if trial.failed else ""
    st.caption(plain(f"Judge: {model_label(trial.judge)}. {CHANCE}{failed}"))
    rows = [
        {
            "Text": titles.get(each.row.text, each.row.doc_id),
            WRITER: each.row.system_id,
            "People": each.human,
            "Before": each.before,
            "Now": each.after,
            "Nearer by": each.nearer if each.after is not None else None,
        }
        for each in trial.texts
    ]
    table = pd.DataFrame(rows)
    with st.expander("Text by text", key="trial_texts"):
        show_table(
            with_writers(table, task),
            "trial_table",
            {
                **{name: st.column_config.NumberColumn(format="%.2f") for name in ("People", "Before", "Now")},
                "Nearer by": st.column_config.NumberColumn(format="%+.2f", help="Below 0: further from people."),
            },
        )


PURPOSE = "It proposes wordings from the errors; you decide what is taken."
_PROBLEM = "improvement_problem"
_RARE = ("About “does not apply”", "No answer")
_HALVES = {DocumentHalf.DEVELOPMENT: "Development half", DocumentHalf.PROOF: "Proof half"}


def improvements(editing: Editing, question: Question) -> None:
    """Draw the improvements of a question; draw nothing if no answer to it was decided."""
    workbench, checklist_id = editing.workbench, editing.view.checklist.id
    show_saved_error(_PROBLEM)
    asking = watch(workbench, improvement_job_key(checklist_id), neutral=True)
    found = decided_questions(workbench, checklist_id).get(question.id)
    if found is None:
        return
    errors = [found.errors(half) for half in DocumentHalf]
    false_yes, false_no = sum(one.false_yes for one in errors), sum(one.false_no for one in errors)
    label = f"Improve from {number(len(found.decisions), 'decision')}: {false_yes} false yes, {false_no} false no"
    hold(f"improve_{question.id}", False)  # the label changes with each decision, and would fold it
    section = st.expander(label, key=f"improve_{question.id}", icon=":material/rule:", on_change="rerun")
    if section.open:
        with section:
            _panel(editing, found, asking)


def _panel(editing: Editing, found: DecidedQuestion, asking: bool) -> None:
    question = found.question
    runs = {run.id: run for run in judged_runs(editing.workbench, editing.view.checklist.id)}
    if not runs:
        st.markdown("No judge has answered an earlier version yet: score texts with a published one first.")
        return
    run = st.selectbox(
        "Judge",
        list(runs),
        format_func=lambda id_: f"{model_label(runs[id_].judge)} · run {id_}",
        key=_run_key(question.id),
        help="Whose errors are looked at, and who is asked again.",
    )
    if found.run is None or found.run.id != run:
        found = decided_questions(editing.workbench, editing.view.checklist.id, run)[question.id]
    _errors(found)
    if may(editing.workbench, Right.FACILITATE, dimension_id=editing.view.dimension.id):
        problem = _propose(editing, found, run, asking)
        _propose_examples(editing, found, run, asking, problem)
    for attempt in reversed(found.attempts):
        _attempt(editing, question, attempt)
    _timeline(editing, question, run)


def _errors(found: DecidedQuestion) -> None:
    _error_table(
        ((title, found.errors(half)) for half, title in _HALVES.items()), f"decided_errors_{found.question.id}"
    )
    if found.reworded:
        st.caption("The question was changed since this run: its present wording is asked before others are tried.")
    if len(found.proof) < FEWEST_PROOF:
        st.caption(too_few_sentence(len(found.proof)))
    mistaken = found.mistaken
    if mistaken:
        with st.popover(f"Read the {number(len(mistaken), 'error')} of the development half", type="tertiary"):
            for error in mistaken:
                why = f": {error.why}" if error.why else ""
                st.caption(plain(f"Judge: {error.said.value}. Decided: {error.decided.value}{why}"))
                st.text(error.text.text)
    st.caption("Errors of the proof half are counted, not shown: it is there to prove a wording on.")


def _error_table(sides: Iterable[tuple[str, AnswerErrors]], key: str) -> None:
    """Draw a table of errors, a row a side, without kinds of error that no side has."""
    table = pd.DataFrame([{"": title, **_counts(errors)} for title, errors in sides])
    rare = [name for name in _RARE if not table[name].any()]
    show_table(table.drop(columns=rare), key)


def _counts(errors: AnswerErrors) -> dict[str, object]:
    return {
        "Decided texts": errors.n,
        "False yes": errors.false_yes,
        "False no": errors.false_no,
        _RARE[0]: errors.other,
        _RARE[1]: errors.unanswered,
        "Right": None if errors.agreement is None else f"{100 * errors.agreement:.0f} %",
    }


def _propose_examples(editing: Editing, found: DecidedQuestion, run: int, asking: bool, told: str) -> None:
    """Draw the proposal of examples. told: the problem that is shown above already."""
    key = found.question.id
    try:
        ahead = forecast_improvement(editing.workbench, key, "", run)
    except WorkbenchError as error:
        if str(error) != told:
            st.caption(plain(f"No examples: {error}"))
        return
    cost = "unknown price" if ahead.cost_usd is None else about(ahead.cost_usd)
    then = f", the best one on {ahead.proof} unseen ones" if ahead.provable else ""
    st.caption(
        "Or show the judge up to four decided texts: some sets of examples, and random ones beside them, each tried "
        f"on {number(ahead.development, 'text')}{then}. At most {number(ahead.calls, 'call')}, {cost}."
    )
    with st.container(horizontal=True):
        args = [editing, key, True]
        st.button("Propose examples", key=f"examples_ask_{key}", disabled=asking, on_click=_begin, args=args)
        if found.question.examples:
            st.button(
                "Prove its examples",
                key=f"examples_prove_{key}",
                disabled=asking,
                help="Compares the examples that the question has with none, and with random ones.",
                on_click=_begin,
                args=[*args, True],
            )


def _propose(editing: Editing, found: DecidedQuestion, run: int, asking: bool) -> str:
    """Draw the proposal of wordings. Return the problem that it shows, "" for none."""
    key, asked = found.question.id, _model_key(found.question.id)
    if not found.mistaken and not found.reworded:
        st.markdown("The judge makes no error on the development half, so there is nothing to make a wording from.")
        return ""
    first = last_model(editing.workbench, editing.view.project.id, "improve")
    model = model_choice(editing.workbench, "Who proposes", asked, PURPOSE, first=first)
    if model:
        try:
            ahead = forecast_improvement(editing.workbench, key, model, run)
        except WorkbenchError as error:
            show_error(error)
            return str(error)
        cost = "unknown price" if ahead.cost_usd is None else about(ahead.cost_usd)
        then = f", the best one on {ahead.proof} unseen ones" if ahead.provable else ""
        st.caption(
            f"Up to five wordings, each tried on {number(ahead.development, 'text')}{then}. At most "
            f"{number(ahead.calls, 'call')}, {cost}."
        )
    args = [editing, key]
    st.button("Propose wordings", key=f"improve_ask_{key}", disabled=not model or asking, on_click=_begin, args=args)
    return ""


def _begin(editing: Editing, question: int, examples: bool = False, written: bool = False) -> None:
    checklist, run = editing.view.checklist.id, _chosen_run(question)
    model = "" if examples else chosen_model(_model_key(question))
    _run_with_errors(
        partial(begin_improvement, editing.workbench, checklist, question, model, run, editing.who, written)
    )


def _model_key(question: int) -> str:
    return f"improving_model_{question}"


def _run_key(question: int) -> str:
    return f"improve_run_{question}"


def _chosen_run(question: int) -> int:
    run: int = st.session_state[_run_key(question)]
    return run


def _attempt(editing: Editing, question: Question, attempt: Improvement) -> None:
    with st.container(border=True, key=f"attempt_{attempt.id}"):
        cost = "unknown price" if attempt.cost_usd is None else dollars(attempt.cost_usd)
        by = f" by {attempt.decided_by}" if attempt.decided_by else ""
        st.markdown(f"**{plain(attempt_sentence(attempt))}**")
        asked = plain(model_label(attempt.judge))
        if not attempt.of_examples:
            asked = f"{plain(model_label(attempt.model))} for {asked}"
        st.caption(
            f"{asked} · {number(attempt.calls, 'call')}, {cost} · rests on "
            f"{number(len(attempt.decisions), 'decision')} · {attempt.status.value}{plain(by)}"
        )
        if (difference := difference_of(attempt.proof)) is not None and attempt.proof is not None:
            st.markdown(figures_sentence(difference))
            sides = (("Proof half, before", attempt.proof.before), ("Proof half, after", attempt.proof.after))
            _error_table(sides, f"proof_{attempt.id}")
            left_out = f" {number(attempt.proof.failed, 'text')} got no reply." if attempt.proof.failed else ""
            st.caption(f"Texts of {number(attempt.proof.documents, 'document')}.{left_out}")
        if (beside := difference_of(attempt.beside)) is not None:
            st.markdown(f"Against random examples: {figures_sentence(beside)}")
        rows = [
            {
                "Chosen": place == attempt.best,
                "False yes": f"{one.trial.before.false_yes} → {one.trial.after.false_yes}",
                "False no": f"{one.trial.before.false_no} → {one.trial.after.false_no}",
                "Right": f"{one.trial.before.right} → {one.trial.after.right} of {one.trial.before.n}",
                **_wording(attempt, one.wording),
                "Why": one.wording.reason,
            }
            for place, one in enumerate(attempt.tried)
        ]
        show_table(rows, f"tried_{attempt.id}")
        if attempt.status is ImprovementStatus.OPEN:
            _decision(editing, question, attempt)


def _wording(attempt: Improvement, wording: ProposedWording) -> dict[str, object]:
    if not attempt.of_examples:
        return {"Question": wording.text, "How to decide": wording.guidance}
    said = "\n".join(f"{one.answer}: {one.text}" for one in wording.examples)
    return {"Tokens a request": example_tokens(wording), "Examples": said}


def _decision(editing: Editing, question: Question, attempt: Improvement) -> None:
    key, chosen = attempt.id, attempt.chosen
    if chosen is not None and attempt.of_examples:
        for example in chosen.wording.examples:
            st.caption(plain(f"{example.answer}{f': {example.reason}' if example.reason else ''}"))
            st.text(example.text)
        st.caption(f"They add about {example_tokens(chosen.wording):,} tokens to each request, which a cache may hold.")
    elif chosen is not None:
        old, new = marked(attempt.before.text, chosen.wording.text)
        if old != new:
            st.markdown(f"- {old}\n- {new}")
        st.text_area("Wording", chosen.wording.text, height=80, key=f"improved_text_{key}")
        st.text_area(
            "How to decide",
            chosen.wording.guidance,
            height=80,
            key=f"improved_guidance_{key}",
            help="Edited words were not tried: what was proven doesn't hold for them.",
        )
    refusing = partial(refuse_improvement, editing.workbench, question.id, key, editing.who)
    with st.container(horizontal=True):
        if _has_them(question, attempt):
            keeping = [editing, question, key]
            if chosen is None:
                st.button("Keep them", key=f"refuse_improvement_{key}", on_click=_run_with_errors, args=[refusing])
            else:
                st.button("Keep them", key=f"take_{key}", on_click=_take, args=keeping)
            st.button("Remove them", key=f"drop_{key}", type="tertiary", on_click=_drop_examples, args=keeping)
            return
        if chosen is not None:
            st.button("Take it", key=f"take_{key}", on_click=_take, args=[editing, question, key])
        st.button(
            "Refuse", key=f"refuse_improvement_{key}", type="tertiary", on_click=_run_with_errors, args=[refusing]
        )


def _has_them(question: Question, attempt: Improvement) -> bool:
    """Return whether these examples were the question's own, and still are."""
    return bool(question.examples) and any(one.wording.examples == question.examples for one in attempt.tried)


def _drop_examples(editing: Editing, question: Question, attempt: int) -> None:
    def drop() -> None:
        refuse_improvement(editing.workbench, question.id, attempt, editing.who)
        write_examples(editing.workbench, question, (), editing.who)

    _run_with_errors(drop)


def _take(editing: Editing, question: Question, attempt: int) -> None:
    state = st.session_state
    text, guidance = (state.get(f"improved_{field}_{attempt}") for field in ("text", "guidance"))
    words = None if text is None else ProposedWording(str(text), str(guidance))
    _run_with_errors(partial(accept_improvement, editing.workbench, question.id, attempt, editing.who, words))
    if _PROBLEM not in state:
        saved_typing(f"improved_text_{attempt}", f"improved_guidance_{attempt}")
        close_reworded(question.id)


def _run_with_errors(action: Callable[[], object]) -> None:
    with ShownErrors(_PROBLEM):
        action()


def _timeline(editing: Editing, question: Question, run: int) -> None:
    found = question_timeline(editing.workbench, question.id, run)
    if found is None:
        return
    st.markdown(f"**From version to version** on the {number(found.texts, 'decided text')} that all of them answered")
    rows = [
        {
            "Version": one.version,
            "Right": None
            if one.errors is None or one.errors.agreement is None
            else f"{100 * one.errors.agreement:.0f} %",
            "Decided in it": one.decisions,
            "Changed": "yes" if one.reworded else "",
            "Question": one.question.text,
            "How to decide": one.question.guidance,
        }
        for one in found.versions
    ]
    show_table(rows, f"timeline_{question.id}")
    st.caption(
        f"{plain(model_label(found.judge))}, where it answered: an empty place was not asked. Texts that wordings were "
        "made from count here too, so that a later version looks better than it is; the proof half says by how much."
    )
