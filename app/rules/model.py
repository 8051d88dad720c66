"""The model `rules`: an assessor and judge without an LLM."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from app.errors import UnsupportedError
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import ModelName
from app.rules import questions as rewriting
from app.rules.components import clusters, components
from app.rules.judge import RuleJudge, attributes
from app.rules.questions import key_questions, sub_questions, validation

Variables = Mapping[str, Any]


class RulesModel:
    """A `ChatModel` of documented, deterministic text rules, for work without any key.

    It answers the same requests as an LLM from their variables, never from their prose; schema, temperature and sample
    number don't change its answers. Label its output "rules, not an LLM" wherever it is shown.
    """

    def __init__(self) -> None:
        self._judge = RuleJudge()
        self._stages: dict[str, Callable[[Variables], dict[str, Any]]] = {
            "think-aloud": lambda variables: attributes(variables, self._judge),
            "components": components,
            "clusters": clusters,
            "key-questions": key_questions,
            "sub-questions": sub_questions,
            "validation": validation,
            **rewriting.ANSWERS,
        }

    @property
    def name(self) -> str:
        return "rules"

    @property
    def is_llm(self) -> bool:
        return False

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer from the request's variables.

        Raises:
            UnsupportedError: for a prompt that the rules have no answer to.
        """
        prompt = request.prompt
        if prompt.name in ("judge-checklist", "judge-checklist-open", "judge-checklist-evidence"):
            found, evidence = self._judge.answer(prompt.variables), prompt.name == "judge-checklist-evidence"
            said = found.with_quotes(bool(prompt.variables["reasons"])) if evidence else found.answers
            return ChatReply(text=json.dumps(said), model=self.name, rationales=found.reasons)
        stage = self._stages.get(prompt.name)
        if stage is None:
            raise UnsupportedError(
                f"The built-in rules can't answer the prompt {prompt.name!r}.",
                "Choose an LLM for this, or use the rules for think-aloud, building checklists and judging with them.",
            )
        return ChatReply(text=json.dumps(stage(prompt.variables), ensure_ascii=False), model=self.name)

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


def open_model(_name: ModelName) -> RulesModel:
    """Return a new model; all are alike."""
    return RulesModel()
