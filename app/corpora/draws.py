"""Draws of texts: at random by source, spread over the scores, pairs, shares of experts, and two halves."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.domain.improvement import DocumentHalf
from app.domain.project import Text, TextPlace
from app.errors import InputError, NotReadyError

FEWEST_OF_A_DOCUMENT = 3
MOST_OF_A_DOCUMENT = 20
"""Most texts of one document that pairs are drawn from."""


@dataclass(frozen=True, slots=True)
class KsCheck:
    """Two-sample Kolmogorov-Smirnov: the largest gap between two cumulative shares (0 = same distribution).

    `p_value` is two-sided. Ties and a draw that is part of the whole both make it too large rather than too small,
    so the statistic is the figure to look at.
    """

    statistic: float
    p_value: float
    n_drawn: int
    n_all: int


def stratified_draw(scores: Sequence[float], share: float, seed: int) -> tuple[int, ...]:
    """Return the indices, ascending, of `share` (above 0, at most 1) of the texts, at least one.

    The texts are sorted by score, ties in random order, and cut into as many equal strata as texts are wanted; one text
    is drawn from each. So every level of the scale keeps its share, however the scores are distributed. Raises
    NotReadyError if there are no scores or some are missing (NaN).
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, not {share}")
    values = _finite(scores)
    rng = np.random.default_rng(seed)
    wanted = max(1, round(share * len(values)))
    order = np.lexsort((rng.random(len(values)), values))
    # Not array_split: it puts all larger strata first, where each low score then has a smaller chance.
    borders = np.arange(wanted + 1) * len(values) // wanted
    return tuple(sorted(int(order[rng.integers(start, end)]) for start, end in pairwise(borders)))


def ks_check(drawn: Sequence[float], whole: Sequence[float]) -> KsCheck:
    """Compare the distribution of the drawn texts' scores with that of the whole. Raises as `stratified_draw`."""
    from scipy.stats import ks_2samp  # noqa: PLC0415 - a second of every start that asks an LLM

    result = ks_2samp(_finite(drawn), _finite(whole))
    return KsCheck(float(result.statistic), float(result.pvalue), len(drawn), len(whole))


@dataclass(frozen=True, slots=True)
class DrawnDocuments:
    """Documents with several texts of which some were drawn, and how many of them have fewer than three drawn texts."""

    drawn: int
    thin: int

    @property
    def too_thin(self) -> bool:
        """Whether that is half of them or more: with two texts a coefficient is 1 or -1, with one there is none."""
        return 2 * self.thin >= self.drawn > 0


def drawn_documents(part: Sequence[Text | TextPlace], whole: Sequence[Text | TextPlace]) -> DrawnDocuments:
    """Count documents with drawn texts. `whole` is what the part was drawn from; its documents with fewer than three
    texts don't count."""
    texts = Counter(text.doc_id for text in whole)
    taken = Counter(text.doc_id for text in part if texts[text.doc_id] >= FEWEST_OF_A_DOCUMENT)
    return DrawnDocuments(len(taken), sum(count < FEWEST_OF_A_DOCUMENT for count in taken.values()))


def design_instead(
    part: Sequence[Text | TextPlace], whole: Sequence[Text | TextPlace], systems: int = 4
) -> tuple[int, int] | None:
    """Return (documents, systems of each) with about as many texts as drawn; None if no document has three."""
    by_document: dict[str, set[str]] = {}
    for text in whole:
        by_document.setdefault(text.doc_id, set()).add(text.system_id)
    for wanted in range(systems, FEWEST_OF_A_DOCUMENT - 1, -1):
        documents = sum(len(there) >= wanted for there in by_document.values())
        if documents:
            return min(documents, max(1, round(len(part) / wanted))), wanted
    return None


def documents_by_systems(
    texts: Sequence[Text | TextPlace], documents: int = 40, systems: int = 4, seed: int = 0
) -> tuple[int, ...]:
    """Return the indices of one text each by `systems` systems about each of `documents` documents, drawn at random.

    The design of InteractEval's published code. Systems are drawn anew for each document, without replacement, and a
    system with several texts about a document gives one of them. Documents with fewer systems can't be drawn. Raises
    NotReadyError if too few are left.
    """
    rng = np.random.default_rng(seed)
    by_document: dict[str, dict[str, list[int]]] = {}
    for index, text in enumerate(texts):
        by_document.setdefault(text.doc_id, {}).setdefault(text.system_id, []).append(index)
    eligible = [by_system for by_system in by_document.values() if len(by_system) >= systems]
    if len(eligible) < documents:
        raise NotReadyError(
            f"Only {len(eligible)} of {len(by_document)} documents have texts by at least {systems} systems; "
            f"{documents} are asked for.",
            "Ask for fewer documents or systems, or draw a share of all texts.",
        )
    drawn: list[int] = []
    for position in rng.choice(len(eligible), size=documents, replace=False):
        candidates = list(eligible[position].values())
        chosen = rng.choice(len(candidates), size=systems, replace=False)
        drawn += [int(rng.choice(candidates[system])) for system in chosen]
    return tuple(sorted(drawn))


