"""Experts' answers leave as a table and come in from one, filled in by hand or not."""

import csv
import io

import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, WaveRequest
from app.errors import FileFormatError, NotReadyError
from app.services.checklists.answer_draws import draw_planned, draw_texts, drawable
from app.services.checklists.answer_files import answers_csv, import_answers
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.checklists.expert_answers import answer, answer_sheet, expert_answers, note
from app.services.runtime.workbench import Workbench

CHECKLIST = 1


@pytest.fixture
def draw(bench: Workbench) -> AnswerDraw:
    return draw_texts(bench, CHECKLIST, 3, seed=3)


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def written(rows: list[dict[str, str]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def test_a_sheet_holds_every_question_in_the_experts_order_with_blanks(bench: Workbench, draw: AnswerDraw) -> None:
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    answer(bench, draw, "Ana", sheet.texts[0], 2, Answer.UNANSWERED)
    rows = table(answers_csv(bench, CHECKLIST, "Ana"))
    with bench.database.read() as work:
        texts = work.texts.many(sheet.texts)
    assert [row["doc_id"] for row in rows[::3]] == [texts[t].doc_id for t in sheet.texts]
    assert [row["answer"] for row in rows] == ["", "skip", *[""] * 7]
    assert rows[0]["question"] == "Is part 0 in its place?"


def test_a_sheet_tells_what_the_screen_tells_of_each_question(bench: Workbench) -> None:
    draft = new_draft(bench, CHECKLIST)
    first, second, _ = draft.asked
    edit_question(bench, first, QuestionWording(first.text, first.component, "Dates count.", must_not=True))
    edit_question(bench, second, QuestionWording(second.text, second.component, may_not_apply=True))
    publish(bench, draft.id)
    draw_texts(bench, draft.id, 3, seed=3)
    rows = table(answers_csv(bench, draft.id, "Ana"))
    told = ["A yes is bad here. Dates count.", "Where it does not apply, write n/a.", ""]
    assert [row["guidance"] for row in rows] == told * 3
    rows[1]["answer"] = "n/a"
    assert import_answers(bench, draft.id, written(rows), "ana.csv").kept == 1


def test_a_filled_sheet_comes_in_and_comes_in_again_without_a_change(bench: Workbench, draw: AnswerDraw) -> None:
    rows = table(answers_csv(bench, CHECKLIST, "Ana"))
    for place, said in enumerate(["Yes", "n", "skip", " NO "]):
        rows[place]["answer"] = said
    rows[4]["note"] = "'=1+1"
    found = import_answers(bench, CHECKLIST, written(rows), "ana.csv")
    assert (found.kept, found.known, found.blank, found.skipped) == (5, 0, 4, ())
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    first, second = sheet.texts[:2]
    kept = [sheet.given[first, q].answer for q in (1, 2, 3)]
    assert kept == [Answer.YES, Answer.NO, Answer.UNANSWERED]
    assert sheet.given[second, 2].note == "=1+1"
    again = import_answers(bench, CHECKLIST, answers_csv(bench, CHECKLIST), "all.csv")
    assert (again.kept, again.known, again.skipped) == (0, 5, ())


def test_an_answer_on_record_stays_unless_the_file_shall_win(bench: Workbench, draw: AnswerDraw) -> None:
    text = answer_sheet(bench, CHECKLIST, "Ana").texts[0]
    answer(bench, draw, "Ana", text, 1, Answer.NO)
    note(bench, draw, "Ana", text, 1, "Hard.")
    rows = table(answers_csv(bench, CHECKLIST, "Ana"))
    rows[0].update(answer="yes", note="")
    found = import_answers(bench, CHECKLIST, written(rows), "ana.csv")
    assert found.skipped == ((1, "Ana has answered this already: no."),)
    assert import_answers(bench, CHECKLIST, written(rows), "ana.csv", replace=True).kept == 1
    (one,) = expert_answers(bench, CHECKLIST).answers
    assert (one.answer, one.note) == (Answer.YES, "Hard.")


def test_rows_that_cant_be_used_are_listed_and_the_others_come_in(bench: Workbench, draw: AnswerDraw) -> None:
    good, *_ = table(answers_csv(bench, CHECKLIST, "Ana"))
    good["answer"] = "yes"
    rows = [
        {**good, "doc_id": "elsewhere"},
        {**good, "number": "9"},
        {**good, "answer": "perhaps"},
        {**good, "expert": ""},
        good,
        good,
    ]
    found = import_answers(bench, CHECKLIST, written(rows), "ana.csv")
    assert found.kept == 1
    reasons = ["elsewhere", "no question of this version", "“perhaps” is no answer", "Nobody is named", "earlier row"]
    assert [row for row, _ in found.skipped] == [1, 2, 3, 4, 6]
    assert all(reason in said for reason, (_, said) in zip(reasons, found.skipped, strict=True))
    assert import_answers(bench, CHECKLIST, written([{**good, "expert": ""}]), "x.csv", expert="Bo").kept == 1


def test_a_table_of_something_else_and_one_before_the_draw_are_refused(bench: Workbench) -> None:
    with pytest.raises(NotReadyError, match="No texts are drawn"):
        import_answers(bench, CHECKLIST, b"doc_id,answer\nd,yes", "x.csv")
    draw_texts(bench, CHECKLIST, 3, seed=3)
    with pytest.raises(FileFormatError, match="no column “doc_id”"):
        import_answers(bench, CHECKLIST, b"a,b\n1,2", "x.csv")
    with pytest.raises(FileFormatError, match="binary data"):
        import_answers(bench, CHECKLIST, b"doc_id,answer\n\0,yes", "x.csv")


def test_everybodys_answers_say_how_their_texts_were_drawn_and_a_sheet_does_not(
    bench: Workbench, draw: AnswerDraw
) -> None:
    sheet = table(answers_csv(bench, CHECKLIST, "Ana"))
    assert not {"wave", "probability"} & sheet[0].keys()
    import_answers(bench, CHECKLIST, written([sheet[0] | {"answer": "yes"}]), "ana.csv")
    draw_planned(bench, CHECKLIST, WaveRequest(1))
    everybody = answers_csv(bench, CHECKLIST)
    (row,) = table(everybody)
    assert (row["wave"], float(row["probability"])) == ("1", pytest.approx(4 / drawable(bench, CHECKLIST)))
    assert import_answers(bench, CHECKLIST, everybody, "all.csv").known == 1
