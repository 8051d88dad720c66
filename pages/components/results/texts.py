"""Results, Texts: texts on which judge and people disagree, and details of one text."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.checklist import Question
from app.domain.checklist_score import Judgment
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project, Task, text_title
from app.domain.roles_and_rights import Right
from app.domain.run import ScoredText
from app.errors import InputError
from app.services.attributes.attributes import add_attributes
from app.services.checklists.checklists import versions_of
from app.services.data.texts import text_titles
from app.services.results.result_texts import (
    Disagreement,
    GapDirection,
    QuotedAnswer,
    TextDetail,
    TextFilter,
    disagreements,
    draft_to_edit,
    judged_text,
    quoted_answers,
)
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench, may
from pages.components.shell.blinding import all_open, open_attributes
from pages.components.shell.browser.page_scripts import saved_typing, want_focus
from pages.components.shell.checklists.publishing import VERSION, ResultsLink, remember_results_link, show_version
from pages.components.shell.checklists.question_editor import EDITOR, QUESTION, known_editor, open_without_address
from pages.components.shell.current import keep, listed_choice, one_of, own_name, signed_in_as, was_pressed
from pages.components.shell.labels import (
    COLOURED,
    ShownErrors,
    button_label,
    judged_words,
    number,
    plain,
    show_saved_error,
)
from pages.components.shell.navigation.screens import go, link
from pages.components.shell.reading import part_with_places, quote_line
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.tables import WRITER, page_key, show_table, ticked_table, with_writers, writer_word

_ADDED = "attribute_added"
_PROBLEM = "attribute_problem"


def add_attribute(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """Draw the form, for facilitators. The attribute is saved under the person's name, as prompted by this text."""
    if not may(workbench, Right.FACILITATE, dimension_id=dimension.id):
        return
    with st.popover("Add an attribute", icon=":material/add:", key=f"add_attribute_{text_id}"):
        st.markdown(f"What should one look for in **{plain(dimension.name)}** that this text shows?")
        with st.form(f"attribute_form_{text_id}", border=False):
            st.text_area("Attribute", key=_words(text_id))
            own_name(_name(text_id))
            st.form_submit_button(
                "Add", key=f"attribute_save_{text_id}", on_click=_save, args=(workbench, dimension, text_id)
            )
    show_saved_error(_PROBLEM)
    if st.session_state.pop(_ADDED, False):
        st.success("Added to the attributes, with this text noted. The next build can take it in.")