def draw_pairs(texts: Sequence[TextPlace], count: int, seed: int = 0) -> list[tuple[int, int]]:
    """Return up to `count` different pairs of ids, drawn at random, each of two texts of one document, by different
    systems if it has several. No document gets a second pair before every other one with two texts has one."""
    rng = np.random.default_rng(seed)
    by_document: dict[str, list[TextPlace]] = {}
    for text in texts:
        by_document.setdefault(text.doc_id, []).append(text)
    free: list[list[tuple[int, int]]] = []
    for _, there in sorted(by_document.items()):
        both = [
            (a, b) for place, a in enumerate(there[:MOST_OF_A_DOCUMENT]) for b in there[place + 1 : MOST_OF_A_DOCUMENT]
        ]
        apart = [(a.id, b.id) for a, b in both if a.system_id != b.system_id] or [(a.id, b.id) for a, b in both]
        free.append([apart[place] for place in rng.permutation(len(apart))])
    order = [free[place] for place in rng.permutation(len(free))]
    rounds = range(max(map(len, order), default=0))
    return [pairs[turn] for turn in rounds for pairs in order if turn < len(pairs)][:count]


def _finite(scores: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.array(scores, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        missing = int((~np.isfinite(values)).sum())
        raise NotReadyError(
            f"{missing} of {len(values)} texts have no human score to draw by.", "Draw only from texts that are rated."
        )
    return values


_NOBODY: Mapping[int, Collection[str]] = {}


def spread(
    texts: Sequence[int],
    experts: Collection[str],
    overlap: int,
    rng: np.random.Generator,
    *,
    given: Mapping[int, Collection[str]] = _NOBODY,
    begun: Mapping[int, Collection[str]] = _NOBODY,
) -> dict[int, frozenset[str]]:
    """Return text -> its `overlap` experts; the numbers of texts of the experts differ by at most one.

    given: whom the texts were given to before; as few of them as possible move. begun: experts who have begun on a text
    keep it, even if they are more than `overlap`, no longer among the experts, or have more texts than others. Raises
    InputError for an overlap that is impossible with these experts.
    """
    check_overlap(overlap, len(set(experts)))
    people = sorted(set(experts))
    kept = {text: set(begun.get(text, ())) for text in texts}
    found = {text: kept[text] | (set(given.get(text, ())) & set(people)) for text in texts}
    load = {name: sum(name in those for those in found.values()) for name in people}
    for text in (texts[place] for place in rng.permutation(len(texts))):
        # In a random order each time: ties go to the first expert, so that the pairs of experts vary.
        _fill(found[text], kept[text], overlap, [people[place] for place in rng.permutation(len(people))], load)
    while _level(found, kept, people, load):
        pass
    return {text: frozenset(those) for text, those in found.items()}


def check_overlap(overlap: int, experts: int) -> None:
    """Raise InputError if there aren't so many experts for each text."""
    if overlap < 1:
        raise InputError(f"{overlap} experts can't answer a text.", "Give 1 or more.")
    if overlap > experts:
        there = f"There {'is' if experts == 1 else 'are'} {experts} to choose from" if experts else "There are none yet"
        raise InputError(
            f"Each text can't be answered by {overlap} experts. {there}.",
            "Ask for fewer, or invite more experts and give them the dimension.",
        )


def _fill(those: set[str], kept: set[str], overlap: int, people: Sequence[str], load: dict[str, int]) -> None:
    """Give the text to the experts with the fewest texts, or take it from those with the most."""
    while len(those) < overlap:
        free = [name for name in people if name not in those]
        taker = min(free, key=load.__getitem__)
        those.add(taker)
        load[taker] += 1
    while len(those) > overlap and (loose := [name for name in people if name in those - kept]):
        leaver = max(loose, key=load.__getitem__)
        those.remove(leaver)
        load[leaver] -= 1


def _level(
    found: Mapping[int, set[str]], kept: Mapping[int, set[str]], people: Sequence[str], load: dict[str, int]
) -> bool:
    """Move one text from one expert to one who has at least two fewer; return False if none can be moved."""
    order = sorted(people, key=load.__getitem__)
    for giver in reversed(order):
        for taker in order:
            if load[giver] - load[taker] < 2:
                break
            for text, those in found.items():
                if giver in those and giver not in kept[text] and taker not in those:
                    those.remove(giver)
                    those.add(taker)
                    load[giver] -= 1
                    load[taker] += 1
                    return True
    return False


def draw_halves(documents: Iterable[str], drawn: Mapping[str, DocumentHalf], seed: int = 0) -> dict[str, DocumentHalf]:
    """Return documents -> half, for those without one in `drawn`; the others keep theirs.

    Documents are shuffled, and each goes to the half with fewer documents, at random if both have as many.
    """
    new = sorted(set(documents) - drawn.keys())
    rng = np.random.default_rng([seed, len(drawn)])
    counts = {half: sum(one is half for one in drawn.values()) for half in DocumentHalf}
    found: dict[str, DocumentHalf] = {}
    for place in rng.permutation(len(new)):
        few, many = sorted(DocumentHalf, key=counts.__getitem__)
        half = (few, many)[int(rng.integers(2))] if counts[few] == counts[many] else few
        found[new[place]] = half
        counts[half] += 1
    return found
