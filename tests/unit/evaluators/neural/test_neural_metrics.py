"""BERTScore, MoverScore, BARTScore and UniEval on tiny random models, against the definition computed word by word."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text, dialogue_source
from app.errors import InputError, NotReadyError, UnsupportedError
from app.evaluators.method import EvaluatorContext
from app.evaluators.neural.moverscore import earth_movers_distance
from app.evaluators.neural.unieval import METHOD as UNIEVAL
from app.evaluators.neural.unieval import UniEvalOptions, model_input, question_for
from app.evaluators.registry import METHODS
from app.neural import loading
from tests.support.corpora import read_corpus
from tests.support.made_data import made_data
from tests.support.scripted_model import ScriptedModel
from tests.support.tiny_models import tiny_model

pytestmark = pytest.mark.long

NAMES = ("bertscore", "moverscore", "bartscore", "unieval")
ITEM = Text(
    "d",
    "The ferry sails twice. It is slow.",
    source="A timetable of the island.",
    references=("The ferry sails to the island.", "It carries bicycles, and people."),
)
FACT = {"context": "Jazz is old.\n"}
# What stands behind the response, by dimension: as UniEval was trained.
DIALOGUE = {
    "naturalness": "",
    "coherence": " </s> dialogue history: Hello.\n Do you like jazz?",
    "engagingness": " </s> dialogue history: Hello.\n Do you like jazz? </s> fact: Jazz is old.",
    "groundedness": " </s> fact: Jazz is old.",
    "understandability": "",
}
SHORT = Text("d", "The ferry sails.", source="It sails.", references=("It is slow.",))


def scored(name: str, folder: Path, *texts: Text, dimension: str = "fluency", **given: Any) -> list[Evaluation]:
    method = METHODS[name]
    options = method.read_options({"model": str(folder), **given})
    evaluator = method.make(EvaluatorContext(ScriptedModel([]), Task("summary"), Dimension(dimension), options))

    async def together() -> list[Evaluation]:
        return list(await asyncio.gather(*map(evaluator.score, texts)))

    return asyncio.run(together())


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch isn't installed: make test without NEURAL=no")


def vectors(torch: Any, folder: Path, text: str, layer: int = -1) -> list[tuple[str, np.ndarray]]:
    """Each token with its vector, of length 1, computed by itself."""
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    ids = tokenizer(text, return_tensors="pt").input_ids
    with torch.no_grad():
        states = model(ids, output_hidden_states=True).hidden_states[layer][0].double().numpy()
    return [
        (t, v / np.sqrt((v**2).sum())) for t, v in zip(tokenizer.convert_ids_to_tokens(ids[0]), states, strict=True)
    ]


@pytest.mark.slow
def test_bertscore(torch: Any, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path, "roberta")

    def by_hand(text: str, reference: str) -> float:
        ours, theirs = vectors(torch, folder, text), vectors(torch, folder, reference)
        precision = np.mean([max(a @ b for _, b in theirs) for _, a in ours[1:-1]])
        recall = np.mean([max(a @ b for _, a in ours) for _, b in theirs[1:-1]])
        return float(2 * precision * recall / (precision + recall))

    found = scored("bertscore", folder, ITEM, SHORT)
    assert found[0].value == pytest.approx(max(by_hand(ITEM.text, r) for r in ITEM.references), rel=1e-4)
    assert found[1].value == pytest.approx(by_hand(SHORT.text, SHORT.references[0]), rel=1e-4)
    assert [evaluation.details for evaluation in found] == [{}, {}]


def test_a_text_is_most_like_itself(torch: Any, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path, "roberta")
    same = Text("d", "The ferry sails.", references=("The ferry sails.",))
    for name in ("bertscore", "moverscore"):
        found, other = scored(name, folder, same, SHORT)
        assert found.value == pytest.approx(1, abs=2e-3)
        assert other.value is not None
        assert other.value < 0.999


def test_moverscore(torch: Any, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path, "roberta")

    def by_hand(text: str, reference: str) -> float:
        ours, theirs = (
            [v for t, v in vectors(torch, folder, said)[1:-1] if t.strip("Ġ") not in ("", ".", ",")]
            for said in (text, reference)
        )
        # With each side repeated until both are equally long, moving is pairing off: all ways to do so are tried.
        times = np.lcm(len(ours), len(theirs))
        left, right = ours * (times // len(ours)), theirs * (times // len(theirs))
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

        cost = np.array([[np.sqrt(((a - b) ** 2).sum()) for b in right] for a in left])
        return float(1 / (1 + cost[linear_sum_assignment(cost)].mean()))

    found = scored("moverscore", folder, ITEM, SHORT)
    assert found[0].value == pytest.approx(np.mean([by_hand(ITEM.text, r) for r in ITEM.references]), rel=1e-3)
    assert found[1].value == pytest.approx(by_hand(SHORT.text, SHORT.references[0]), rel=1e-3)


def test_the_earth_movers_distance_by_trying_all_ways() -> None:
    generator = np.random.default_rng(5)
    for size in (1, 2, 4):
        distances = generator.random((size, size))
        ways = [np.mean([distances[i, j] for i, j in enumerate(way)]) for way in itertools.permutations(range(size))]
        assert earth_movers_distance(distances) == pytest.approx(min(ways))
    # Two halves go to one place each way, or the one place is shared: 0.5 * 0.2 + 0.5 * 0.6.
    assert earth_movers_distance(np.array([[0.2], [0.6]])) == pytest.approx(0.4)
    # Columns weigh 1/3: row 0 (1/2) fills column 0 and half of column 1, row 1 the rest.
    assert earth_movers_distance(np.array([[0.0, 1.0, 9.0], [9.0, 1.0, 0.0]])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("direction", ["src-hypo", "ref-hypo", "hypo-ref", "mean"])
def test_bartscore(torch: Any, tmp_path: Path, direction: str) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: PLC0415

    folder = tiny_model(tmp_path, "bart")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder)

    def by_hand(before: str, given: str) -> float:
        ids = [tokenizer(text, return_tensors="pt").input_ids for text in (before, given)]
        with torch.no_grad():
            return -float(model(input_ids=ids[0], labels=ids[1]).loss)

    def expected(text: Text) -> float:
        to_text = float(np.mean([by_hand(reference, text.text) for reference in text.references]))
        from_text = float(np.mean([by_hand(text.text, reference) for reference in text.references]))
        ways = {"src-hypo": by_hand(text.source, text.text), "ref-hypo": to_text, "hypo-ref": from_text}
        return {**ways, "mean": (to_text + from_text) / 2}[direction]

    for text, found in zip((ITEM, SHORT), scored("bartscore", folder, ITEM, SHORT, direction=direction), strict=True):
        assert found.value == pytest.approx(expected(text), rel=1e-4)
        assert len(found.details["rated"]) == (
            1 if direction == "src-hypo" else len(text.references) * (1 + (direction == "mean"))
        )


def test_unieval(torch: Any, tmp_path: Path) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: PLC0415

    folder = tiny_model(tmp_path, "t5")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder)
    yes, no = (tokenizer(word, add_special_tokens=False).input_ids[0] for word in ("Yes", "No"))

    def by_hand(said: str) -> float:
        ids = tokenizer(said, return_tensors="pt").input_ids
        start = torch.tensor([[model.config.decoder_start_token_id]])
        with torch.no_grad():
            p = model(input_ids=ids, decoder_input_ids=start).logits[0, 0].softmax(-1)
        return float(p[yes] / (p[yes] + p[no]))

    question = "question: Is this a fluent paragraph? </s> paragraph: "
    sentences = ("The ferry sails twice.", "It is slow.")
    (found,) = scored("unieval", folder, ITEM)
    assert found.value == pytest.approx(np.mean([by_hand(question + s) for s in sentences]), rel=1e-4)
    assert len(found.details["yes"]) == 2
    (found,) = scored("unieval", folder, ITEM, dimension="Relevance")
    asked = f"question: Is this summary relevant to the reference? </s> summary: {ITEM.text} </s> reference: "
    assert found.value == pytest.approx(by_hand(asked + ITEM.references[0]), rel=1e-4)


def test_unieval_asks_what_it_was_trained_on() -> None:
    asked = question_for("engagingness", UniEvalOptions(task="dialogue"))
    item = Text("d", "Yes. Oh?", source="Hello", extra={"fact": "Ferries float."})
    assert model_input(asked, "Oh?", item).endswith(
        "and fact? </s> response: Oh? </s> dialogue history: Hello </s> fact: Ferries float."
    )
    assert asked.sentences == "sum"
    with pytest.raises(InputError, match="not trained on “charm”; for summary it knows coherence"):
        question_for("charm", UniEvalOptions())
    own = question_for("charm", UniEvalOptions(question="Is it charming?"))
    assert model_input(own, "x", item) == "question: Is it charming? </s> text: x </s> document: Hello"
    with pytest.raises(UnsupportedError, match="no reference"):
        model_input(question_for("relevance", UniEvalOptions()), "x", item)


def test_unieval_reads_the_history_of_a_dialogue_and_its_fact_once() -> None:
    item = Text(
        "d", "Oh, I like jazz.", source=dialogue_source("Hello.\n Do you like jazz?", "Jazz is old."), extra=FACT
    )
    read = {
        name: model_input(question_for(name, UniEvalOptions(task="dialogue")), item.text, item) for name in DIALOGUE
    }
    assert {name: said.partition(" </s> response: Oh, I like jazz.")[2] for name, said in read.items()} == DIALOGUE


def test_unieval_asks_about_real_dialogues_as_its_authors_do() -> None:
    """The inputs of the published code (`add_question`), made from the file by hand."""
    path = made_data("topical_chat.json")
    records = json.loads(path.read_text(encoding="utf-8"))
    texts = [imported.text for imported in read_corpus(path).texts]
    asked = question_for("engagingness", UniEvalOptions(task="dialogue"))
    question = "question: Is this an engaging and informative response according to the dialogue history and fact?"
    for record, text in list(zip(records, texts, strict=True))[::17]:
        history, fact = record["source"].strip(), record["context"].strip()
        expected = f"{question} </s> response: x </s> dialogue history: {history} </s> fact: {fact}"
        assert model_input(asked, "x", text).split() == expected.split()


def test_what_is_cut_is_said(torch: Any, tmp_path: Path) -> None:
    long = Text("d", "The ferry sails. " * 60, references=("It is slow.",))
    (found,) = scored("bertscore", tiny_model(tmp_path, "roberta"), long)
    assert found.details == {"cut": True}


@pytest.mark.parametrize("name", NAMES)
def test_without_the_libraries_one_sentence_says_which_extra(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(NotReadyError, match=rf"{name} .*extra “neural”.*pip install"):
        METHODS[name].check()


@pytest.mark.parametrize("name", NAMES)
def test_without_the_model_one_sentence_says_which_and_how_large(torch: Any, name: str) -> None:
    method = METHODS[name]
    with pytest.raises(NotReadyError, match=r"is not on this computer.*hf download .*[GM]B"):
        method.ready(method.read_options({}))
    assert method.signature(method.read_options({})).startswith(method.read_options({}).model)


@pytest.mark.parametrize("name", ["bertscore", "moverscore"])
def test_texts_without_words_or_references_are_failures(torch: Any, tmp_path: Path, name: str) -> None:
    folder = tiny_model(tmp_path, "roberta")
    for item, said in ((Text("d", "x"), "no reference"), (Text("d", "", references=("x",)), "no word")):
        with pytest.raises(UnsupportedError, match=said):
            scored(name, folder, item)


def test_unieval_needs_a_known_dimension() -> None:
    assert UNIEVAL.of_dimension
    assert not UNIEVAL.on_scale
