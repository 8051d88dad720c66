"""ROUGE, BLEU and METEOR against values worked out by hand and against their packages."""

import asyncio
import json
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import nltk.corpus
import pytest
from nltk.translate import meteor_score as nltk_meteor
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import sentence_bleu

from app.domain.project import Text
from app.errors import NotReadyError, UnsupportedError
from app.evaluators import reference_metrics
from app.evaluators.reference_metrics import ReferenceMetric, bleu, bleu_signature, chrf, chrf_signature, rouge
from app.evaluators.registry import method_named
from tests.support.made_data import made_data


def test_rouge_by_hand_takes_the_best_reference() -> None:
    text, near, far = "the cat sat down", "the cat sat there", "a dog"
    # 3 of 4 words shared: P = R = 3/4. Pairs "the cat", "cat sat" of three each: 2/3. In order, 3 of 4 again.
    assert rouge("rouge1", False, text, [far, near]) == pytest.approx(3 / 4)
    assert rouge("rouge2", False, text, [far, near]) == pytest.approx(2 / 3)
    assert rouge("rougeL", False, text, [near, far]) == pytest.approx(3 / 4)
    # "down sat cat the" shares all words, but no two of them in this order.
    assert rouge("rougeL", False, "down sat cat the", ["the cat sat down"]) == pytest.approx(1 / 4)


def test_rouge_with_stems_takes_forms_of_a_word_for_the_same() -> None:
    assert rouge("rouge1", False, "she walked", ["she walking"]) == pytest.approx(1 / 2)
    assert rouge("rouge1", True, "she walked", ["she walking"]) == 1


def test_bleu_uses_all_references_at_once_and_keeps_its_signature() -> None:
    # Every 1- to 4-gram is in one reference or the other; 5 words against references of 5: no brevity penalty.
    assert bleu("a b c d e", ["a b c d x", "y b c d e"]) == pytest.approx(100)
    assert bleu("a b c d e", ["a b c d x"]) < 100
    assert bleu_signature().startswith("nrefs:var|case:mixed|eff:yes|tok:13a|smooth:exp|version:")


def test_chrf_by_hand_takes_the_best_reference() -> None:
    # Of abcd and abce 3 of 4, 2 of 3, 1 of 2 and 0 of 1 sequences are shared, so P = R = 23/48.
    assert chrf("abcd", ["zzzz", "ab ce"]) == pytest.approx(100 * 23 / 48)
    assert chrf("猫が座った", ["猫が座った"]) == pytest.approx(100)
    assert chrf_signature().startswith("nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")


def test_meteor_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoSynonyms:
        @staticmethod
        def synsets(_: str) -> list[str]:
            return []

    original = nltk_meteor.meteor_score
    monkeypatch.setattr(nltk_meteor, "meteor_score", lambda refs, hyp: original(refs, hyp, wordnet=NoSynonyms))
    # All 4 words match in one chunk: F = 1, penalty = 0.5 * (1/4)^3.
    assert reference_metrics.meteor("The cat sat down", ["a dog", "the cat sat down"]) == pytest.approx(1 - 0.5 / 64)


def test_without_wordnet_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise LookupError

    monkeypatch.setattr(nltk.corpus, "wordnet", SimpleNamespace(ensure_loaded=missing))
    with pytest.raises(NotReadyError, match=r"nltk\.downloader wordnet"):
        method_named("meteor").check()


def test_a_text_without_references_says_so() -> None:
    with pytest.raises(UnsupportedError, match="no reference"):
        asyncio.run(ReferenceMetric(partial(rouge, "rougeL", False)).score(Text("d", "A text.")))


async def _all(evaluator: ReferenceMetric, texts: list[Text]) -> list[float]:
    """As the engine asks: 32 at a time."""
    gate = asyncio.Semaphore(32)

    async def one(text: Text) -> float:
        async with gate:
            value = (await evaluator.score(text)).value
        assert value is not None
        return value

    return await asyncio.gather(*map(one, texts))


def _summeval(path: Path, count: int) -> list[Text]:
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, count)]
    return [Text(str(n), row["decoded"], references=tuple(row["references"])) for n, row in enumerate(rows)]


@pytest.fixture(scope="module")
def summaries() -> list[Text]:
    return _summeval(made_data("summeval_model_annotations.aligned.paired.jsonl"), 1200)


@pytest.mark.long
def test_rouge_and_bleu_equal_their_packages_on_summaries(summaries: list[Text]) -> None:
    some = summaries[::60]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    for key, metric in ((kind, partial(rouge, kind, False)) for kind in ("rouge1", "rouge2", "rougeL")):
        expected = [scorer.score_multi(text.references, text.text)[key].fmeasure for text in some]
        assert asyncio.run(_all(ReferenceMetric(metric), some)) == pytest.approx(expected)
    expected = [sentence_bleu(text.text, text.references).score for text in some]
    assert asyncio.run(_all(ReferenceMetric(bleu), some)) == pytest.approx(expected)
