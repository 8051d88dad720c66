"""The answers of a whole run, on both engines."""

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension, Task, Text
from app.domain.run import Outcome, RunDimension
from db.unit_of_work import Database


def test_answers_come_by_text_with_repeat_and_question_and_without_those_of_failed_texts(database: Database):
    with database.write() as work:
        project = work.projects.add("News", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("order"))
        other = work.projects.add_dimension(project.id, Dimension("warmth"))
        work.texts.add_many(project.id, [Text("d1", "one"), Text("d2", "two"), Text("d3", "three")])
        first, second, third = (text.id for text in work.texts.page(project.id, 0, 3))
        draft = Checklist(
            "order", 0, ChecklistStatus.DRAFT, "comb", "", (Component("A"),), (Question("A?", "A"), Question("B?", "A"))
        )
        a, b = (question.id for question in work.checklists.get(work.checklists.save(dimension.id, draft)).questions)
        run = work.runs.create(
            project.id, "checklist", "rules", {}, [RunDimension(dimension.id, None, texts=(first, second, third))]
        )
        one, two, _ = work.runs.open_scores(run)
        said = (Judgment(a, Answer.YES), Judgment(b, Answer.UNANSWERED), Judgment(a, Answer.NO, repeat=1))
        work.runs.save(
            [
                Outcome(one, Evaluation(5.0, 0.75, said)),
                Outcome(
                    two, Evaluation(None, judgments=(Judgment(a, Answer.YES),)), error_kind="timeout", error="late"
                ),
            ]
        )
    with database.read() as work:
        assert work.results.answers(run, dimension.id) == {
            first: [(0, a, Answer.YES), (0, b, Answer.UNANSWERED), (1, a, Answer.NO)]
        }
        assert work.results.answers(run, other.id) == {}
        assert work.results.answers(-1, dimension.id) == {}
