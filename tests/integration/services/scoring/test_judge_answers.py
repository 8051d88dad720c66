"""Answers of judges that were asked elsewhere come in as runs, and nobody asks those judges again."""

import csv
import io

import pytest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.errors import InputError, UnsupportedError
from app.services.checklists.expert_answers import expert_answers
from app.services.data.uploads import Upload
from app.services.disagreements.queue import disagreement_queue
from app.services.results.quality_cost import cost_of
from app.services.results.results import results_of
from app.services.runtime.judges import judge_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import AnswerAuthors, JudgeImport, import_answer_upload, import_judge_answers
from app.services.scoring.runs import check_can_resume, get_run, list_runs
from tests.support.disagreements import WORDINGS, experts_say, parted_project, text_ids

Row = dict[str, object]


@pytest.fixture
def checklist(workbench: Workbench) -> Checklist:
    return parted_project(workbench)


def written(rows: list[Row]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def said(text: int, question: int, answer: str, **more: object) -> Row:
    return {"doc_id": f"letter-{text}", "question": WORDINGS[question], "answer": answer, **more}


def brought(workbench: Workbench, checklist: Checklist, rows: list[Row], judge: str = "gpt-4o") -> JudgeImport:
    return import_judge_answers(workbench, checklist.id, written(rows), "answers.csv", judge)


def test_a_judges_answers_become_a_run_of_its_own(workbench: Workbench, checklist: Checklist) -> None:
    rows = [
        said(0, 0, "yes", rationale="It says Dear all.", quote="Dear all", p_yes="0.75"),
        said(0, 1, "No"),
        said(0, 2, "n/a"),
        said(1, 0, "yes"),
        said(1, 1, "can't tell"),
        said(2, 0, ""),
    ]
    found = brought(workbench, checklist, rows)
    (one,) = found.judges
    assert (one.judge, one.texts, one.answers, found.blank, found.skipped) == ("file:gpt-4o", 2, 5, 1, ())
    run = get_run(workbench, one.run)
    assert (run.evaluator, run.judge, run.done, run.all, run.from_file) == ("checklist", "file:gpt-4o", 2, 2, True)
    first, second, *_ = text_ids(workbench, checklist)
    with workbench.database.read() as work:
        dimension = work.checklists.dimension_of(checklist.id)
        judged = work.results.judgments_by_text(one.run, dimension)
        scores = {row.text: (row.score, row.coverage) for row in work.results.scored(one.run, dimension)}
    assert [each.answer for each in judged[first]] == [Answer.YES, Answer.NO, Answer.NOT_APPLICABLE]
    assert (judged[first][0].rationale, judged[first][0].quote, judged[first][0].p_yes) == (
        "It says Dear all.",
        "Dear all",
        0.75,
    )
    assert [(each.answer, each.cannot_tell) for each in judged[second]] == [
        (Answer.YES, False),
        (Answer.UNANSWERED, True),
        (Answer.UNANSWERED, False),
    ]
    # 1 + 4 * 1 of 2 yes, then of 1; "does not apply" is an answer, the other two of the second text are none.
    assert scores == {first: (3.0, 1.0), second: (5.0, pytest.approx(1 / 3))}


def test_a_column_names_the_judges_and_repeats_are_told_apart(workbench: Workbench, checklist: Checklist) -> None:
    rows = [
        said(0, 0, "yes", judge="a", repeat=0),
        said(0, 0, "no", judge="a", repeat=1),
        said(0, 0, "no", judge="openai:b"),
    ]
    found = import_answer_upload(workbench, checklist.id, Upload("all.csv", written(rows)), AnswerAuthors())
    assert found.experts is None
    assert found.judges is not None
    assert [(one.judge, one.answers) for one in found.judges.judges] == [("file:a", 2), ("file:openai:b", 1)]
    assert get_run(workbench, found.judges.judges[0].run).params["repeats"] == 2


def test_columns_of_people_and_judges_come_in_at_once(workbench: Workbench, checklist: Checklist) -> None:
    rows: list[Row] = [
        {"doc_id": "letter-0", "question": WORDINGS[0], "Ana": "yes", "Ben": "no", "m1": "no", "m2": "yes"},
        {"doc_id": "letter-1", "question": WORDINGS[0], "Ana": "yes", "Ben": "", "m1": "no", "m2": ""},
    ]
    upload = Upload("wide.csv", written(rows))
    givers = AnswerAuthors(expert_columns=("Ana", "Ben"), judge_columns=("m1", "m2"))
    found = import_answer_upload(workbench, checklist.id, upload, givers)
    assert found.experts is not None
    assert found.judges is not None
    assert (found.experts.kept, found.experts.blank, found.judges.blank) == (3, 1, 1)
    assert [(one.judge, one.texts) for one in found.judges.judges] == [("file:m1", 2), ("file:m2", 1)]
    assert expert_answers(workbench, checklist.id).experts == ("Ana", "Ben")
    again = import_answer_upload(workbench, checklist.id, upload, givers)
    assert again.experts is not None
    assert again.judges is not None
    assert (again.experts.kept, again.experts.known) == (0, 3)
    assert again.judges.judges == ()
    assert [judge for judge, _ in again.judges.known] == ["file:m1", "file:m2"]
    assert len(list_runs(workbench, 1)) == 2


def test_rows_that_cant_be_used_are_listed_and_the_others_come_in(workbench: Workbench, checklist: Checklist) -> None:
    rows = [
        said(9, 0, "yes"),
        said(0, 0, "perhaps"),
        said(0, 0, "n/a"),
        said(0, 0, "yes", repeat="-1"),
        said(0, 0, "yes", p_yes="1.5"),
        said(0, 0, "yes", p_yes="much"),
        said(0, 0, "yes"),
        said(0, 0, "no"),
    ]
    found = brought(workbench, checklist, rows)
    assert [one.answers for one in found.judges] == [1]
    reasons = ["letter-9 is not among", "no answer", "doesn't allow", "whole number", "outside 0 to 1", "not a number"]
    assert [row for row, _ in found.skipped] == [1, 2, 3, 4, 5, 6, 8]
    assert all(part in why for part, (_, why) in zip([*reasons, "earlier row"], found.skipped, strict=True))


def test_a_file_without_an_answer_changes_nothing(workbench: Workbench, checklist: Checklist) -> None:
    with pytest.raises(InputError, match=r"holds an answer of a judge. Row 1: letter-9 is not among"):
        brought(workbench, checklist, [said(9, 0, "yes")])
    with pytest.raises(InputError, match="No judge is named"):
        brought(workbench, checklist, [said(0, 0, "yes")], judge=" ")
    assert list_runs(workbench, 1) == []


def test_whoever_is_named_must_be_one(workbench: Workbench, checklist: Checklist) -> None:
    with pytest.raises(InputError, match="can't be an expert's and a judge's"):
        AnswerAuthors("Ana", "gpt-4o")
    with pytest.raises(InputError, match="“m1” can't be an expert and a judge"):
        AnswerAuthors(expert_columns=("m1",), judge_columns=("m1",))
    upload = Upload("all.csv", written([said(0, 0, "yes")]))
    with pytest.raises(InputError, match="replace nothing"):
        import_answer_upload(workbench, checklist.id, upload, AnswerAuthors(judge="gpt-4o"), replace=True)


def test_who_answered_in_a_file_is_shown_beside_the_others_and_cant_be_asked(
    workbench: Workbench, checklist: Checklist
) -> None:
    experts_say(workbench, checklist, {"Ana": ["yny", "yyy", "nny", "yya"], "Ben": ["yny", "yyy", "yny", "yya"]})
    rows = [said(text, question, "yes") for text in range(4) for question in range(3)]
    (one,) = brought(workbench, checklist, rows).judges
    assert disagreement_queue(workbench, checklist.id).judges == ("file:gpt-4o",)
    assert [result.run.judge for result in results_of(workbench, one.run)] == ["file:gpt-4o"]
    run = get_run(workbench, one.run)
    assert cost_of(workbench, run).reason == "computed elsewhere"
    with pytest.raises(InputError, match="came from a file, so there is nothing to resume"):
        check_can_resume(workbench, 1, one.run)
    with pytest.raises(UnsupportedError, match="came from a file, so it can't be asked"):
        judge_named(workbench, "file:gpt-4o")
