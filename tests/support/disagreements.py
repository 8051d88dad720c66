"""A small project whose experts and judges part, with all that is needed to decide about it."""

from collections.abc import Mapping, Sequence

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.checklist_score import Answer, Evaluation, Judgment, checklist_score
from app.domain.expert_answer import AnswerDraw
from app.domain.project import Dimension, Task, Text
from app.domain.run import Outcome, RunDimension, RunStatus
from app.services.checklists.answer_draws import draw_texts
from app.services.runtime.workbench import Workbench
from tests.support.answering import answer_all

LETTERS = {"y": Answer.YES, "n": Answer.NO, "a": Answer.NOT_APPLICABLE, "?": Answer.UNANSWERED}
WORDINGS = ("Does it greet?", "Is it warm?", "Does it end politely?")


def parted_project(workbench: Workbench, texts: int = 4, name: str = "Letters") -> Checklist:
    """A published checklist of three questions, the last of which may not apply; all texts are drawn for experts."""
    with workbench.database.write() as work:
        project = work.projects.add(name, Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone", "How it sounds."))
        work.texts.add_many(project.id, [Text(f"letter-{n}", f"Dear all, this is letter {n}.") for n in range(texts)])
        asked = tuple(
            Question(text, "Form" if n else "Opening", position=n, may_not_apply=n == 2)
            for n, text in enumerate(WORDINGS)
        )
        parts = (Component("Opening"), Component("Form"))
        draft = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", parts, asked)
        made = work.checklists.publish(work.checklists.save(dimension.id, draft))
    draw_texts(workbench, made.id, texts, seed=1)
    return made


def text_ids(workbench: Workbench, checklist: Checklist) -> list[int]:
    """In import order."""
    with workbench.database.read() as work:
        return list(work.texts.ids(work.projects.project_of(work.checklists.dimension_of(checklist.id)).id))


def experts_say(workbench: Workbench, checklist: Checklist, said: Mapping[str, Sequence[str]]) -> AnswerDraw:
    """Name -> a word a text, with a letter a question: y, n, a (does not apply), ? (skipped), - (not answered)."""
    with workbench.database.read() as work:
        draw = work.expert_answers.draw_of(checklist.id)
    assert draw is not None
    texts = text_ids(workbench, checklist)
    for expert, words in said.items():
        given = {
            (text, question.id): LETTERS[letter]
            for text, word in zip(texts, words, strict=True)
            for question, letter in zip(checklist.asked, word, strict=True)
            if letter != "-"
        }
        answer_all(workbench, draw, expert, given)
    return draw


def judge_says(
    workbench: Workbench, checklist: Checklist, judge: str, *repeats: Sequence[str], quote: str = "", **params: object
) -> int:
    """The run in which a judge said so: for each repeat a word a text, as for experts; a quote with every answer."""
    with workbench.database.write() as work:
        dimension_id = work.checklists.dimension_of(checklist.id)
        project = work.projects.project_of(dimension_id)
        texts = list(work.texts.ids(project.id))
        part = RunDimension(dimension_id, checklist.id, texts=tuple(texts), name="tone")
        run = work.runs.create(project.id, "checklist", judge, {"repeats": len(repeats), **params}, [part])
        outcomes = []
        for planned in work.runs.open_scores(run):
            row = texts.index(planned.text)
            judgments = tuple(
                Judgment(question.id, LETTERS[word[row][place]], f"{judge} says why.", repeat, quote=quote)
                for repeat, word in enumerate(repeats)
                for place, question in enumerate(checklist.asked)
                if word[row][place] != "-"
            )
            score = checklist_score([one.answer for one in judgments], 1, 5)
            outcomes.append(Outcome(planned, Evaluation(score.value, score.coverage, judgments)))
        work.runs.save(outcomes)
        work.runs.finish(run, RunStatus.DONE)
        return run