def _save(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """Save the attribute, before the form is drawn again; after an error its words stay."""
    words = str(st.session_state[_words(text_id)])
    name = signed_in_as() or str(st.session_state[_name(text_id)]).strip()
    with ShownErrors(_PROBLEM):
        if not name:
            raise InputError("Nobody is named.", "Say who you are: it stays with the attribute.")
        add_attributes(workbench, dimension.id, name, ContributorKind.HUMAN, [words], prompted_by=text_id)
        saved_typing(_words(text_id), _name(text_id))
        st.session_state[_words(text_id)] = ""
        st.session_state[_ADDED] = True


def _words(text_id: int) -> str:
    return f"attribute_words_{text_id}"


def _name(text_id: int) -> str:
    return f"attribute_by_{text_id}"


ASKED_AGAIN = 20  # texts, as many as a page of the list holds


def edit_question(
    workbench: Workbench,
    result: DimensionResult,
    question: Question,
    key: str,
    listed: Iterable[Disagreement] | None = None,
) -> None:
    """Draw the button that opens this question in a draft on the Checklist screen.

    `listed` are the texts that the person views, those with the largest disagreement first; None for all of the result.
    The Checklist's address contains nothing of this screen.
    """
    if not may(workbench, Right.EDIT, dimension_id=result.dimension.id) or not was_pressed(
        button_label("Edit this question", question.text),
        key=key,
        icon=":material/edit:",
        type="tertiary",
        help="In the newest draft that holds it; one is started if there is none.",
    ):
        return
    dimension_id = result.dimension.id
    with ShownErrors():
        draft, there = draft_to_edit(workbench, dimension_id, question)
        found = disagreements(result.compared) if listed is None else listed
        texts = tuple(each.row.text for each in found)[:ASKED_AGAIN]
        remember_results_link(ResultsLink(dimension_id, result.run.id, texts, st.query_params.to_dict()))
        show_version(draft.version, dimension_id)
        open_without_address(there)
        want_focus(there.id)
        address = {QUESTION: str(there.id)}
        if draft.version != versions_of(workbench, dimension_id)[0].version:
            address[VERSION] = str(draft.version)
        if name := known_editor():
            address[EDITOR] = name
        go("checklist", address)


ALL = "all"


def evidence_choice(quoted: Sequence[QuotedAnswer], scope: str) -> list[QuotedAnswer]:
    """Draw a choice among the quotes that were found; return the chosen ones. One alone isn't a choice."""
    found = [each for each in quoted if each.place is not None]
    if len(found) < 2:
        return found
    words = {
        str(place): f"{each.judgment.answer.capitalize()} · {each.question.text}" for place, each in enumerate(found)
    }
    chosen = st.selectbox(
        "Evidence",
        [ALL, *words],
        format_func=lambda one: words.get(one, "Of all answers"),
        key=f"evidence_{scope}",
        help="What the judge quotes is looked up, and highlighted where it stands.",
    )
    return found if chosen == ALL or chosen not in words else [found[int(chosen)]]


TITLES = {
    "aspects": "Aspects",
    "probabilities": "Probability of each score",
    "outside": "Probability outside the scale",
    "answers": "Answers",
    "rated": "Mean log-probabilities",
    "p_yes": "Probability of yes",
    "yes": "Probability of yes, sentence by sentence",
    "cut": "The text was longer than the model reads, and was cut",
    "abstained": "No score: the judge said",
    "weighted": "Score with the checklist's weights",
    "inconsistent_grades": "Pairs of thresholds of a grade that contradict each other",
}


def _rows(value: Any) -> list[dict[str, str]] | None:
    """Return a list or a mapping as rows of words; None for a single value."""
    if isinstance(value, Mapping):
        return [{"What": str(key), "Value": _shown(inner)} for key, inner in value.items()]
    if not isinstance(value, list):
        return None
    if all(isinstance(entry, Mapping) for entry in value):
        return [{str(key).capitalize(): _shown(inner) for key, inner in entry.items()} for entry in value]
    return [{"No.": str(number), "Value": _shown(entry)} for number, entry in enumerate(value, start=1)]


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def opened_text(
    workbench: Workbench, project: Project, result: DimensionResult, row: ScoredText, listed: Sequence[Disagreement]
) -> None:
    """Draw the opened text. `listed` are the texts of its list, those with the largest disagreement first."""
    with ShownErrors():
        found = judged_text(workbench, result.run.id, result.dimension.id, row.text)
        st.markdown(f"**{plain(text_title(found.text))}**")
        st.caption(plain(" · ".join(part for part in found.text.key if part)))
        quoted = quoted_answers(found.text, found.answers)
        left, right = st.columns([3, 2], gap="large")
        with left:
            _reading(project, found, evidence_choice(quoted, f"{result.run.id}_{row.text}"))
        with right:
            _text_scores(result, row, found)
            add_attribute(workbench, result.dimension, row.text)
            _answers(workbench, project, result, found, listed, quoted)
            for name, value in found.details.items():
                title = TITLES.get(name, name.replace("_", " ").capitalize())
                rows = _rows(value)
                if rows is None:
                    st.markdown(
                        f"**{plain(title)}**" if value is True else f"**{plain(title)}**: {plain(_shown(value))}"
                    )
                    continue
                st.markdown(f"**{plain(title)}**")
                show_table(rows, f"details_{name}")


def _reading(project: Project, found: TextDetail, quoted: Sequence[QuotedAnswer]) -> None:
    places = [each.place for each in quoted if each.place is not None]
    st.caption(plain(project.task.text_name.capitalize()))
    here, there = ([(p.start, p.end) for p in places if p.in_source is source] for source in (False, True))
    part_with_places(found.text, "text", "opened_text", here)
    if found.text.source:
        with st.expander(plain(project.task.source_name.capitalize()), expanded=True, key="opened_source"):
            part_with_places(found.text, "source", "opened_source", there)


def _text_scores(result: DimensionResult, row: ScoredText, found: TextDetail) -> None:
    judge, people = st.columns(2)
    score = "none" if row.score is None else f"{row.score:.2f}"
    if row.nothing_applies and not result.soft:
        st.markdown("**Nothing applies:** no question that is answered applies to this text, so it has no score.")
    judge.metric("Judge", score, help=model_label(result.run.judge))
    people.metric("People", "none" if row.human is None else f"{row.human:.2f}", help="The mean over the raters.")
    scale = f"Scale of the ratings: {result.dimension.low:g} to {result.dimension.high:g}."
    raters = ", ".join(f"{rater}: {value:g}" for rater, value in found.ratings)
    st.caption(plain(f"{scale} Raters: {raters}." if raters else f"{scale} Nobody rated this text."))
    if row.coverage is not None and row.coverage < 1:
        st.caption(f"{row.coverage:.0%} of the questions have an answer.")


def _answers(
    workbench: Workbench,
    project: Project,
    result: DimensionResult,
    found: TextDetail,
    listed: Sequence[Disagreement],
    quoted: Sequence[QuotedAnswer],
) -> None:
    if result.version is None:
        return
    st.markdown(f"**Answers of {plain(model_label(result.run.judge))}**")
    if not found.answers:
        st.markdown("The judge gave no answer about this text.")
    # Decisions would influence experts who still answer.
    decided = found.decided if all_open(workbench, project, result.dimension) else {}
    again = any(judgment.origin for _, given in found.answers for judgment in given)
    for question, given in found.answers:
        said = ", ".join(judged_words(judgment) + _how_sure(judgment) + _origin(judgment, again) for judgment in given)
        st.markdown(f"**{said}** · {plain(question.text)}")
        if question.counting:
            st.caption(plain(question.counting))
        for reason in dict.fromkeys(judgment.rationale for judgment in given if judgment.rationale):
            st.caption(plain(reason))
        for each in quoted:
            if each.question.id == question.id:
                st.caption(quote_line(each.judgment.quote, each.place, project.task.source_name or "source"))
        if question.id in decided:
            decision = decided[question.id]
            why = f": {plain(decision.why)}" if decision.why else ""
            st.markdown(f":material/gavel: :small[Decided: {COLOURED[decision.answer]}{why}]")
        edit_question(workbench, result, question, f"edit_question_{question.id}", listed)


def _how_sure(judgment: Judgment) -> str:
    return "" if judgment.p_yes is None else f" (yes {judgment.p_yes:.0%})"


def _origin(judgment: Judgment, again: bool) -> str:
    """Return which run asked, for an answer taken over; beside such answers the others are marked new. `again`: there
    are any."""
    if judgment.origin:
        return f" :small[:gray[from run {judgment.origin}]]"
    return " :small[:gray[new]]" if again else ""


DIRECTIONS: dict[GapDirection, str] = {"all": "All", "kinder": "Judge kinder", "harsher": "Judge harsher"}
DIRECTION_HELP = "Kinder: the judge's score is above the mean rating. Harsher: below it."


def text_filter(rows: Sequence[ScoredText], task: Task) -> TextFilter:
    """Draw the filter. `rows` have both a score and a rating, and there is at least one."""
    systems = sorted({row.system_id for row in rows if row.system_id})
    scores = [row.score for row in rows if row.score is not None]
    left, middle, right = st.columns([3, 4, 4], gap="medium", vertical_alignment="bottom")
    with left:
        system = _system(systems, task) if systems else ""
    with middle:
        direction = one_of("direction", DIRECTIONS, "all", "Who is kinder", DIRECTION_HELP)
    with right:
        low, high = _range(min(scores), max(scores))
    return TextFilter(system, direction, low, high)


def filter_in_address(rows: Sequence[ScoredText]) -> TextFilter:
    """Return the filter of text_filter from the address, while a text is open and the filter isn't drawn."""
    system, direction = st.query_params.get("system", ""), st.query_params.get("direction", "all")
    scores = [row.score for row in rows if row.score is not None]
    least, most = min(scores, default=0.0), max(scores, default=0.0)
    low, high = _from_address("scores", least, most)
    whole = (low, high) == (least, most)
    return TextFilter(
        system if any(row.system_id == system for row in rows) else "",
        next((each for each in DIRECTIONS if each == direction), "all"),
        None if whole else low,
        None if whole else high,
    )


def _system(systems: Sequence[str], task: Task) -> str:
    every = f"All {task.writers_name}"
    chosen = listed_choice("system", [every, *systems], every, writer_word(task))
    return "" if chosen == every else chosen


def _range(least: float, most: float) -> tuple[float | None, float | None]:
    """Draw a range; return None, None if there is nothing to choose, or everything is chosen."""
    if least == most:
        return None, None
    key = "scores"
    if key not in st.session_state:
        st.session_state[key] = _from_address(key, least, most)
    low, high = st.session_state[key]
    st.session_state[key] = (min(max(low, least), most), max(min(high, most), least))  # another run's scores
    chosen: Any = st.slider("Judge's score", least, most, key=key, format="%.2f")
    low, high = chosen
    whole = (low, high) == (least, most)
    keep(key, "all" if whole else f"{low:g},{high:g}", "all")
    return (None, None) if whole else (low, high)


def _from_address(key: str, least: float, most: float) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in st.query_params.get(key, "").split(","))
    except ValueError:
        return least, most
    return (low, high) if least <= low <= high <= most else (least, most)


