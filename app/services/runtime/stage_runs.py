"""Stages of think-alouds, builds and proposals, as they are kept: what was asked, and what came back."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from app.construction.stage import StageRecord
from app.domain.prompt import RenderedPrompt
from app.domain.run import StageRun
from app.errors import ProviderError, WorkbenchError
from app.providers.base import ChatReply, Usage


def answered(stage: str, model: str, prompt: RenderedPrompt, reply: ChatReply) -> StageRun:
    return _kept(stage, model, prompt.label, prompt.digest, prompt.variables, reply.text, reply.usage)


def answered_stage(record: StageRecord) -> StageRun:
    return _kept(record.stage, record.model, record.prompt, record.digest, record.variables, record.reply, record.usage)


def failed(stage: str, model: str, error: WorkbenchError) -> StageRun:
    kind = error.kind if isinstance(error, ProviderError) else "input"
    return StageRun(stage, model, error_kind=kind, error=str(error))


def _kept(
    stage: str, model: str, prompt: str, digest: str, inputs: Mapping[str, Any], output: str, usage: Usage
) -> StageRun:
    return StageRun(
        stage=stage,
        model=model,
        prompt=prompt,
        prompt_digest=digest,
        inputs_digest=_inputs_digest(inputs),
        inputs=inputs,
        output=output,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
    )


def _inputs_digest(inputs: Mapping[str, Any]) -> str:
    """Tells whether a stage's inputs changed since it ran."""
    canonical = json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()
