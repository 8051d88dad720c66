"""Experts' answers: the plan of texts, the answer sheet with its keys, and answers from a file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.expert_answer import DEFAULT_MORE_TEXTS, DEFAULT_TEXTS, AnswerDraw, AnswerSheet, SheetEntry, WaveRequest
from app.domain.project import Dimension, Project
from app.errors import InputError, WorkbenchError
from app.services.checklists.answer_draws import answered_version, draw_planned, draw_same_texts, drawable
from app.services.checklists.assignments import overlap_of, progress
from app.services.checklists.expert_answers import expert_answers, read_message, save_entries, texts_of
from app.services.data.uploads import SUFFIXES, Upload
from app.services.results.corrected_shares import planned_answers
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import AnswerAuthors, ImportedAnswers, answer_columns, import_answer_upload
from app.services.think_aloud.samples import verdicts_by
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import OUTBOX
from pages.components.shell.current import was_pressed
from pages.components.shell.frame import nothing_yet, scrolling_column
from pages.components.shell.labels import ShownErrors, button_label, number, plain, show_saved_error
from pages.components.shell.navigation.screens import go
from pages.components.shell.reading import readable_text, verdict_choice
from pages.components.shell.tables import left_out_rows, show_table
from pages.components.shell.upload_field import upload_field

ABOUT = (
    "A row an answer: doc_id (system_id and item_id where they tell texts apart), number or question, and answer: yes, "
    "no, skip or, where a question allows it, does not apply. Or a row a question, with a column for each expert or "
    "judge in the place of “answer”. Experts' answers join their sheets; each judge's become a run."
)
EXPERT, JUDGE = "An expert", "A judge"
_BROUGHT = "answers_brought_in"
_NOBODYS = ("doc_id", "system_id", "item_id", "number", "question", "from_version")


def answer_file(workbench: Workbench, versions: Sequence[Checklist]) -> None:
    """Draw the import of answers to any of the published versions; the first is preselected."""
    brought: ImportedAnswers | None = st.session_state.get(_BROUGHT)
    with st.expander("Answers from a file", key="answer_file", expanded=brought is not None):
        st.caption(ABOUT)
        file = upload_field(workbench, "A file with answers", SUFFIXES, "answers_file")
        if file is not None:
            _form(workbench, versions, file.file_id, Upload(file.name, file.getvalue()))
        if brought is not None:
            _report(brought)


def _form(workbench: Workbench, versions: Sequence[Checklist], file_id: str, upload: Upload) -> None:
    with ShownErrors():
        columns = answer_columns(upload)
        version = versions[0]
        if len(versions) > 1:
            version = st.selectbox(
                "Answers to", versions, format_func=lambda one: f"Version {one.version}", key=f"answers_to_{file_id}"
            )
        givers = _one_giver(columns, file_id) if "answer" in columns else _givers(columns, file_id)
        replace = False
        if givers and not (givers.judge or givers.judge_columns):
            replace = st.checkbox("They win over answers on record", key=f"answers_replace_{file_id}")
        if was_pressed("Bring these answers in", "bring_answers_in", disabled=givers is None) and givers:
            with st.spinner("Finding text and question of each answer"):
                st.session_state[_BROUGHT] = import_answer_upload(workbench, version.id, upload, givers, replace)
            st.rerun()


def _one_giver(columns: Sequence[str], file_id: str) -> AnswerAuthors | None:
    """Ask who answered, for a file with an answer a row. Return None until somebody is named."""
    named = next((column for column in ("judge", "expert") if column in columns), "")
    if named:
        st.caption(f"Its column “{named}” says whose they are.")
        return AnswerAuthors()
    kind, name = st.columns([1, 2], vertical_alignment="bottom")
    whose = kind.segmented_control("Who answered", [EXPERT, JUDGE], default=EXPERT, key=f"answers_whose_{file_id}")
    said = name.text_input("Name", key=f"answers_name_{file_id}", max_chars=60).strip()
    if not (whose and said):
        return None
    return AnswerAuthors(expert=said) if whose == EXPERT else AnswerAuthors(judge=said)


def _givers(columns: Sequence[str], file_id: str) -> AnswerAuthors | None:
    """Ask for the column of each expert or judge. Return None until one is chosen."""
    choices = [column for column in columns if column not in _NOBODYS]
    left, right = st.columns(2)
    people = left.multiselect("Experts", choices, key=f"answers_experts_{file_id}", placeholder="their columns")
    others = [column for column in choices if column not in people]
    judges = right.multiselect("Judges", others, key=f"answers_judges_{file_id}", placeholder="their columns")
    if not (people or judges):
        return None
    return AnswerAuthors(expert_columns=tuple(people), judge_columns=tuple(judges))


def _report(brought: ImportedAnswers) -> None:
    with st.container(border=True, key="answers_report"):
        heading, action = st.columns([5, 1], vertical_alignment="center")
        with action.container(horizontal_alignment="right"):
            if was_pressed("Close", key="close_answers_report", type="tertiary"):
                del st.session_state[_BROUGHT]
                st.rerun()
        said: list[str] = []
        skipped: list[tuple[int, str]] = []
        if people := brought.experts:
            said.append(
                f"**{number(people.kept, 'answer')}** of experts came in; {people.known:,} were known, "
                f"{people.blank:,} blank."
            )
            skipped += people.skipped
        if judges := brought.judges:
            for one in judges.judges:
                held = f"{number(one.answers, 'answer')} on {number(one.texts, 'text')}"
                said.append(f"**Run {one.run}, {plain(one.judge)}:** {held}.")
            for name, run in judges.known:
                said.append(f"Run {run} holds the answers of {plain(name)} in this file already.")
            skipped += judges.skipped
        heading.markdown("\n\n".join(said))
        if skipped:
            title = f"**{number(len(skipped), 'row')}** could not be used:"
            left_out_rows(title, skipped, "answers_left_out", "answers-left-out")


WORDS = {Answer.YES: "yes", Answer.NO: "no", Answer.NOT_APPLICABLE: "does not apply", Answer.UNANSWERED: "skipped"}
_CHOICES = (
    (Answer.YES, "Yes", "Y"),
    (Answer.NO, "No", "N"),
    (Answer.NOT_APPLICABLE, "Does not apply", "A"),
    (Answer.UNANSWERED, "Skip", "S"),
)
APART = (Answer.NOT_APPLICABLE, Answer.UNANSWERED)
_HERE = Path(__file__).parent

_component = st.components.v2.component(
    "interacteval_answer_keys",
    js=f"{OUTBOX}\n{(_HERE / 'keys.js').read_text(encoding='utf-8')}",
    css=(_HERE / "keys.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # Streamlit's own keys must see that somebody writes a note
)


def answer_keys(
    key: str, mine: AnswerSheet, place: int, confirmed: tuple[str, int], on_entries: Callable[[], None]
) -> object:
    """Draw the text at `place` of the sheet; return the newest message of the browser, unchanged.

    `confirmed` says up to which entry everything of an opened page is saved.
    """
    page, number = confirmed
    data = {
        "sheet": key,
        "page": page,
        "confirmed": number,
        "text": mine.texts[place],
        "first": place == 0,
        "last": place == len(mine.texts) - 1,
        "choices": _choices(mine),
        "questions": _questions(mine, mine.texts[place]),
    }
    return _component(key=key, data=data, on_entries_change=on_entries).get("entries")


def _choices(mine: AnswerSheet) -> list[dict[str, Any]]:
    """Return the answers as keys. `open`: only for questions that allow it; without it the key is left out. `apart`:
    not counted with answers."""
    may_not_apply = any(question.may_not_apply for question in mine.checklist.asked)
    return [
        {"answer": choice.value, "label": label, "key": letter, "said": WORDS[choice], "apart": choice in APART}
        | ({"open": True} if choice is Answer.NOT_APPLICABLE else {})
        for choice, label, letter in _CHOICES
        if may_not_apply or choice is not Answer.NOT_APPLICABLE
    ]


def _questions(mine: AnswerSheet, text: int) -> list[dict[str, Any]]:
    shown = []
    for question in mine.checklist.asked:
        one = mine.given.get((text, question.id))
        shown.append(
            {
                "id": question.id,
                "text": question.text,
                "component": question.component,
                "guidance": question.expert_guidance,
                "open": question.may_not_apply,
                "answer": one.answer.value if one and one.answer else None,
                "note": one.note if one else "",
            }
        )
    return shown


AGAIN, MORE = "draw_again", "draw_more"
"""Session keys of the version for which other, or more, texts are being drawn."""
_NONE = "No text is left to draw: all are locked, or were read as samples."
_NONE_MORE = "All texts that can be drawn are drawn."


def plan_form(workbench: Workbench, checklist: Checklist, draw: AnswerDraw | None = None) -> None:
    """Draw the form for the first texts of a version, or, with its `draw`, for more texts; they are previewed or drawn
    at once."""
    st.subheader(f"{'More' if draw else 'Draw'} texts for version {checklist.version}", anchor=False)
    if draw is None:
        _same_texts(workbench, checklist)
    there = drawable(workbench, checklist.id) - (len(draw.texts) if draw else 0)
    if there < 1:
        st.markdown(_NONE_MORE if draw else _NONE)
        return
    shared = overlap_of(workbench, checklist.id)
    whose = f"Each text goes to {number(shared, 'expert')}" if shared else "Every expert gets the same texts"
    st.caption(
        f"For the project's facilitator. {whose}, in an order of their own. "
        f"{number(there, 'text')} can be drawn; samples and locked texts are left out. "
        "Texts with ratings are drawn so that low and high ones keep their share."
    )
    key = f"{'more' if draw else 'draw'}_{{}}_{checklist.id}"
    shown = f"planned_{key}"
    # Drawing can't be undone once somebody has answered: Enter in a field is not meant so.
    with st.form(key.format("form"), border=False, enter_to_submit=False):
        usual = DEFAULT_MORE_TEXTS if draw else DEFAULT_TEXTS
        many, seeds = st.columns(2, width=400)
        texts = many.number_input("Texts", 1, there, min(usual, there), key=key.format("texts"))
        seed = seeds.number_input("Seed", 0, 2**31 - 1, 1, key=key.format("seed"))
        wished = WaveRequest(int(texts), int(seed), draw is None)
        with st.container(horizontal=True):
            drawn = was_pressed("Draw the texts", key.format("submit"), form=True)
            looked = was_pressed("What would that bring?", key=key.format("look"), form=True)
    with ShownErrors():
        if drawn:
            draw_planned(workbench, checklist.id, wished)
            for opened in (shown, AGAIN, MORE):
                st.session_state.pop(opened, None)
            st.rerun()
        if looked:
            st.session_state[shown] = planned_answers(workbench, checklist.id, wished)
    if shown in st.session_state:
        for sentence in st.session_state[shown].forecast.said:
            st.markdown(sentence)


def _same_texts(workbench: Workbench, checklist: Checklist) -> None:
    """Offer the texts of an earlier version, whose answers to unchanged questions then count."""
    earlier = answered_version(workbench, checklist.id)
    if earlier is None:
        return
    st.markdown(
        f"Experts answered version {earlier}. On the same texts their answers to unchanged questions count again."
    )
    if was_pressed(f"Use version {earlier}'s texts", key=f"draw_same_{checklist.id}"):
        with ShownErrors():
            draw_same_texts(workbench, checklist.id)
            st.rerun()


_ASK = "Ask your experts to open this screen and give their name."


def expert_progress(workbench: Workbench, checklist: Checklist, draw: AnswerDraw) -> None:
    """Draw what was drawn, and how far each expert is; their answers are on Results."""
    st.subheader(f"Version {checklist.version}", anchor=False)
    st.caption(f"{number(len(draw.texts), 'text')}, {number(len(checklist.asked), 'question')} each. {_waves(draw)}")
    if shared := overlap_of(workbench, checklist.id):
        st.caption(f"Each text goes to {number(shared, 'expert')}; whose they are stands on Overview, below “People”.")
    found = expert_answers(workbench, checklist.id)
    if carried := str(found.carried):
        st.markdown(carried)
    sheets = progress(found)
    if not sheets:
        signed_in = workbench.actor.person is not None
        todo = "Your experts find them under My work." if signed_in else _ASK
        nothing_yet("answered", f"Nobody has answered yet. {todo}")
        if st.session_state.get(AGAIN) == checklist.id:
            plan_form(workbench, checklist)
        elif was_pressed("Draw other texts", key=f"draw_again_{checklist.id}", type="tertiary"):
            st.session_state[AGAIN] = checklist.id
            st.rerun()
        return
    frame = pd.DataFrame(
        [
            {
                "Expert": one.expert,
                "Texts finished": one.texts / max(one.all, 1),
                "Answers": one.answers,
                "Skipped": one.skipped,
                **({"Does not apply": one.does_not_apply} if any(q.may_not_apply for q in checklist.asked) else {}),
                "Notes": one.notes,
            }
            for one in sheets
        ]
    )
    show_table(
        frame,
        f"answer_progress_{checklist.id}",
        {"Texts finished": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)},
        width="content",
    )
    if st.session_state.get(MORE) == checklist.id:
        plan_form(workbench, checklist, draw)
    elif was_pressed(
        button_label("Give everybody more texts", f"about version {checklist.version}"),
        key=f"draw_more_{checklist.id}",
        type="tertiary",
        help="After the texts they have. What they answered stays.",
    ):
        st.session_state[MORE] = checklist.id
        st.rerun()
    agreement = button_label("See who agrees on which question", f"of version {checklist.version}")
    if was_pressed(agreement, key=f"to_results_{checklist.id}", type="tertiary"):
        go("results", {"view": "questions"})


def _waves(draw: AnswerDraw) -> str:
    """Return in words when the texts were drawn, and how."""
    how = "by chance, spread over the human scores" if draw.stratified else "by chance, since no text is rated"
    return " ".join(
        f"{number(len(wave.texts), 'text')} drawn on {local_time.said(wave.drawn_at, local_time.DAY)} with seed "
        f"{wave.seed}, {how if wave.design == 'chance' else 'rather where the judge is least sure'}."
        for wave in draw.waves
    )


NOTHING_YET = ("", 0)
_PROBLEM = "answer_problem"
_NOT_DRAWN = InputError(
    "An answer was not kept: its question and text aren't among those drawn, or the question doesn't take it.",
    "Reload the page.",
)


def sheet(workbench: Workbench, project: Project, dimension: Dimension, mine: AnswerSheet) -> None:
    """Draw the answer sheet. Answers are saved at once; after a refresh it shows the first unfinished text.

    It is no fragment: a restarted server wouldn't know it, and would never get what the browser sends again.
    """
    show_saved_error(_PROBLEM)
    texts = texts_of(workbench, mine.draw)
    place = _place(mine)
    if place == len(mine.texts):
        _finished(mine)
        return
    text = texts[mine.texts[place]]
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.caption(plain(project.task.text_name.capitalize()))
        readable_text(text, "text", f"answer_text_{text.id}")
        if text.source:
            st.caption(plain(project.task.source_name.capitalize()))
            readable_text(text, "source", f"answer_source_{text.id}")
        with st.expander(f"What {plain(dimension.name)} means", key="answer_rubric"):
            st.text(dimension.rubric or "It has no rubric.")
    with right, scrolling_column("answering"):
        done = number(mine.done, "text")
        st.progress(mine.done / len(mine.texts), f"Text {place + 1} of {len(mine.texts)} · {done} finished")
        if carried := str(mine.carried):
            st.caption(f"Yours: {carried} Change any of them here.")
        given = verdicts_by(workbench, dimension.id, mine.expert).get(text.id)
        verdict_choice(workbench, dimension, mine.expert, text.id, given)
        _keys(workbench, mine, place)


def _place(mine: AnswerSheet) -> int:
    """Return the expert's current text; at first the first unfinished one."""
    key = _place_key(mine)
    if key not in st.session_state:
        asked = len(mine.checklist.asked)
        unfinished = (place for place, text in enumerate(mine.texts) if mine.answered(text) < asked)
        st.session_state[key] = next(unfinished, len(mine.texts))
    return min(int(st.session_state[key]), len(mine.texts))