PAGE_SIZE = 20
OTHER_SCALE = (
    "Scores of this method are on a scale of their own. The difference is that of the places among all texts: 1 "
    "is from the lowest to the highest."
)
TEXT = "text"


def open_text_id() -> int | None:
    """Return the number of the opened text, from the address."""
    wanted = st.query_params.get(TEXT, "")
    return int(wanted) if wanted.isdecimal() else None


def open_text(text_id: int | None) -> None:
    keep(TEXT, "" if text_id is None else str(text_id), "")


def _table_key(scope: str) -> str:
    return f"disagreements_{scope}"


def by_score(rows: Sequence[ScoredText]) -> list[ScoredText]:
    """Return the texts with a score, lowest first; equal ones in import order."""
    return sorted((row for row in rows if row.score is not None), key=lambda row: (row.score or 0.0, row.text))


def scored_list(workbench: Workbench, project: Project, rows: Sequence[ScoredText], scope: str) -> None:
    """Draw the judge's scores of texts that nobody rated."""
    st.markdown(
        "No text has both a score and a human rating here, so nothing can be compared. Have experts answer the "
        "checklist, and look at where they and the judge differ on Disagreements: on a dimension from 0 to 1 they also "
        "say good or not good, which is a rating. Or import ratings on Texts."
    )
    with st.container(horizontal=True):
        link("answer", "Let experts answer")
        link("texts", "Import ratings", parameters={"section": "Import"})
    if scored := by_score(rows):
        st.caption(f"{number(len(scored), 'text')}, those with the lowest scores first. Tick one to open it.")
        ticked_table(scored, partial(_scores, workbench, project), _open_row, _COLUMNS, _table_key(scope), PAGE_SIZE)


