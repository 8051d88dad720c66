"""What a model says: sensible answers to the project's prompts, a plain instance of any other schema, or a score."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from tests.support.fake_llm import checklist_builder
from tests.support.strict_vendors.account import Account, Options, tokens
from tests.support.strict_vendors.score_tokens import Token, answer_tokens, score_tokens, spelled_score

REASONING = 300
"""Tokens that a reasoning model spends before its answer unless the options say otherwise."""

TOP = 5
"""The highest of the numbers that a schema is answered with, unless the options say otherwise."""
_SCHEMA = re.compile(r"It must satisfy this JSON Schema:\n(\{.*\})", re.DOTALL)
_SCORE_FORM = re.compile(r"^(.*score:) <number>", re.IGNORECASE | re.MULTILINE)
_WANTED = re.compile(r"\bName (\d+) ")
_SUBJECTS = ("order", "links", "focus", "opening", "ending", "wording", "detail", "repetition")


@dataclass(frozen=True)
class Prompt:
    """A request without its vendor's wording. room: output tokens at most, None without a limit."""

    system: str
    user: str
    schema: Mapping[str, Any] | None
    room: int | None
    reasons: bool


@dataclass(frozen=True)
class Reply:
    """`outcome`: "declined" by the model, "filtered" by the vendor, or "empty" where there is no choice at all.
    `whole`: the text before it was cut at its limit. `ordinal`: of the text that was asked about."""

    text: str
    whole: str
    reasoning: int
    cut: bool
    ordinal: int
    outcome: Literal["answered", "declined", "filtered", "empty"]
    token_list: tuple[Token, ...]


def reply_to(account: Account, prompt: Prompt) -> Reply:
    options, ordinal = account.options, account.ordinal(prompt.user)
    whole, token_list = _said(prompt, options)
    reasoning = int(options.number("think", REASONING if prompt.reasons else 0))
    if options.chooses("heavy", ordinal):
        reasoning = int(options.text("heavy").partition(":")[2])
    text, cut = whole, False
    if prompt.room is not None and reasoning + tokens(whole) > prompt.room:
        reasoning, cut = min(reasoning, prompt.room), True
        text = whole[: 4 * (prompt.room - reasoning)]
    flaky = "flaky" in options and options.chooses("flaky", account.use("flaky"))
    outcome: Any = next(
        (
            outcome
            for outcome, chosen in (
                ("declined", flaky or options.chooses("refuse", ordinal)),
                ("filtered", options.chooses("filter", ordinal)),
                ("empty", options.chooses("dup", ordinal)),
            )
            if chosen
        ),
        "answered",
    )
    return Reply(text, whole, reasoning, cut, ordinal, outcome, () if cut else token_list)


def _said(prompt: Prompt, options: Options) -> tuple[str, tuple[Token, ...]]:
    schema = prompt.schema
    if schema is None and (given := _SCHEMA.search(prompt.system)):
        schema = json.loads(given[1])
    if schema is not None:
        text = json.dumps(_object(prompt, schema, int(options.number("top", TOP))), ensure_ascii=False)
        return text, answer_tokens(text)
    form = _SCORE_FORM.search(prompt.system)
    before = f"{form[1]} " if form else ""
    if before and spelled_score(options).startswith(" "):
        before = before.rstrip()
    return before + spelled_score(options), score_tokens(before, options)


def _object(prompt: Prompt, schema: Mapping[str, Any], top: int) -> Any:
    if checklist_builder.stage_in(prompt.user):
        return checklist_builder.built(prompt.user)
    wanted = _WANTED.search(prompt.system)
    return _instance(schema, "", prompt.user, int(wanted[1]) if wanted else 3, top)


def _instance(schema: Mapping[str, Any], name: str, text: str, many: int, top: int, place: int = 1) -> Any:
    """One value that satisfies a schema. The same text gets the same one, another text another.

    name, place: of the property, and of the entry in its list from 1. many: entries of each list. top: the highest
    number, of those from 1.
    """
    chance = int.from_bytes(sha256(f"{name} {text}".encode()).digest()[:4])
    if "enum" in schema:
        return schema["enum"][:2][chance % len(schema["enum"][:2])]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {key: _instance(of, key, text, many, top, place) for key, of in schema.get("properties", {}).items()}
        case "array":
            return [_instance(schema["items"], name, text, many, top, number) for number in range(1, many + 1)]
        case "integer":
            return place
        case "number":
            return 1 + chance % top
        case "boolean":
            return True
        case "null":
            return None
    subject = _SUBJECTS[(place - 1) % len(_SUBJECTS)]
    return (
        f"Aspect {place}" if name == "name" else f"Look at the {subject} of the text and at what a reader needs of it."
    )
