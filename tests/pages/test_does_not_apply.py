"""Questions that may not apply, on Results."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.domain.checklist_score import Answer
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.checklists.expert_answers import answer
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on


def test_what_does_not_apply_has_figures_of_its_own(demo: Workbench, open_results: Callable[..., AppTest]) -> None:
    draft = new_draft(demo, 1)
    first = draft.asked[0]
    edit_question(demo, first, QuestionWording(first.text, first.component, may_not_apply=True))
    version = publish(demo, draft.id)
    draw, (question, *others) = draw_texts(demo, version.id, 4, seed=1), version.asked
    for expert in ("Ana", "Ben"):
        for n, text in enumerate(draw.texts):
            answer(demo, draw, expert, text, question.id, Answer.NOT_APPLICABLE if n % 2 else Answer.YES)
            answer(demo, draw, expert, text, others[0].id, Answer.YES if n % 2 else Answer.NO)
    run = start_run(
        demo, get_project(demo, "Demo").id, RunOptions(tuple(dimensions_named(demo, "Demo", "coherence")), "rules")
    )
    work_on(demo, run)
    app = open_results(run=str(run), view="questions")
    assert not app.exception
    (found,) = [one.value for one in app.dataframe if "Experts say it" in one.value]
    assert list(found["Question"]) == [question.text]
    assert list(found["Experts say it"]) == ["50 % of 8 answers"]
    assert list(found["Judge says it"]) == ["0 % of 4 texts"]
    assert found["Experts (alpha)"][0].startswith("1.000")
