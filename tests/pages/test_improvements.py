"""A question's panel of decisions: its errors, what was tried and proven, taken, edited or refused; its timeline."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist import Checklist, Example, Question
from app.domain.checklist_score import Answer
from app.domain.improvement import (
    AnswerErrors,
    Improvement,
    ImprovementStatus,
    ProposedWording,
    TriedWording,
    WordingTrial,
)
from app.meta_evaluation.judges.improvement_proof import too_few_sentence
from app.services.checklists.checklists import get_checklist, new_draft, versions_of
from app.services.data.projects import dimensions_named
from app.services.improvement.decided_answers import decided_questions
from app.services.improvement.improve import attempts_at, improvement_job_key
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.support.background import wait_for
from tests.support.model_field import not_set_up

Open = Callable[[str], AppTest]
BETTER = ProposedWording("Is it in order?", "A leap in time counts as no.", "Leaps were missed.")


@pytest.fixture
def draft(demo: Workbench) -> Checklist:
    """The judge was wrong about the first question on a third of its texts, as was decided."""
    dimension = dimensions_named(demo, "Demo", "all")[0]
    draft = new_draft(demo, versions_of(demo, dimension.id)[0].id)
    run = next(run for run in list_runs(demo) if dimension.name in run.dimensions)
    with demo.database.write() as work:
        judged = work.results.judgments_by_text(run.id, dimension.id)
        line = work.improvements.line_of(draft.asked[0].id)
        for place, (text, judgments) in enumerate(judged.items()):
            said = next(one.answer for one in judgments if one.question in line)
            other = Answer.NO if said is Answer.YES else Answer.YES
            work.decisions.add(draft.asked[0].id, text, said if place % 3 else other, "Ana", why="It leaps in time")
    return draft


def tried_on(draft: Checklist, proof: WordingTrial | None) -> Improvement:
    question = draft.asked[0]
    trial = WordingTrial(AnswerErrors(20, 4, 3), AnswerErrors(20, 1, 1), 5, 0, documents=9)
    before = ProposedWording(question.text, question.guidance)
    tried = (TriedWording(BETTER, trial),)
    return Improvement(question.id, "rules", "rules", None, before, (1, 2, 3), tried, 0, proof, 33, (), 90, 0.25)


PROVEN = WordingTrial(AnswerErrors(33, 8, 4), AnswerErrors(33, 1, 2), 9, 0, documents=11)


def opened(open_screen: Open, question: Question) -> AppTest:
    app = open_screen("checklist")
    return unfolded(app, question)


def unfolded(app: AppTest, question: Question) -> AppTest:
    app.session_state[f"improve_{question.id}"] = True
    return app.button(key=f"open_{question.id}").click().run()


def words(app: AppTest) -> str:
    shown = (*app.markdown, *app.caption, *app.success, *app.info, *app.error)
    return "\n".join(str(element.value) for element in shown).replace("\\", "")


def labels(app: AppTest) -> list[str]:
    return [expander.label for expander in app.expander]


def test_panel_says_errors_and_cost_and_asks_the_model_chosen_last(
    demo: Workbench, draft: Checklist, open_screen: Open
):
    question = draft.asked[0]
    app = open_screen("checklist")
    app.button(key=f"open_{draft.asked[1].id}").click().run()
    assert not app.exception
    assert not [label for label in labels(app) if label.startswith("Improve from")], "nobody decided about it"
    app = unfolded(app, question)
    assert not app.exception
    (label,) = [label for label in labels(app) if label.startswith("Improve from")]
    assert "false yes" in label
    said = words(app)
    assert too_few_sentence(len(decided_questions(demo, draft.id)[question.id].proof)) in said
    assert "Errors of the proof half are counted, not shown" in said
    assert "Up to five wordings, each tried on" in said
    assert "From version to version" in said
    with demo.database.write() as work:
        work.decisions.undo(work.decisions.of_checklist(draft.id)[question.id][0].id, "Ana")
    # The choice and the press reach the server together where the button is pressed right after it.
    model = app.run().selectbox(key=f"improving_model_{question.id}")
    model.set_value(not_set_up(model))
    app.button(key=f"improve_ask_{question.id}").click().run()
    wait_for(improvement_job_key(draft.id), demo)
    errors = [error.value for error in (*app.error, *app.run().error)]
    assert any("key" in message for message in errors)  # the one chosen before needs none
    app.selectbox(key=f"improving_model_{question.id}").set_value("rules").run()
    app.button(key=f"improve_ask_{question.id}").click().run()
    wait_for(improvement_job_key(draft.id), demo)
    app.run()
    assert not app.exception
    ((attempt,),) = attempts_at(demo, draft.id).values()
    assert attempt.model == "rules"
    assert "rests on" in words(app)


def test_a_proven_wording_is_edited_and_another_persons_decision_told(
    demo: Workbench, draft: Checklist, open_screen: Open
):
    with demo.database.write() as work:
        first = work.improvements.add(tried_on(draft, None))
        second = work.improvements.add(tried_on(draft, PROVEN))
    app = opened(open_screen, draft.asked[0])
    said = words(app)
    assert "Proven better on texts that no proposal had seen: right on 21 of 33 before and on 30 after" in said
    assert "+27 points right, 95 % interval" in said
    assert "Texts of 11 documents." in said
    assert "90 calls, $0.25 · rests on 3 decisions" in said
    with demo.database.write() as work:
        work.improvements.decide(first, ImprovementStatus.REFUSED, "Ben")
    app.button(key=f"refuse_improvement_{first}").click().run()
    assert "refused by Ben already" in words(app)
    app.text_area(key=f"improved_guidance_{second}").set_value("Any leap counts as no.")
    app.button(key=f"take_{second}").click().run()
    assert not app.exception
    assert "not saved yet" not in words(app)
    now = get_checklist(demo, draft.id).asked[0]
    assert (now.text, now.guidance) == (BETTER.text, "Any leap counts as no.")
    status = [attempt.status for attempt in attempts_at(demo, draft.id)[draft.asked[0].id]]
    assert status == [ImprovementStatus.REFUSED, ImprovementStatus.EDITED]
    lineage = open_screen("why_these_questions")
    lineage.session_state["lineage_part"] = "From questions back"
    assert "worded from 3 decisions" in words(lineage.run())


def test_examples_are_taken_removed_and_written_in_pairs_up_to_four(
    demo: Workbench, draft: Checklist, open_screen: Open
):
    question, shown = draft.asked[0], (Example("First the end.", "no", "It leaps."), Example("One, then two.", "yes"))
    tried = tried_on(draft, PROVEN)
    chosen = TriedWording(ProposedWording(question.text, question.guidance, "", shown), tried.tried[0].trial)
    with demo.database.write() as work:
        id_ = work.improvements.add(replace(tried, tried=(chosen,), beside=PROVEN))
    app = opened(open_screen, question)
    assert "Against random examples" in words(app)
    app.button(key=f"take_{id_}").click().run()
    assert not app.exception
    assert get_checklist(demo, draft.id).asked[0].examples == shown
    ((attempt,),) = attempts_at(demo, draft.id).values()
    assert attempt.status is ImprovementStatus.ACCEPTED
    app.button(key=f"open_{question.id}").click().run()
    app.button(key=f"remove_examples_{question.id}").click().run()
    assert not app.exception
    assert get_checklist(demo, draft.id).asked[0].examples == ()

    # Examples of a person: a pair, half a pair, and the pair that makes it four.
    if not [field for field in app.text_area if field.key == f"example_yes_{question.id}"]:
        app.button(key=f"open_{question.id}").click().run()
    for pair in range(2):
        app.text_area(key=f"example_yes_{question.id}").set_value(f"One, then  {pair}.")
        app.text_area(key=f"example_no_{question.id}").set_value("" if pair else "First the end.")
        app.text_input(key=f"example_reason_no_{question.id}").set_value("It leaps.")
        app.button(key=f"add_examples_{question.id}").click().run()
        assert not app.exception
    pair = (Example("One, then 0.", "yes"), Example("First the end.", "no", "It leaps."))
    assert get_checklist(demo, draft.id).asked[0].examples == pair, "an example without a text adds none"
    assert app.text_area(key=f"example_yes_{question.id}").value == "One, then  1.", "what was typed stays"
    app.text_area(key=f"example_no_{question.id}").set_value("The end is first.")
    app.button(key=f"add_examples_{question.id}").click().run()
    assert [one.answer for one in get_checklist(demo, draft.id).asked[0].examples] == ["yes", "no"] * 2
    assert not [field for field in app.text_area if field.key == f"example_yes_{question.id}"]
