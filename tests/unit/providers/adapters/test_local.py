"""A model on this computer as a provider: it rates given texts and does nothing else."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import NotReadyError, UnsupportedError
from app.neural import loading
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Credentials
from app.providers.registry import answers_questions, open_model, rates_given_texts
from tests.support.tiny_models import tiny_model

pytestmark = pytest.mark.long

PROMPT = RenderedPrompt("p", 1, "d", "Write a summary.", "The ferry sails.\n\nsummary:", {})


@pytest.mark.parametrize(
    ("name", "rates", "answers"),
    [
        ("llama:x", True, True),
        ("local:x", True, False),
        ("openai:x", False, True),
        ("anthropic:x", False, True),
        ("google:x", False, True),
        ("rules", False, True),
    ],
)
def test_who_can_do_what(name: str, rates: bool, answers: bool) -> None:
    assert (rates_given_texts(name), answers_questions(name)) == (rates, answers)


def test_without_the_libraries_one_sentence_says_which_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(NotReadyError, match=r"local:gpt2 .*extra “local”.*pip install"):
        open_model("local:gpt2", Credentials())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "bart"])
def test_texts_that_wait_together_get_what_each_would_get_alone(tmp_path: Path, name: str) -> None:
    torch: Any = pytest.importorskip("torch", reason="torch isn't installed: make test without NEURAL=no")
    folder = tiny_model(tmp_path, name)
    requests = [ChatRequest(PROMPT, given=text) for text in ("It sails.", "Bicycles sail twice a day.", "Yes")]

    async def together() -> list[ChatReply]:
        model = open_model(f"local:{folder}", Credentials())
        assert (model.name, model.is_llm) == (f"local:{folder}", True)
        with pytest.raises(UnsupportedError, match="only says how likely"):
            await model.complete(ChatRequest(PROMPT))
        with pytest.raises(UnsupportedError, match="takes 192"):
            await asyncio.gather(
                *(model.complete(request) for request in [*requests, ChatRequest(PROMPT, given="x " * 400)])
            )
        return list(await asyncio.gather(*(model.complete(request) for request in requests)))

    loaded = loading.load_language_model(str(folder))
    for request, reply in zip(requests, asyncio.run(together()), strict=True):
        assert request.given is not None
        before = loaded.tokenizer(request.before).input_ids
        given = loaded.tokenizer(request.given, add_special_tokens=False).input_ids
        if name == "gpt2":
            ids, labels = before[:-1] + given, [-100] * (len(before) - 1) + given
        else:
            ids, labels = before, given
        with torch.no_grad():
            loss = float(loaded.model(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss)
        assert -sum(token.logprob for token in reply.logprobs) / len(given) == pytest.approx(loss, rel=1e-4)


def test_a_model_that_is_not_there_is_named_and_not_fetched(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="torch isn't installed: make test without NEURAL=no")
    with pytest.raises(NotReadyError, match=r"“gpt2” is not on this computer.*hf download gpt2"):
        open_model("local:gpt2", Credentials())
    with pytest.raises(NotReadyError, match="is not on this computer"):
        open_model(f"local:{tmp_path}", Credentials())
