"""What can be taken along of a project before it is deleted, whatever things in it are called."""

import csv
import io
import json
from pathlib import PurePosixPath
from zipfile import ZipFile

import pytest

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist_score import Answer
from app.domain.improvement import AnswerErrors, Improvement, ProposedWording, TriedWording, WordingTrial
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.roles_and_rights import Role
from app.services.attributes.attributes import add_attributes
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.assignments import give_dimensions, share_texts
from app.services.checklists.checklist_files import import_checklist_file
from app.services.checklists.checklists import new_draft
from app.services.checklists.expert_answers import answer
from app.services.data.held_out_split import lock
from app.services.people.invitations import invite
from app.services.results.archive import archive_bytes, archive_name
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.projects import ready_to_score, small_checklist

ODD = ("../up", "CON", "=1+1", "a/b\\c:d", "評価", "***", "a" * 80)


@pytest.fixture
def full(workbench: Workbench) -> Workbench:
    """Project 1, scored by the rules, with two versions, attributes of two and an expert's answers to three texts."""
    dimension = ready_to_score(workbench, texts=40)
    add_attributes(workbench, dimension.id, "Ana", ContributorKind.HUMAN, ["It has one thread.", "=SUM(A1)"])
    with workbench.database.write() as work:
        work.think_aloud.set_status(work.think_aloud.attributes(1)[-1].id, AttributeStatus.EXCLUDED, "no attribute")
    new_draft(workbench, 1)
    invite(workbench, 1, "Ana", Role.EXPERT)
    give_dimensions(workbench, 1, "Ana", [dimension.id])
    share_texts(workbench, dimension.id, 1)
    draw = draw_texts(workbench, 1, 3, seed=1)
    with workbench.database.read() as work:
        question = work.checklists.get(1).asked[0].id
    answer(workbench, draw, "Ana", draw.texts[0], question, Answer.YES)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))
    with workbench.database.write() as work:
        answers = {(draw.texts[0], question): Answer.YES}
        frozen = work.anchors.freeze(dimension.id, 1, draw.texts[:1], answers, "d1ge57", "Ana")
        look = work.anchors.begin(frozen.id, 1, "rules", "rules", False)
        text = draw.texts[0]
        work.decisions.add(question, text, Answer.NO, "Fay", why="It jumps.")
        work.improvements.add(
            Improvement(
                question,
                "openai:writer",
                "rules",
                1,
                ProposedWording("Is part 0 in its place?"),
                (1,),
                (TriedWording(ProposedWording("Is it?"), WordingTrial(AnswerErrors(1, 1), AnswerErrors(1), 1, 0)),),
            )
        )
        work.anchors.conclude(look.id, {"p": 1.0}, "no change seen")
    return workbench


