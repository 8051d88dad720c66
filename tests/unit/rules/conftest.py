"""Small ways to drive the rules model in tests."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from app.domain.model_call import RenderedPrompt
from app.providers.base import ChatReply, ChatRequest
from app.rules import RulesModel

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def model() -> RulesModel:
    return RulesModel()


@pytest.fixture
def reply(model: RulesModel) -> Callable[..., ChatReply]:
    """Ask a prompt by name with the usual task and dimension unless others are given."""

    def send(name: str, **variables: Any) -> ChatReply:
        usual = {
            "task": {"text_name": "summary", "source_name": "article", "description": "", "language": "English"},
            "dimension": {"name": "coherence", "rubric": "", "low": 1, "high": 5},
        }
        prompt = RenderedPrompt(name, 1, "digest", "", "", usual | variables)
        return asyncio.run(model.complete(ChatRequest(prompt)))

    return send


@pytest.fixture
def ask(reply: Callable[..., ChatReply]) -> Ask:
    return lambda name, **variables: json.loads(reply(name, **variables).text)
