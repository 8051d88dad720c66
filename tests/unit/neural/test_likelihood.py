"""Probabilities of given texts, against torch asked directly, one text at a time and without any padding."""

from pathlib import Path
from typing import Any

import pytest

from app.errors import UnsupportedError
from app.neural.likelihood import Pair, first_token_shares, token_logprobs
from app.neural.loading import LoadedModel, load, load_language_model
from tests.support.tiny_models import LIMIT, tiny_model

pytestmark = pytest.mark.long

torch: Any = pytest.importorskip("torch", reason="torch isn't installed: make test without NEURAL=no")

PAIRS = [
    Pair("The ferry sails to the island.\n", "It carries people."),
    Pair("The island.\n", "The ferry sails twice a day and back, with bicycles."),
    Pair("A longer beginning that holds rather many words about the ferry.\n", "Yes"),
]


def loaded(folder: Path, name: str) -> LoadedModel:
    return load_language_model(str(tiny_model(folder, name)))


def test_a_causal_model_against_its_own_loss(tmp_path: Path) -> None:
    model = loaded(tmp_path, "gpt2")
    assert (model.kind, model.limit) == ("causal", LIMIT)
    for pair, found in zip(PAIRS, token_logprobs(model, PAIRS), strict=True):
        before = model.tokenizer(pair.before).input_ids[:-1]  # without the mark of the end
        given = model.tokenizer(pair.given, add_special_tokens=False).input_ids
        ids = torch.tensor([before + given])
        labels = torch.tensor([[-100] * len(before) + given])
        with torch.no_grad():
            loss = float(model.model(input_ids=ids, labels=labels).loss)
        assert len(found) == len(given)
        assert -sum(token.logprob for token in found) / len(found) == pytest.approx(loss, rel=1e-4)
        assert "".join(token.token for token in found) == pair.given


@pytest.mark.parametrize("name", ["bart", "t5"])
@pytest.mark.parametrize("special", [False, True])
def test_an_encoder_decoder_against_its_own_loss(tmp_path: Path, name: str, special: bool) -> None:
    model = loaded(tmp_path, name)
    assert model.kind == "encoder-decoder"
    for pair, found in zip(PAIRS, token_logprobs(model, PAIRS, special=special), strict=True):
        source = model.tokenizer(pair.before, return_tensors="pt").input_ids
        target = model.tokenizer(pair.given, return_tensors="pt", add_special_tokens=special).input_ids
        with torch.no_grad():
            loss = float(model.model(input_ids=source, labels=target).loss)
        assert len(found) == target.shape[1]
        assert -sum(token.logprob for token in found) / len(found) == pytest.approx(loss, rel=1e-4)


def test_a_probability_is_one_over_all_words(tmp_path: Path) -> None:
    model = loaded(tmp_path, "gpt2")
    tokens = [model.tokenizer.decode([number]) for number in range(4, 320)]
    whole = [token for token in tokens if model.tokenizer(token, add_special_tokens=False).input_ids.__len__() == 1]
    found = token_logprobs(model, [Pair("The ferry\n", token) for token in whole])
    total = sum(torch.tensor([row[0].logprob for row in found]).exp().tolist())
    assert 0.2 < total <= 1.0001


def test_texts_that_are_too_long_are_refused_and_none_is_cut(tmp_path: Path) -> None:
    model = loaded(tmp_path, "gpt2")
    with pytest.raises(UnsupportedError, match="takes 192"):
        token_logprobs(model, [Pair("ferry " * 190, "island " * 190)])
    with pytest.raises(UnsupportedError, match="empty"):
        token_logprobs(model, [Pair("ferry", "")])


def test_where_cutting_is_wanted_the_mark_of_the_end_stays(tmp_path: Path) -> None:
    model = loaded(tmp_path, "bart")
    long = "The ferry sails to the island. " * 40
    (found,) = token_logprobs(model, [Pair(long, long)], special=True, cut=True)
    ids = model.tokenizer(long, verbose=False).input_ids
    kept = torch.tensor([[*ids[: LIMIT - 1], ids[-1]]])
    with torch.no_grad():
        loss = float(model.model(input_ids=kept, labels=kept).loss)
    assert len(found) == LIMIT
    assert -sum(token.logprob for token in found) / LIMIT == pytest.approx(loss, rel=1e-4)


def test_shares_of_two_words(tmp_path: Path) -> None:
    model = load(str(tiny_model(tmp_path, "t5")), "encoder-decoder")
    befores = ["The ferry", "The ferry sails to the island twice a day", "x " * 300]
    found = first_token_shares(model, befores, "Yes", "No")
    yes, no = (model.tokenizer(word, add_special_tokens=False).input_ids[0] for word in ("Yes", "No"))
    for before, (share, cut) in zip(befores[:2], found[:2], strict=True):
        ids = model.tokenizer(before, return_tensors="pt").input_ids
        start = torch.tensor([[model.model.config.decoder_start_token_id]])
        with torch.no_grad():
            p = model.model(input_ids=ids, decoder_input_ids=start).logits[0, 0].softmax(-1)
        assert (share, cut) == (pytest.approx(float(p[yes] / (p[yes] + p[no])), rel=1e-4), False)
    assert found[2][1]
