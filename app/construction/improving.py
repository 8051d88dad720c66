"""Better wordings for a question, proposed by a model from answers that people decided otherwise; and examples for it.

The prompt keeps the conditions that every question meets (InteractEval, section 3.4.3), as those for rewording do, and
asks that it be answerable from the text. Which proposal is any good is for a trial to say, on other texts.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from app.construction.stage import first_problem, tidy
from app.domain.checklist import LONGEST_EXAMPLE, MOST_EXAMPLES, Example, Question
from app.domain.improvement import (
    DECIDABLE,
    ProposedWording,
    TriedWording,
    WordingTrial,
    best_tried,
    compared_wordings,
)
from app.domain.judgment import Answer
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask

IMPROVE = "question-improve"
MOST_WORDINGS = 5
MOST_CASES = 16
"""Errors that a model is shown: what is misread shows in a few, and all of hundreds would fill its memory."""
EXCERPT = 1_500
"""Characters of a text, and of its source, that a case shows."""


@dataclass(frozen=True, slots=True)
class DecidedError:
    """A text on which the judge said otherwise than was decided, with the reasons of both, "" for none."""

    text: Text
    said: Answer
    decided: Answer
    reason: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProposedWordings:
    """`request` and `answer` are kept on record."""

    wordings: tuple[ProposedWording, ...]
    request: ChatRequest
    answer: Structured


async def propose_wordings(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    question: Question,
    errors: Sequence[DecidedError],
    others: Sequence[str] = (),
) -> ProposedWordings:
    """Up to five, all different and none as it is now. others: the wordings of the checklist's other questions.

    Raises NotReadyError without errors, WrongSchemaError where the model keeps giving nothing new, UnsupportedError
    where the built-in rules know no answer.
    """
    if not errors:
        raise NotReadyError("The judge makes no error that a wording could mend.", "Decide about more texts.")
    request = improve_request(task, dimension, question, errors, others)
    answer = await ask(model, request, check=lambda value: _problem(value, question))
    return ProposedWordings(_new(answer.value, question), request, answer)


def improve_request(
    task: Task, dimension: Dimension, question: Question, errors: Sequence[DecidedError], others: Sequence[str]
) -> ChatRequest:
    template = load_prompt(IMPROVE)
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        question={
            "component": question.component or dimension.name,
            "question": question.text,
            "guidance": question.guidance,
            "must_not": question.must_not,
        },
        errors=[_case(number, error) for number, error in enumerate(_mixed(errors), start=1)],
        others=list(others),
        count=MOST_WORDINGS,
    )
    return ChatRequest(prompt, template.output_schema)


def _case(number: int, error: DecidedError) -> dict[str, Any]:
    return {
        "number": number,
        "said": "no answer" if error.said is Answer.UNANSWERED else error.said.value,
        "reason": error.reason,
        "decided": error.decided.value,
        "why": error.why,
        "source": _excerpt(error.text.source),
        "text": _excerpt(error.text.text),
    }


def _mixed(errors: Sequence[DecidedError]) -> list[DecidedError]:
    """Those decided to be yes and the others in turn, so that neither kind crowds out the other."""
    missed = [error for error in errors if error.decided is Answer.YES]
    others = [error for error in errors if error.decided is not Answer.YES]
    pairs = zip_longest(missed, others)
    return [error for pair in pairs for error in pair if error is not None][:MOST_CASES]


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]} …"


def _new(value: dict[str, Any], question: Question) -> tuple[ProposedWording, ...]:
    """Tidied, each once, without what is there already."""
    found: dict[tuple[str, str], ProposedWording] = {}
    now = (tidy(question.text), tidy(question.guidance))
    for entry in value["proposals"]:
        words = tidy(entry["question"]), tidy(entry["guidance"])
        if words != now:
            found.setdefault(words, ProposedWording(*words, tidy(entry["reason"])))
    return tuple(found.values())[:MOST_WORDINGS]


def _problem(value: dict[str, Any], question: Question) -> str | None:
    return first_problem(
        None if all(entry["question"].strip() for entry in value["proposals"]) else "a question is empty",
        None if _new(value, question) else "it holds nothing but the question as it is",
    )


SETS = 6
"""Sets of examples that are tried on the development half beside a random one."""
FEWEST_FOR_EXAMPLES = 12
"""Decided answers of the development half, below which too few are left to try examples on."""
RANDOM = "drawn at random, for comparison"
CHOSEN_FROM_ERRORS = "from what the judge gets wrong"
Ask = Callable[[ProposedWording, Sequence[int]], Awaitable[Mapping[int, Answer]]]
"""Asks the judge about these texts; those without a reply are missing."""


def example_of(text: Text, answer: Answer, reason: str = "") -> Example:
    """Of a decided text; a long one is cut."""
    words = " ".join(text.text.split())
    cut = words if len(words) <= LONGEST_EXAMPLE else f"{words[: LONGEST_EXAMPLE - 2]} …"
    return Example(cut, answer.value, " ".join(reason.split())[:LONGEST_EXAMPLE])


def example_sets(
    decided: Mapping[int, Answer], mistaken: Collection[int], rng: np.random.Generator, count: int = SETS
) -> list[tuple[int, ...]]:
    """`count` sets of texts for examples, then one drawn at random; up to MOST_EXAMPLES each, balanced over answers.

    The first ones take what the judge got wrong as far as there is some: such texts say where the bar is.
    """
    first = [_balanced(decided, mistaken, rng) for _ in range(count)]
    return [*dict.fromkeys(first), _balanced(decided, (), rng)]


def _balanced(decided: Mapping[int, Answer], preferred: Collection[int], rng: np.random.Generator) -> tuple[int, ...]:
    piles = []
    for answer in DECIDABLE:
        pile = [text for text, said in decided.items() if said is answer]
        drawn = [pile[place] for place in rng.permutation(len(pile))]
        piles.append(sorted(drawn, key=lambda text: text not in preferred))  # stable: as drawn among equals
    in_turn = [text for row in zip_longest(*piles) for text in row if text is not None]
    least = min((len(pile) for pile in piles if pile), default=0) * sum(bool(pile) for pile in piles)
    return tuple(in_turn[: min(MOST_EXAMPLES, least)])


@dataclass(frozen=True, slots=True)
class TriedExamples:
    """`tried` on the development half, a set at random last; `best` is a place in it, never the last. On the proof
    half: `proof` compares without examples and with the best ones, `beside` random ones and the best ones."""

    tried: tuple[TriedWording, ...]
    best: int | None
    proof: WordingTrial | None
    beside: WordingTrial | None


async def try_examples(
    now: ProposedWording,
    development: Mapping[int, Answer],
    proof: Mapping[int, Answer],
    examples: Mapping[int, Example],
    documents: Mapping[int, str],
    ask: Ask,
    rng: np.random.Generator,
) -> TriedExamples:
    """Choose the examples that mend most errors of the development half, and prove them once on the other.

    A text that is an example isn't asked about with it. proof: empty where it isn't to be asked. Raises NotReadyError
    for too few decided answers, or of one kind alone.
    """
    if len(development) < FEWEST_FOR_EXAMPLES or len(set(development.values())) < 2:
        raise NotReadyError(
            "Examples need a yes and a no, and texts to try them on.",
            f"Decide about {FEWEST_FOR_EXAMPLES} texts of the development half or more, with different answers.",
        )
    before = await ask(now, tuple(development))
    mistaken = {text for text, said in before.items() if said is not development[text]}
    sets = example_sets(development, mistaken, rng)
    tried = []
    for place, texts in enumerate(sets):
        why = RANDOM if place == len(sets) - 1 else CHOSEN_FROM_ERRORS
        wording = ProposedWording(now.text, now.guidance, why, tuple(examples[text] for text in texts))
        others = {text: answer for text, answer in development.items() if text not in texts}
        after = await ask(wording, tuple(others))
        tried.append(TriedWording(wording, compared_wordings(before, after, others, documents)))
    best, proven, beside = best_tried(tried[:-1], now), None, None
    if best is not None and proof:
        first, then, random = [
            await ask(wording, tuple(proof)) for wording in (now, tried[best].wording, tried[-1].wording)
        ]
        proven = compared_wordings(first, then, proof, documents)
        beside = compared_wordings(random, then, proof, documents)
    return TriedExamples(tuple(tried), best, proven, beside)
