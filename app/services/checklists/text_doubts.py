"""How unsure the judges of one checklist were about each text, and why: from their answers alone, never people's."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from app.domain.checklist import Checklist
from app.domain.judgment import Answer, Judgment
from app.meta_evaluation.judges.uncertainty import judge_uncertainty
from db.unit_of_work import UnitOfWork

NOBODY = "no judge has answered it"
_AS_SHARE = {Answer.YES: 1.0, Answer.NO: 0.0}


@dataclass(frozen=True, slots=True)
class TextDoubts:
    """`value` of each text: 0 where all is sure, .5 where all is open. `why` says it in words, for texts with doubts.
    `judges` answered; `known`: anything tells texts apart."""

    judges: tuple[str, ...]
    value: Mapping[int, float]
    why: Mapping[int, str]
    known: bool


def text_doubts(work: UnitOfWork, checklist: Checklist, texts: Sequence[int]) -> TextDoubts:
    """Of these texts, by what each judge said last about each of them."""
    said: dict[str, dict[int, list[Judgment]]] = {}
    for judge, by_text in _newest_first(work, checklist.id):
        for text, judgments in by_text.items():
            said.setdefault(judge, {}).setdefault(text, judgments)
    shares = np.full((max(len(said), 1), len(texts), len(checklist.asked)), np.nan)
    places = {question.id: place for place, question in enumerate(checklist.asked)}
    for layer, answers_of in enumerate(said.values()):
        for row, text in enumerate(texts):
            for question, share in _shares(answers_of.get(text, ())).items():
                if question in places:
                    shares[layer, row, places[question]] = share
    found = judge_uncertainty(shares)
    why = {}
    for row, text in enumerate(texts):
        doubts = np.nan_to_num(found.question[row], nan=-1.0)
        place = int(doubts.argmax()) if doubts.size else 0
        if not doubts.size or doubts[place] < 0:
            why[text] = NOBODY
        elif doubts[place] > 0:
            asked = checklist.asked[place].id
            answers = [[j for j in by_text.get(text, ()) if j.question == asked] for by_text in said.values()]
            why[text] = f"question {place + 1}: {_words(shares[:, row, place].tolist(), answers)}"
    return TextDoubts(tuple(said), dict(zip(texts, found.text.tolist(), strict=True)), why, found.known)


def _newest_first(work: UnitOfWork, checklist_id: int) -> Iterator[tuple[str, dict[int, list[Judgment]]]]:
    """The judge and its answers by text, of every run that asked this checklist."""
    dimension_id = work.checklists.dimension_of(checklist_id)
    for run_id in sorted(work.runs.with_checklist(checklist_id), reverse=True):
        run = work.runs.get(run_id)
        if not run.locked and not run.apart:
            yield run.judge, work.results.judgments_by_text(run_id, dimension_id)


def _shares(judgments: Sequence[Judgment]) -> dict[int, float]:
    """Question id -> one judge's share of yes: its P(yes) where it gave one, else its answers; the mean of repeats."""
    found = defaultdict(list)
    for one in judgments:
        if one.answer in _AS_SHARE:
            found[one.question].append(_AS_SHARE[one.answer] if one.p_yes is None else one.p_yes)
    return {question: fmean(shares) for question, shares in found.items()}


def _words(shares: Sequence[float], answers: Sequence[Sequence[Judgment]]) -> str:
    """What makes one question about one text unsure, from each judge's share of yes (NaN: none) and its answers."""
    yes, no = sum(share > 0.5 for share in shares), sum(share < 0.5 for share in shares)
    if yes and no:
        return f"judges split {yes} to {no}"
    given = max(answers, key=len)
    said_yes = sum(one.answer is Answer.YES for one in given)
    if 0 < said_yes < len(given):
        return f"the judge said yes in {said_yes} of {len(given)} repeats"
    return f"yes is {float(np.nanmean(shares)):.0%} likely to the judge".replace("%", " %")