def _open_row(row: ScoredText | None) -> None:
    open_text(row.text if row else None)


def _scores(workbench: Workbench, project: Project, page: Sequence[ScoredText]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [row.text for row in page])
    rows = [
        {"Text": titles.get(row.text, row.doc_id), WRITER: row.system_id, "Judge": row.score, "Answered": row.coverage}
        for row in page
    ]
    return with_writers(pd.DataFrame(rows), project.task)


def disagreement_list(
    workbench: Workbench, project: Project, rows: Sequence[ScoredText], scope: str, on_scale: bool
) -> None:
    """Draw the list. `rows` have a score and a rating. `scope` separates the choices of runs and dimensions.
    `on_scale`: as in the result."""
    found = disagreements(rows, text_filter(rows, project.task), on_scale=on_scale)
    if not found:
        st.markdown(plain(f"No text fits this choice. Choose another {project.task.writer_name}, direction or range."))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Read them one by one",
            key="read_texts",
            icon=":material/menu_book:",
            on_click=open_text,
            args=[found[0].row.text],
        )
        st.caption(f"{len(found):,} of {len(rows):,} texts, furthest from people first. Tick one to open it.")
    if not on_scale:
        st.caption(OTHER_SCALE)
    ticked_table(found, partial(_table, workbench, project), _open, _COLUMNS, _table_key(scope), PAGE_SIZE)


