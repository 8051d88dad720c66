"""What a model makes of a question: read, checked, and asked again where it isn't what was wanted."""

import asyncio
import json

import pytest

from app.construction.questions import Rewriting, prompt_name, rewrite
from app.domain.checklist import Action, Question
from app.domain.project import Dimension, Task
from app.errors import InputError, UnsupportedError, WrongSchemaError
from app.rules import RulesModel
from tests.support.scripted_model import ScriptedModel

CLEAR = Question("Is the summary clear and concise?", "Style", id=1)
SHORT = Question("Is the summary concise?", "Style", id=2)


def answer(*questions: str, reason: str = "because") -> str:
    return json.dumps({"questions": list(questions), "reason": reason})


def ask(model: object, action: Action, *questions: Question, others: tuple[str, ...] = ()) -> Rewriting:
    task, dimension = Task("summary", "article"), Dimension("fluency", "How well it reads.")
    return asyncio.run(rewrite(model, task, dimension, action, questions, others))  # type: ignore[arg-type]


def test_the_prompt_names_the_question_and_the_others_of_the_checklist() -> None:
    model = ScriptedModel([answer("Is it clear?", "Is it concise?")])
    found = ask(model, Action.SPLIT, CLEAR, others=("Is it friendly?",))
    assert (found.texts, found.reason) == (("Is it clear?", "Is it concise?"), "because")
    prompt = model.requests[0].prompt
    assert prompt.name == prompt_name(Action.SPLIT) == "question-split"
    assert "(Style) Is the summary clear and concise?" in prompt.user
    assert "- Is it friendly?" in prompt.user
    assert "How well it reads." in prompt.system


@pytest.mark.parametrize(
    ("action", "wrong", "right"),
    [
        (Action.REPHRASE, answer(CLEAR.text), answer("Is it easy to read?")),
        (Action.REPHRASE, answer("Is it?", "Is it not?"), answer("Is it easy to read?")),
        (Action.SIMPLER, answer("  "), answer("Is it clear?")),
        (Action.SPLIT, answer("Is it clear?"), answer("Is it clear?", "Is it short?")),
        (Action.SPLIT, answer("Is it clear?", "is it CLEAR?"), answer("Is it clear?", "Is it short?")),
    ],
)
def test_what_is_not_what_was_wanted_is_asked_again(action: Action, wrong: str, right: str) -> None:
    model = ScriptedModel([wrong, right])
    assert list(ask(model, action, CLEAR).texts) == json.loads(right)["questions"]
    assert len(model.requests) == 2
    with pytest.raises(WrongSchemaError):
        ask(ScriptedModel([wrong] * 3), action, CLEAR)


def test_merging_may_keep_one_of_the_wordings_but_needs_two_questions() -> None:
    assert ask(ScriptedModel([answer(SHORT.text)]), Action.MERGE, CLEAR, SHORT).texts == (SHORT.text,)
    with pytest.raises(InputError, match="Choose 2 to 9"):
        ask(ScriptedModel([]), Action.MERGE, CLEAR)
    with pytest.raises(InputError, match="Choose one"):
        ask(ScriptedModel([]), Action.SPLIT, CLEAR, SHORT)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Is the summary clear and concise?", ("Is the summary clear?", "Is the summary concise?")),
        (
            "Does the summary name the main point, and is it free of errors?",
            ("Does the summary name the main point?", "Is it free of errors?"),
        ),
    ],
)
def test_rules_split_at_the_and(text: str, parts: tuple[str, ...]) -> None:
    assert ask(RulesModel(), Action.SPLIT, Question(text, "Style")).texts == parts


def test_rules_leave_out_asides_and_take_their_own_wording() -> None:
    long = Question("Does the summary (taken as a whole) avoid errors of spelling?", "Style")
    assert ask(RulesModel(), Action.SIMPLER, long).texts == ("Does the summary avoid errors of spelling?",)
    (text,) = ask(RulesModel(), Action.REPHRASE, Question("Does the summary repeat nothing?", "Style")).texts
    assert text.endswith("?")
    assert text != "Does the summary repeat nothing?"


@pytest.mark.parametrize(
    ("action", "questions"),
    [
        (Action.SPLIT, (SHORT,)),
        (Action.MERGE, (SHORT, Question("Are all names spelt right?", "Facts"))),
        (Action.SIMPLER, (Question("Is it ok?", "Style"),)),
    ],
)
def test_what_rules_can_not_do_is_one_sentence(action: Action, questions: tuple[Question, ...]) -> None:
    with pytest.raises(UnsupportedError, match="built-in rules find"):
        ask(RulesModel(), action, *questions)


def test_rules_merge_what_is_worded_nearly_alike() -> None:
    follows = Question("Does every sentence follow from the one before?", "Flow")
    alike = Question("Does each sentence follow from the one before it?", "Flow")
    assert ask(RulesModel(), Action.MERGE, follows, alike).texts == (follows.text,)
