"""Answers of a run in columns, and names and wordings of some texts: the same as one by one, in the same order."""

from pathlib import Path

import numpy as np
import pytest

from app.domain.run import ANSWERS
from app.providers.credentials import Credentials
from app.services.runtime.workbench import Workbench
from db.repositories import texts as texts_module
from db.unit_of_work import Database
from tests.support.disagreements import judge_says, parted_project


@pytest.fixture
def run(database: Database, tmp_path: Path) -> int:
    workbench = Workbench(database, Credentials())
    made = parted_project(workbench)
    return judge_says(workbench, made, "rules", ["yny", "nn?", "y-a", "yyy"], ["nny", "nna", "y-a", "---"])


def test_columns_hold_every_answer_in_the_order_given(database: Database, run: int) -> None:
    with database.read() as work:
        dimension = work.runs.parts(run)[0].dimension
        columns, by_text = work.results.answer_columns(run, dimension), work.results.answers(run, dimension)
        every = list(work.results.each_judged(run, dimension))
    said = list(zip(columns.texts, columns.repeats, columns.questions, columns.answers, strict=True))
    assert [(text, repeat, question, ANSWERS[place]) for text, repeat, question, place in said] == [
        (text, one.repeat, one.question, one.answer) for text, one in every
    ]
    assert {text: [row[1:3] for row in said if row[0] == text] for text in by_text} == {
        text: [(repeat, question) for repeat, question, _ in given] for text, given in by_text.items()
    }
    assert len(said) == 2 * 4 * 3 - 2 - 3, "a dash is no answer"
    assert [np.asarray(column).dtype.itemsize for column in (columns.texts, columns.answers)] == [8, 1]


def test_a_run_that_asked_nothing_has_empty_columns(database: Database, run: int) -> None:
    with database.read() as work:
        assert np.asarray(work.results.answer_columns(run + 1, 1).texts).size == 0


def test_some_texts_by_their_numbers(database: Database, run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_module, "BLOCK", 3)
    with database.write() as work:
        project = work.projects.all()[0]
        texts = work.texts.all(project.id)
        work.held_out_splits.lock(project.id, [texts[-1].doc_id], 0.25, 0, "test")
    with database.read() as work:
        wanted = [text.id for text in texts]
        assert list(work.texts.ids(project.id)) == wanted[:-1], "none of the held-out split"
        assert work.texts.keys_of(wanted) == {text.id: text.key for text in texts[:-1]}
        assert dict(work.texts.each_wording(wanted)) == {text.id: text.text for text in texts[:-1]}