def _place_key(mine: AnswerSheet) -> str:
    return f"answer_place_{mine.draw.id}_{mine.expert}"


def _keys(workbench: Workbench, mine: AnswerSheet, place: int) -> None:
    key = f"answer_entries_{mine.draw.id}_{mine.expert}"

    def take() -> None:
        _take(workbench, mine, st.session_state[key].get("entries"))

    sent = answer_keys(key, mine, place, _confirmed(mine), take)
    # After the server or the connection was away, what was sent last arrives with a new session, which calls nothing.
    if sent is not None and _confirmed(mine) == NOTHING_YET and _take(workbench, mine, sent):
        st.rerun()


def _confirmed(mine: AnswerSheet) -> tuple[str, int]:
    """Return the opened page that sent entries last, and the entry up to which all are saved."""
    page, last = st.session_state.get(_confirmed_key(mine), NOTHING_YET)
    return str(page), int(last)


def _confirmed_key(mine: AnswerSheet) -> str:
    return f"answer_confirmed_{mine.draw.id}_{mine.expert}"


def _take(workbench: Workbench, mine: AnswerSheet, sent: object) -> bool:
    """Save what the browser sent and this session hasn't saved yet. Entries that could not be stored aren't confirmed,
    and are sent again; entries that can't be answers to this sheet are reported and dropped."""
    try:
        message = read_message(sent)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return False
    page, last = _confirmed(mine)
    fresh = [entry for entry in message.entries if message.page != page or entry.number > last]
    if not fresh:
        return False
    try:
        if save_entries(workbench, mine.draw, mine.expert, fresh):
            st.session_state[_PROBLEM] = _NOT_DRAWN
    except InputError as error:
        st.session_state[_PROBLEM] = error
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return False
    _follow(mine, fresh)
    st.session_state[_confirmed_key(mine)] = (message.page, fresh[-1].number)
    return True


