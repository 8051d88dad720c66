"""The model as a ChatModel."""

import asyncio

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import UnsupportedError
from app.providers.base import ChatModel, ChatRequest, Usage
from app.rules import RulesModel


def test_it_is_a_chat_model_and_no_llm(model: RulesModel) -> None:
    as_protocol: ChatModel = model
    assert as_protocol.name == "rules"
    assert as_protocol.is_llm is False
    asyncio.run(as_protocol.aclose())


def test_a_reply_costs_nothing(reply) -> None:
    given = reply(
        "judge-checklist", questions=[{"key": "q1", "question": "Is it clear?"}], item={"source": "", "text": "Yes."}
    )
    assert given.usage == Usage()
    assert given.model == "rules"
    assert given.text in {'{"q1": "yes"}', '{"q1": "no"}'}


def test_an_unknown_prompt_is_refused_with_a_hint(model: RulesModel) -> None:
    request = ChatRequest(RenderedPrompt("g-eval-steps", 1, "", "", "", {}))
    with pytest.raises(UnsupportedError, match="g-eval-steps") as caught:
        asyncio.run(model.complete(request))
    assert "LLM" in caught.value.hint