def _open(found: Disagreement | None) -> None:
    open_text(found.row.text if found else None)


_COLUMNS = {
    "Judge": st.column_config.NumberColumn(format="%.2f"),
    "People": st.column_config.NumberColumn(format="%.2f", help="The mean over the raters."),
    "Difference": st.column_config.NumberColumn(
        format="%+.2f", help="Judge minus people: above 0 the judge is kinder than people, below 0 harsher."
    ),
    "Answered": st.column_config.NumberColumn(format="percent", help="The share of the questions that has an answer."),
}


def _table(workbench: Workbench, project: Project, page: Sequence[Disagreement]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [each.row.text for each in page])
    rows = [
        {
            "Text": titles.get(each.row.text, each.row.doc_id),
            WRITER: each.row.system_id,
            "Judge": each.score,
            "People": each.human,
            "Difference": each.difference,
            "Raters": each.row.raters,
            "Answered": each.row.coverage,
        }
        for each in page
    ]
    return with_writers(pd.DataFrame(rows), project.task)


def text_steps(listed: Sequence[int], text: int, scope: str, order: str = "furthest from people first") -> None:
    """Draw the steps to other texts. `listed` are the filtered texts, in this order; one opened by its address may be
    missing."""
    place = listed.index(text) if text in listed else None

    def back() -> None:
        if place is not None:
            st.session_state[page_key(_table_key(scope))] = place // PAGE_SIZE + 1
        open_text(None)

    with st.container(horizontal=True, vertical_alignment="center", key="text_steps"):
        st.button("Back to the list", key="close_text", icon=":material/arrow_back:", on_click=back)
        if place is None:
            return
        for name, label, icon, to in (
            ("previous_text", "Previous", ":material/chevron_left:", place - 1),
            ("next_text", "Next", ":material/chevron_right:", place + 1),
        ):
            possible = 0 <= to < len(listed)
            st.button(
                label,
                key=name,
                icon=icon,
                disabled=not possible,
                on_click=open_text,
                args=[listed[to] if possible else text],
            )
        st.caption(f"Text {place + 1:,} of {len(listed):,}, {order}")


def result_texts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "what each question answered")
    result = scope.one("texts")
    if result is None:
        return
    key = f"{result.run.id}_{result.dimension.id}"
    row = next((row for row in result.rows if row.text == open_text_id()), None)
    if row is None and not result.compared:
        scored_list(scope.workbench, scope.project, result.rows, key)
        return
    if row is None:
        disagreement_list(scope.workbench, scope.project, result.compared, key, result.on_scale)
        return
    listed = disagreements(result.compared, filter_in_address(result.compared), on_scale=result.on_scale)
    if result.compared:
        text_steps([each.row.text for each in listed], row.text, key)
    else:
        text_steps([each.text for each in by_score(result.rows)], row.text, key, "lowest score first")
    opened_text(scope.workbench, scope.project, result, row, listed)
