"""Answered examples in a question: sets of them are drawn, and tried on decided answers."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from app.domain.checklist import LONGEST_EXAMPLE, MOST_EXAMPLES, Example
from app.domain.checklist_score import Answer
from app.domain.improvement import DECIDABLE, ProposedWording, TriedWording, WordingTrial, best_tried, compared_wordings
from app.domain.project import Text
from app.errors import NotReadyError

SETS = 6
"""Sets of examples tried on the development half besides a random one."""
FEWEST_FOR_EXAMPLES = 12
"""Decided answers of the development half below which too few are left to try examples on."""
RANDOM = "drawn at random, for comparison"
WRITTEN = "written by hand"
Ask = Callable[[ProposedWording, Sequence[int]], Awaitable[Mapping[int, Answer]]]
"""Asks the judge about these texts; returns text id -> answer, without those that have no reply."""


def example_of(text: Text, answer: Answer, reason: str = "") -> Example:
    """Return an example of a decided text; a long text is cut."""
    words = " ".join(text.text.split())
    cut = words if len(words) <= LONGEST_EXAMPLE else f"{words[: LONGEST_EXAMPLE - 2]} …"
    return Example(cut, answer.value, " ".join(reason.split())[:LONGEST_EXAMPLE])


def example_sets(
    decided: Mapping[int, Answer], mistaken: Collection[int], rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return SETS sets of texts for examples, then a random one; up to MOST_EXAMPLES each, balanced over answers.

    The first sets prefer texts that the judge got wrong: these show where the threshold is.
    """
    first = [_balanced(decided, mistaken, rng) for _ in range(SETS)]
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
    """Results of sets of examples. `tried` on the development half, a random set last; `best` is an index in it, never
    the last. On the proof half `proof` compares no examples with the best ones, `beside` random ones with the best
    ones."""

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
    written: Sequence[Example] = (),
) -> TriedExamples:
    """Choose the examples that correct most errors of the development half, and test them once on the other half.

    A text that is an example isn't asked about with it. proof: empty to leave the test out. written: a person's own
    examples, tried instead of chosen ones. Raises NotReadyError for too few decided answers, or only one kind of them.
    """
    if len(development) < FEWEST_FOR_EXAMPLES or len(set(development.values())) < 2:
        raise NotReadyError(
            "Examples need a yes and a no, and texts to try them on.",
            f"Decide about {FEWEST_FOR_EXAMPLES} texts of the development half or more, with different answers.",
        )
    before = await ask(now, tuple(development))
    mistaken = {text for text, said in before.items() if said is not development[text]}
    *chosen, drawn = example_sets(development, mistaken, rng)
    sets = [("from what the judge gets wrong", tuple(examples[text] for text in texts)) for texts in chosen]
    tried = []
    for why, shown in [
        *([(WRITTEN, tuple(written))] if written else sets),
        (RANDOM, tuple(examples[t] for t in drawn)),
    ]:
        wording = ProposedWording(now.text, now.guidance, why, shown)
        others = _not_shown(development, examples, shown)
        after = await ask(wording, tuple(others))
        tried.append(TriedWording(wording, compared_wordings(before, after, others, documents)))
    best, proven, beside = best_tried(tried[:-1], now), None, None
    if best is not None and proof:
        proof = _not_shown(proof, examples, written)
        first, then, random = [
            await ask(wording, tuple(proof)) for wording in (now, tried[best].wording, tried[-1].wording)
        ]
        proven = compared_wordings(first, then, proof, documents)
        beside = compared_wordings(random, then, proof, documents)
    return TriedExamples(tuple(tried), best, proven, beside)


def _not_shown(
    decided: Mapping[int, Answer], examples: Mapping[int, Example], shown: Sequence[Example]
) -> dict[int, Answer]:
    """Return the decided texts that are not among the examples and contain no passage that is."""
    passages = [example.text.removesuffix(" …") for example in shown]
    return {
        text: answer
        for text, answer in decided.items()
        if not any(passage in examples[text].text for passage in passages)
    }