def test_everything_is_in_it(full: Workbench) -> None:
    with ZipFile(io.BytesIO(archive_bytes(full, 1))) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert set(found) == {
        "README.txt",
        "project.json",
        *(f"{name}.csv" for name in ("texts", "ratings", "samples", "attributes", "side-by-side", "runs", "scores")),
        "attributes.json",
        "judge-answers.csv",
        "anchors.csv",
        "assignments.csv",
        "anchor-looks.csv",
        "decisions.csv",
        "improvements.csv",
        *(f"checklists/1-coherence/version-{n}{end}" for n in (1, 2) for end in (".json", ".md", "-lineage.json")),
        "expert-answers/1-coherence-version-1.csv",
        "expert-answers/1-coherence-version-1-drawn.csv",
        "expert-answers/1-coherence-version-1-shared.csv",
    }
    tables = {name: _rows(content) for name, content in found.items() if name.endswith(".csv")}
    assert len(tables["texts.csv"]) == len(tables["ratings.csv"]) == len(tables["scores.csv"]) == 40
    assert len(tables["judge-answers.csv"]) == 40 * 3
    (anchor,), (look,) = tables["anchors.csv"], tables["anchor-looks.csv"]
    assert (anchor["version"], anchor["digest"], anchor["answer"]) == ("1", "d1ge57", "yes")
    assert (look["run"], look["verdict"], look["figures"]) == ("1", "no change seen", '{"p": 1.0}')
    (decision,), (attempt,) = tables["decisions.csv"], tables["improvements.csv"]
    assert (decision["question"], decision["answer"]) == ("Is part 0 in its place?", "no")
    assert (decision["why"], decision["decided_by"], decision["undone_at"]) == ("It jumps.", "Fay", "")
    assert (attempt["model"], attempt["status"], attempt["decisions"]) == ("openai:writer", "open", "[1]")
    assert json.loads(attempt["tried"])[0]["wording"]["text"] == "Is it?"
    assert tables["texts.csv"][0] == {
        "doc_id": "d0",
        "system_id": "s0",
        "item_id": "",
        "text": "Text number 0.",
        "source": "Source 0.",
        "references": "",
        "extra": "",
    }
    assert tables["judge-answers.csv"][0]["question"] == "Is part 0 in its place?"
    assert [row["status"] for row in tables["attributes.csv"]] == ["active", "excluded"]
    assert tables["attributes.csv"][1]["text"] == "'=SUM(A1)"
    (said,) = tables["expert-answers/1-coherence-version-1.csv"]
    assert (said["expert"], said["answer"]) == ("Ana", "yes")
    drawn = tables["expert-answers/1-coherence-version-1-drawn.csv"]
    assert [row["wave"] for row in drawn] == ["1"] * len(drawn)
    assert {float(row["probability"]) for row in drawn} == {len(drawn) / 40}
    assert tables["assignments.csv"] == [{"dimension": "coherence", "expert": "Ana"}]
    shared = tables["expert-answers/1-coherence-version-1-shared.csv"]
    assert sorted(row["doc_id"] for row in shared) == sorted(row["doc_id"] for row in drawn)
    assert {row["expert"] for row in shared} == {"Ana"}
    assert json.loads(found["project.json"])["dimensions"][0]["overlap"] == 1
    assert json.loads(found["project.json"])["task"]["text_name"] == "summary"
    assert "locked" not in found["README.txt"].decode()
    version = found["checklists/1-coherence/version-1.json"]
    assert len(import_checklist_file(full, 1, version, "version-1.json").checklist.asked) == 3


def test_locked_texts_stay_locked_and_that_is_said(workbench: Workbench) -> None:
    ready_to_score(workbench, texts=32)
    lock(workbench, 1, 0.25, 1, "Ana")
    with ZipFile(io.BytesIO(archive_bytes(workbench, 1))) as archive:
        texts, ratings = _rows(archive.read("texts.csv")), _rows(archive.read("ratings.csv"))
        note = archive.read("README.txt").decode()
    assert len(texts) == len(ratings) == 24
    assert "The 8 texts of the held-out split are not in here" in note


def test_names_are_harmless_whatever_people_called_things(workbench: Workbench) -> None:
    for name in ODD:
        check_names(workbench, name)


def check_names(workbench: Workbench, name: str) -> None:
    with workbench.database.write() as work:
        project = work.projects.add(name, Task())
        for dimension in (name, f"{name}?"):  # alike but for a sign that no file name keeps
            made = work.projects.add_dimension(project.id, Dimension(dimension))
            small_checklist(work, made.id)
        work.texts.add_many(project.id, [Text(name, "=A text", name)])
        (text,) = work.texts.all(project.id)
        work.texts.add_ratings([(text.id, made.id, Rating(made.name, name, 2.0))])
    with ZipFile(io.BytesIO(archive_bytes(workbench, project.id))) as archive:
        names = archive.namelist()
        (rating,) = _rows(archive.read("ratings.csv"))
        title = archive.read("README.txt").decode().splitlines()[0]
    assert len({folder.parts[1] for folder in map(PurePosixPath, names) if len(folder.parts) > 2}) == 2
    for inside in [*names, archive_name(name)]:
        parts = inside.split("/")
        assert not {"", ".", ".."} & set(parts)
        assert not set('\\:*?"<>|=') & set(inside)
        assert all(len(part.encode()) < 200 for part in parts)
        assert not {"con", "nul"} & {part.partition(".")[0].lower() for part in parts}
    assert rating["rating"] == "2.0"
    assert rating["rater"].removeprefix("'") == name
    assert title.startswith(f"{name}, exported ")


def _rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
