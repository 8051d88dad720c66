"""ROUGE, BLEU, chrF and METEOR: how much a text resembles its references. No model is asked.

The figures are those of the packages of the field: rouge-score (F1; without stemming unless it is asked for), sacrebleu
(sentence level, effective order, 0 to 100) and NLTK (lower case, words and punctuation apart). With several references
ROUGE, chrF and METEOR take the best one and BLEU all at once. All run in processes of their own (metric_processes).
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from app.domain.checklist_score import Evaluation
from app.domain.project import Text
from app.errors import NotReadyError, UnsupportedError
from app.evaluators.method import Method, RequestCounts, shown

Metric = Callable[[str, Sequence[str]], float]
Pair = tuple[str, Sequence[str]]
"""A text and its references."""

IDLE_SECONDS = 300.0
PIECE = 16  # texts at most: a run that is to stop waits for what is under way
_HERE: list[Executor] = []


class MetricCalls:
    """Calls of a metric for single texts. Texts that wait are computed together; one piece more than there are
    processes is in progress, so that no process waits. For one event loop."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._waiting: list[tuple[Pair, asyncio.Future[float]]] = []
        self._under_way = 0

    def get(self, text: str, references: Sequence[str]) -> asyncio.Future[float]:
        """Return a future of a text's value. If the metric raises for one text of a piece, all its texts fail: no text
        is at fault."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[float] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._hand_over)  # those that are about to ask come along
        self._waiting.append(((text, references), found))
        return found

    def _hand_over(self) -> None:
        while self._waiting and (free := process_count() + 1 - self._under_way) > 0:
            size = min(PIECE, -(-len(self._waiting) // free))
            piece, self._waiting = self._waiting[:size], self._waiting[size:]
            try:
                work = metric_processes().submit(values, self._metric, [pair for pair, _ in piece])
            except RuntimeError as error:  # a process was killed
                _settle(piece, error)
                continue
            self._under_way += 1
            asyncio.wrap_future(work).add_done_callback(partial(self._settle_piece, piece))

    def _settle_piece(
        self, piece: Sequence[tuple[Pair, asyncio.Future[float]]], ended: asyncio.Future[list[float]]
    ) -> None:
        self._under_way -= 1
        if ended.cancelled():
            for _, found in piece:
                found.cancel()
        else:
            _settle(piece, ended.exception() or ended.result())
        self._hand_over()


def values(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    """Return the metric's values in the order of `pairs`; a process calls this with a piece."""
    return [metric(text, references) for text, references in pairs]


def _settle(piece: Sequence[tuple[Pair, asyncio.Future[float]]], ended: BaseException | list[float]) -> None:
    for place, (_, found) in enumerate(piece):
        if found.done():
            continue
        if isinstance(ended, BaseException):
            found.set_exception(ended)
        else:
            found.set_result(ended[place])


def compute_in_this_process() -> None:
    """Compute in this process from now on. For one of many processes, one a core, that share the texts."""
    if not _HERE:
        _HERE.append(ThreadPoolExecutor(max_workers=1, thread_name_prefix="metric"))


def process_count() -> int:
    """Return how many pieces are computed at a time."""
    if _HERE:
        return 1
    from joblib import cpu_count  # noqa: PLC0415

    return int(cpu_count())


def metric_processes() -> Any:
    """Return the executor: as many processes as cores, shared by all, ended when idle. Unlike multiprocessing, loky
    doesn't run the program again to start one, which breaks a web app or a script.

    On a busy machine a process can wait for long between two texts. With loky's own timeout of ten seconds it ends
    meanwhile, and loky's warning about that ends the thread that hands out work if warnings are errors: the run would
    wait for ever.
    """
    if _HERE:
        return _HERE[0]
    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415

    return get_reusable_executor(max_workers=process_count(), timeout=IDLE_SECONDS)


@dataclass(frozen=True, slots=True)
class RougeOptions:
    """Options of ROUGE. stem: whether words are compared by their stems (Porter), as in the figures of G-Eval's Table
    3."""

    stem: bool = field(
        default=False, metadata=shown("Stemming", "Compare English words by their stems: “walked” as “walking”.")
    )


def rouge(variant: str, stem: bool, text: str, references: Sequence[str]) -> float:
    """Return F1 of `rouge1`, `rouge2` or `rougeL`, 0 to 1, the highest over the references (Lin 2004)."""
    scorer = _rouge_scorer(variant, stem)
    return max(float(scorer.score(reference, text)[variant].fmeasure) for reference in references)


