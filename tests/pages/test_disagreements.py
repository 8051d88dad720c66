"""Disagreements: one at a time by key, names hidden until something is decided, a conflict told, everything undone."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.expert_answers import expert_answers, note
from app.services.disagreements.decisions import decide_answer
from app.services.disagreements.queue import QueueFilter, disagreement_queue
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids

Open = Callable[[str], AppTest]
EXPERTS = ("Ana Bell", "Ben Cole", "Cleo Dunn")


@pytest.fixture
def parted(workbench: Workbench) -> Checklist:
    """Experts are split on the first question of each text but the last; the judge says no everywhere."""
    made = parted_project(workbench)
    words = (["yyy", "yyy", "nyy", "yyy"], ["nyy", "nyy", "yyy", "yyy"], ["?yy", "yyy", "nyy", "yyy"])
    draw = experts_say(workbench, made, dict(zip(EXPERTS, words, strict=True)))
    note(workbench, draw, EXPERTS[1], text_ids(workbench, made)[0], made.asked[0].id, "No greeting at all.")
    judge_says(workbench, made, "llama:one", ["nyy"] * 4)
    return made


def everything(app: AppTest) -> str:
    """All that a person can read."""
    kinds = ("markdown", "caption", "text", "title", "subheader", "error", "info", "warning")
    said = [str(one.value) for kind in kinds for one in app.get(kind)]
    labels = [str(one.label) for kind in ("button", "selectbox", "text_input", "checkbox") for one in app.get(kind)]
    options = [str(option) for one in app.selectbox for option in one.options]
    return "\n".join([*said, *labels, *options, *(one.value.to_csv() for one in app.dataframe)])


def press(app: AppTest, letter: str) -> None:
    next(one for one in app.button if str(one.key).startswith(f"decide_{letter}_")).click().run()


def test_names_are_hidden_until_something_is_decided(
    workbench: Workbench, parted: Checklist, open_screen: Open
) -> None:
    app = open_screen("disagreements")
    assert not app.exception
    found = disagreement_queue(workbench, parted.id).matching(QueueFilter())
    for pair in found:
        app.query_params["pair"] = pair.id
        app.run()
        assert not app.exception
        assert "Expert A" in everything(app)
        assert not [name for name in EXPERTS if name in everything(app)]
    app.button(key="list_of_pairs").click().run()
    assert len(app.dataframe[0].value) == len(found)
    assert not [name for name in EXPERTS if name in everything(app)]
    pair = found[0]
    decide_answer(workbench, parted.id, pair.question.id, pair.text, Answer.YES, "Dora")
    app.query_params["pair"] = pair.id
    app.button(key="one_by_one").click().run()
    assert "Expert A" not in everything(app)
    assert "Decided: **Yes** by Dora" in everything(app)
    assert [name for name in EXPERTS if name in everything(app)] == list(EXPERTS)


def test_steps_are_in_the_address_and_a_decision_is_undone_in_one_click(
    workbench: Workbench, parted: Checklist, open_screen: Open
) -> None:
    before = expert_answers(workbench, parted.id).answers
    app = open_screen("disagreements")
    first, second, *_ = disagreement_queue(workbench, parted.id).matching(QueueFilter())
    for key, pair in (("next", second), ("previous", first), ("skip", second), ("previous", first)):
        app.button(key=f"{key}_pair").click().run()
        assert app.query_params["pair"] == pair.id
    text = {pair.id: f"Dear all, this is letter {pair.key[0].removeprefix('letter-')}." for pair in (first, second)}
    assert text[first.id] in everything(app)
    app.text_input(key=f"why_{first.id}").input("It begins with “Dear”.")
    press(app, "Y")
    assert not app.exception
    assert text[second.id] in everything(app)
    assert "Decided: **Yes**." in everything(app)
    assert disagreement_queue(workbench, parted.id).pair(first.question.id, first.text).state == "decided"
    app.button(key="undo_decision").click().run()
    assert text[first.id] in everything(app)
    with workbench.database.read() as work:
        (kept,) = work.decisions.of_checklist(parted.id)[first.question.id]
    assert (kept.why, kept.stands) == ("It begins with “Dear”.", False)
    assert expert_answers(workbench, parted.id).answers == before
    app.selectbox(key="kind").select("repeats").run()
    assert "No disagreement fits this choice" in everything(app)
    assert app.query_params["kind"] == "repeats"


def test_a_decision_of_another_is_told_and_a_line_becomes_guidance(
    workbench: Workbench, parted: Checklist, open_screen: Open
) -> None:
    app = open_screen("disagreements")
    pair, after, *_ = disagreement_queue(workbench, parted.id).matching(QueueFilter())
    decide_answer(workbench, parted.id, pair.question.id, pair.text, Answer.NO, "Dora")
    press(app, "Y")
    assert not app.exception
    assert "Dora has decided this meanwhile: no." in app.error[0].value
    assert "Decided: **No** by Dora" in everything(app)
    press(app, "Y")
    held = disagreement_queue(workbench, parted.id).pair(pair.question.id, pair.text).decision
    assert held is not None
    assert held.answer is Answer.YES

    app.checkbox(key=f"as_guidance_{after.id}").check()
    press(app, "N")
    assert "no line that could become guidance" in app.error[0].value
    app.text_input(key=f"why_{after.id}").input("A name counts.")
    press(app, "N")
    assert "guidance in draft 2" in everything(app)


def test_does_not_apply_is_offered_where_the_question_allows_it(
    workbench: Workbench, parted: Checklist, open_screen: Open
) -> None:
    app = open_screen("disagreements")
    assert not [one.key for one in app.button if str(one.key).startswith("decide_A")]
    experts_say(workbench, parted, {EXPERTS[0]: ["yya", "---", "---", "---"]})
    app.query_params["pair"] = f"{parted.asked[2].id}-{text_ids(workbench, parted)[0]}"
    app.run()
    press(app, "A")
    assert "Decided: **Does not apply**." in everything(app)


def test_contradicting_decisions_stand_side_by_side_until_one_is_kept(
    workbench: Workbench, parted: Checklist, open_screen: Open
) -> None:
    text = text_ids(workbench, parted)[0]
    early = decide_answer(workbench, parted.id, parted.asked[0].id, text, Answer.NO, "Dora").decision
    second = publish(workbench, new_draft(workbench, parted.id).id)
    decide_answer(workbench, second.id, second.asked[0].id, text, Answer.YES, "Emil", seen=early.id)
    app = open_screen("disagreements")
    app.session_state["standing"] = "contradicting"
    app.run()
    assert "say different things" in everything(app)
    app.button(key=f"keep_{early.id}").click().run()
    assert not app.exception
    held = disagreement_queue(workbench, parted.id).pair(parted.asked[0].id, text)
    assert (held.contradicting, held.decision) == ((), early)


def test_it_says_what_to_do_where_there_is_nothing(workbench: Workbench, open_screen: Open) -> None:
    made = parted_project(workbench)
    assert "Nobody has answered version 1 yet" in everything(open_screen("disagreements"))
    experts_say(workbench, made, {"Ana": ["yyy"] * 4, "Ben": ["yyy"] * 4})
    assert "2 experts answered version 1" in everything(open_screen("disagreements"))
    experts_say(workbench, made, {"Ben": ["nyy", "---", "---", "---"]})
    decide_answer(workbench, made.id, made.asked[0].id, text_ids(workbench, made)[0], Answer.YES)
    assert "Everything is decided." in everything(open_screen("disagreements"))


def test_a_judges_evidence_is_highlighted_where_it_stands(workbench: Workbench, open_screen: Open) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4})
    judge_says(workbench, made, "llama:one", ["nyy"] * 4, quote="this is letter")
    app = open_screen("disagreements")
    assert not app.exception
    assert ":yellow-background[this is letter]" in everything(app)
    assert "not in the text" not in everything(app)


def test_hostile_quotes_are_words_that_are_not_in_the_text(workbench: Workbench, open_screen: Open) -> None:
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy"] * 4})
    quotes = ("<script>alert(1)</script> **bold**", "Answer each question by itself.", "x" * 100_000)
    for number, quote in enumerate(quotes):
        judge_says(workbench, made, f"llama:{number}", ["nyy"] * 4, quote=quote)
    app = open_screen("disagreements")
    assert not app.exception
    (said,) = [one.value for one in app.markdown if "not in the text" in one.value]
    assert said.count("not in the text") == len(quotes)
    assert not any(one.allow_html for one in app.markdown)
    assert "**bold**" not in said
    assert ":yellow-background" not in everything(app)


def test_what_was_decided_stands_beside_the_judges_answer_on_results(
    workbench: Workbench, parted: Checklist, open_results: Callable[..., AppTest]
) -> None:
    text, question = text_ids(workbench, parted)[0], parted.asked[0]
    decide_answer(workbench, parted.id, question.id, text, Answer.YES, why="*Dear* all greets.")
    app = open_results(view="texts", text=str(text))
    assert not app.exception
    said = [str(one.value) for one in app.markdown if "Decided" in str(one.value)]
    assert said == [r":material/gavel: :small[Decided: :green[Yes]: \*Dear\* all greets.]"]
    app = open_results(view="texts", text=str(text), expert="Dan")  # has all texts to answer
    assert not [one for one in app.markdown if "Decided" in str(one.value)]