def _follow(mine: AnswerSheet, entries: list[SheetEntry]) -> None:
    """Go to the text that the expert went to; ignore a step from a text that is no longer on the screen."""
    for entry in entries:
        place = _place(mine)
        if entry.step and place < len(mine.texts) and mine.texts[place] == entry.text:
            _go(mine, place + entry.step)


def _finished(mine: AnswerSheet) -> None:
    asked = len(mine.checklist.asked)
    unfinished = [place for place, text in enumerate(mine.texts) if mine.answered(text) < asked]
    if unfinished:
        st.markdown(f"**{number(len(unfinished), 'text')} still without all answers.** The others are saved.")
        st.button(
            "Go to the first of them", key="answer_unfinished", type="primary", on_click=_go, args=[mine, unfinished[0]]
        )
    else:
        apart = {WORDS[kind]: mine.count(kind) for kind in APART}
        said = ", ".join(f"{count:,} {words}" for words, count in apart.items() if count)
        answers = number(mine.count(Answer.YES, Answer.NO), "question")
        if said:
            texts = number(len(mine.texts), "text")
            st.markdown(f"**All {texts} are done. Thank you.** You answered {answers}; {said}. Everything is saved.")
        else:
            st.markdown(f"**All {number(len(mine.texts), 'text')} are answered. Thank you.** Everything is saved.")
    st.button("Look at the texts again", key="answer_again", type="tertiary", on_click=_go, args=[mine, 0])


def _go(mine: AnswerSheet, place: int) -> None:
    st.session_state[_place_key(mine)] = max(0, place)