@lru_cache(maxsize=6)
def _rouge_scorer(variant: str, stem: bool) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415

    return RougeScorer([variant], use_stemmer=stem)


@lru_cache(maxsize=1)
def _bleu_scorer() -> Any:
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415

    return BLEU(effective_order=True)


@lru_cache(maxsize=1)
def _chrf_scorer() -> Any:
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415

    return CHRF()


def bleu(text: str, references: Sequence[str]) -> float:
    """Return sentence BLEU with all references at once, 0 to 100 (Papineni et al. 2002, as sacrebleu computes it)."""
    return float(_bleu_scorer().sentence_score(text, list(references)).score)


def chrf(text: str, references: Sequence[str]) -> float:
    """Return chrF, 0 to 100, the highest over the references: F2 of sequences of 1 to 6 characters without spaces
    (Popović 2015, as sacrebleu computes it)."""
    return float(_chrf_scorer().sentence_score(text, list(references)).score)


def bleu_signature() -> str:
    return _signature(_bleu_scorer())


def chrf_signature() -> str:
    return _signature(_chrf_scorer())


def _signature(scorer: Any) -> str:
    """Return sacrebleu's signature; each text may have its own number of references, so that is `var`."""
    scorer.sentence_score("a", ["a"])
    parts = str(scorer.get_signature()).split("|")
    return "|".join("nrefs:var" if part.startswith("nrefs:") else part for part in parts)


def meteor(text: str, references: Sequence[str]) -> float:
    """Return METEOR, 0 to 1, the highest over the references (Banerjee and Lavie 2005, as NLTK computes it).

    NLTK looks for synonyms of stems: words whose stem is no word ("automobil") have none.
    """
    from nltk.tokenize import wordpunct_tokenize  # noqa: PLC0415
    from nltk.translate.meteor_score import meteor_score  # noqa: PLC0415

    tokenized = [wordpunct_tokenize(reference) for reference in references]
    return float(meteor_score(tokenized, wordpunct_tokenize(text)))


def check_wordnet() -> None:
    """Raise NotReadyError without WordNet, which METEOR needs for synonyms and NLTK doesn't include."""
    from nltk.corpus import wordnet  # noqa: PLC0415

    try:
        wordnet.ensure_loaded()
    except LookupError:
        raise NotReadyError(
            "METEOR needs WordNet, which isn't on this computer.", "Get it with: python -m nltk.downloader wordnet"
        ) from None


class ReferenceMetric:
    """An evaluator of one of the functions above. A text has the same value on every dimension: it is computed once."""

    def __init__(self, metric: Metric) -> None:
        self._calls = MetricCalls(metric)
        self._computed: dict[int, asyncio.Future[float]] = {}

    async def score(self, text: Text) -> Evaluation:
        if not text.references:
            raise UnsupportedError("This text has no reference to compare it with.", "Import it with its references.")
        if text.id and text.id in self._computed:
            return Evaluation(value=await asyncio.shield(self._computed[text.id]))
        under_way = self._calls.get(text.text, text.references)
        self._computed[text.id] = under_way
        return Evaluation(value=await asyncio.shield(under_way))


def _method(name: str, title: str, metric: Callable[[Any], Metric], **more: Any) -> Method:
    return Method(
        name,
        title,
        lambda context: ReferenceMetric(metric(context.options)),
        judged=False,
        of_dimension=False,
        on_scale=False,
        references=lambda _: True,
        calls=lambda *_: RequestCounts(0),
        **more,
    )


def _rouge(name: str, title: str, variant: str) -> Method:
    return _method(name, title, lambda options: partial(rouge, variant, options.stem), options=RougeOptions)


METHODS = (
    _rouge("rouge-1", "ROUGE-1: words shared with a reference", "rouge1"),
    _rouge("rouge-2", "ROUGE-2: word pairs shared with a reference", "rouge2"),
    _rouge("rouge-l", "ROUGE-L: longest common sequence of words with a reference", "rougeL"),
    _method(
        "bleu", "BLEU: word sequences shared with the references", lambda _: bleu, signature=lambda _: bleu_signature()
    ),
    _method(
        "chrf",
        "chrF: character sequences shared with a reference",
        lambda _: chrf,
        signature=lambda _: chrf_signature(),
    ),
    _method(
        "meteor", "METEOR: words shared with a reference, synonyms included", lambda _: meteor, check=check_wordnet
    ),
)
