"""Stages of builds and proposals, as they are kept."""

from app.construction.stage import StageRecord
from app.domain.run import StageRun
from app.services.thinking import inputs_digest


def stage_run(record: StageRecord) -> StageRun:
    """What is kept of a stage that a model answered: what it was asked, and what came back."""
    return StageRun(
        stage=record.stage,
        model=record.model,
        prompt=record.prompt,
        prompt_digest=record.digest,
        inputs_digest=inputs_digest(record.variables),
        inputs=record.variables,
        output=record.reply,
        input_tokens=record.usage.input_tokens,
        cached_tokens=record.usage.cached_tokens,
        output_tokens=record.usage.output_tokens,
    )
