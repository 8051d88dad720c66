"""Anchors and looks are read back as they were kept, and go with their project."""

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text
from app.domain.run import RunDimension
from db.unit_of_work import Database


def test_a_set_and_its_looks(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        made = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", (), (Question("Is it warm?", "", position=0),))
        checklist = work.checklists.get(work.checklists.save(dimension.id, made))
        work.texts.add_many(project.id, [Text("d", "Dear Ana")])
        (text,) = work.texts.ids_by_key(project.id).values()
        answers = {(text, checklist.asked[0].id): Answer.NO}
        plan = [RunDimension(dimension.id, checklist.id, texts=(text,))]
        run = work.runs.create(project.id, "checklist", "rules", {"anchors": 1}, plan)
        frozen = work.anchors.freeze(dimension.id, checklist.id, [text], answers, "abc", "Ana")
        look = work.anchors.begin(frozen.id, run, "rules", "old:model", is_reference=False)
        work.anchors.conclude(look.id, {"p": 0.5}, "no change seen")
    with database.read() as work:
        (found,) = work.anchors.sets(dimension.id)
        assert (found.texts, found.answers, found.digest, found.frozen_by) == ((text,), answers, "abc", "Ana")
        (look,) = work.anchors.looks(found.id)
        assert (look.judge, look.against, look.figures, look.verdict) == (
            "rules",
            "old:model",
            {"p": 0.5},
            "no change seen",
        )
        assert work.runs.all(project.id) == []
        assert [each.id for each in work.runs.all(project.id, anchors=True)] == [run]
    with database.write() as work:
        work.projects.delete(project.id)
    with database.read() as work:
        assert (work.anchors.sets(dimension.id), work.anchors.looks(found.id)) == ([], [])
