"""Examples tried and proven on people's real answers, with judges whose errors are known."""

import asyncio
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from zlib import crc32

import numpy as np
import pytest

from app.construction.example_answers import TriedExamples, example_of, try_examples
from app.corpora.draws import draw_halves
from app.domain.checklist_score import Answer
from app.domain.improvement import AnswerErrors, DocumentHalf, ProposedWording
from app.domain.project import Text
from app.meta_evaluation.judges.improvement_proof import paired_difference, proof_standing
from tests.support.real_data import shared_data

pytestmark = pytest.mark.long

SEEDS = 20
TEXTS = 200
"""Decided about, drawn anew with each seed; about half of them are of the proof half."""
NOW = ProposedWording("Is it good?")
SUMMEVAL = "summeval_model_annotations.aligned.paired.jsonl"


@dataclass(frozen=True)
class Item:
    """`level`: how far people's answers lie towards yes. `known`: a real judge's answer, None where there is none."""

    document: str
    text: str
    level: float
    answer: Answer
    known: Answer | None = None


Teaching = Callable[[Item, Sequence[Item], np.random.Generator], Answer]
"""(text, examples, noise of this text under this wording) -> what the judge says."""


def summeval() -> list[Item]:
    """Is it coherent? Yes from a mean of 4 over the experts' ratings."""
    found = []
    with shared_data(SUMMEVAL).open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            level = mean(rating["coherence"] for rating in line["expert_annotations"])
            text = " ".join(f"{line['model_id']} {line['decoded']}".split())
            found.append(Item(line["id"], text, level, Answer.YES if level >= 4 else Answer.NO))
    return found


def framing() -> list[Item]:
    """A question about an article as one text: most people's answer, and that of a real judge (Mistral)."""
    found = []
    with shared_data("framing_answers.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            votes = Counter(row[f"human_{n}"] for n in range(1, 5) if row[f"human_{n}"] in ("yes", "no"))
            if votes and votes["yes"] != votes["no"] and row["mistral-v03"] in ("yes", "no"):
                level = votes["yes"] / votes.total()
                answer = Answer.YES if level > 0.5 else Answer.NO
                text = f"{row['doc_id']} {row['question']}"
                found.append(Item(row["doc_id"], text, level, answer, Answer(row["mistral-v03"])))
    return found


def flipped(answer: Answer) -> Answer:
    return Answer.NO if answer is Answer.YES else Answer.YES


def too_lenient(item: Item, examples: Sequence[Item], rng: np.random.Generator) -> Answer:
    """Says yes from 3 on; a decided no at 3 or more shows it where the bar is. One answer in ten is noise."""
    taught = sum(one.answer is Answer.NO and one.level >= 3 for one in examples)
    said = Answer.YES if item.level >= (4 if taught else 3) else Answer.NO
    return flipped(said) if rng.random() < 0.1 else said


def errs_as_mistral(item: Item, examples: Sequence[Item], rng: np.random.Generator) -> Answer:
    """Errs where Mistral did; each kind of error goes on three texts in four once an example shows one of the kind."""
    assert item.known is not None
    shown = any(one.known is not one.answer and one.answer is item.answer for one in examples)
    if item.known is not item.answer and shown and rng.random() < 0.75:
        return item.answer
    return item.known


def noise(item: Item, examples: Sequence[Item], rng: np.random.Generator) -> Answer:
    """Errs on 35 texts in 100, drawn anew for each wording: what did better on one half did so by chance."""
    return flipped(item.answer) if rng.random() < 0.35 else item.answer


def deaf(item: Item, examples: Sequence[Item], rng: np.random.Generator) -> Answer:
    """The bar stays at 3 whatever the examples show; one answer in five is noise of the wording."""
    said = Answer.YES if item.level >= 3 else Answer.NO
    return flipped(said) if rng.random() < 0.2 else said


def deaf_as_mistral(item: Item, examples: Sequence[Item], rng: np.random.Generator) -> Answer:
    """Errs where Mistral did, whatever the examples show; one answer in five is noise of the wording."""
    assert item.known is not None
    return flipped(item.known) if rng.random() < 0.2 else item.known


def proposed(items: Sequence[Item], judge: Teaching, seed: int) -> TriedExamples:
    rng = np.random.default_rng(seed)
    documents = {item.document for item in items}
    halves = draw_halves(documents, {}, seed)
    drawn = dict(enumerate(items[place] for place in rng.permutation(len(items))[:TEXTS]))
    by_text = {item.text: item for item in items}

    async def ask(wording: ProposedWording, texts: Sequence[int]) -> Mapping[int, Answer]:
        shown = [by_text[example.text] for example in wording.examples]
        mark = crc32(repr(wording.examples).encode())
        return {text: judge(drawn[text], shown, np.random.default_rng([seed, mark, text])) for text in texts}

    parts: dict[DocumentHalf, dict[int, Answer]] = defaultdict(dict)
    for number, item in drawn.items():
        parts[halves[item.document]][number] = item.answer
    examples = {number: example_of(Text(item.document, item.text), item.answer) for number, item in drawn.items()}
    by_number = {number: item.document for number, item in drawn.items()}
    tried = try_examples(NOW, parts[DocumentHalf.DEVELOPMENT], parts[DocumentHalf.PROOF], examples, by_number, ask, rng)
    return asyncio.run(tried)


def standing(found: TriedExamples) -> str:
    if found.proof is None:
        return "none better"
    trial = found.proof
    return proof_standing(paired_difference(trial.both, trial.gained, trial.lost, trial.neither))


def share_of_errors(errors: AnswerErrors) -> float:
    return 1 - errors.right / errors.n


@pytest.mark.parametrize(("data", "judge", "gain"), [(summeval, too_lenient, 0.15), (framing, errs_as_mistral, 0.08)])
def test_examples_that_inform_are_proven(data: Callable[[], list[Item]], judge: Teaching, gain: float) -> None:
    items = data()
    found = [proposed(items, judge, seed) for seed in range(SEEDS)]
    proofs = [one.proof for one in found if one.proof is not None]
    before, after = (mean(share_of_errors(getattr(p, side)) for p in proofs) for side in ("before", "after"))
    assert sum(standing(one) == "proven better" for one in found) >= 15
    assert before - after >= gain, "errors on texts that no proposal had seen"


@pytest.mark.parametrize(
    ("data", "judge"), [(summeval, noise), (summeval, deaf), (framing, noise), (framing, deaf_as_mistral)]
)
def test_examples_that_say_nothing_are_not_proven(data: Callable[[], list[Item]], judge: Teaching) -> None:
    items = data()
    found = [proposed(items, judge, seed) for seed in range(SEEDS)]
    assert sum(standing(one) in ("not proven", "none better") for one in found) >= 19
