"""The scores of a run and of what was decided or most experts say, as the sides of a difference."""

import numpy as np

from app.domain.run import ScoredText
from app.meta_evaluation.judges.pairing import ComparedSide
from app.meta_evaluation.score_matrix import Floats
from app.services.results.corrected_shares import reference_scores
from app.services.results.expert_side import ExpertSide
from app.services.results.results import DimensionResult


def counted_rows(result: DimensionResult) -> list[ScoredText]:
    """Those that figures of the result rest on."""
    return [row for row in result.rows if row.counts(result.choices.include_partial)]


def source_of(row: ScoredText) -> str:
    """The document a text is about; a text of its own where none is named."""
    return row.doc_id or f"text {row.text}"


def scored_side(
    name: str, rows: list[ScoredText], key: list[str], result: DimensionResult, experts: ExpertSide | None
) -> ComparedSide:
    """Of `rows` that count; experts have a score where most of them agree on every question about a text."""
    human, probability = _by_text(result, experts)
    texts = [row.text for row in rows]
    return ComparedSide(
        name,
        np.array([row.score for row in rows], dtype=np.float64),
        np.array([human.get(text, np.nan) for text in texts]),
        key,
        [source_of(row) for row in rows],
        None if probability is None else np.array([probability.get(text, np.nan) for text in texts]),
    )


def _by_text(result: DimensionResult, experts: ExpertSide | None) -> tuple[dict[int, float], dict[int, float] | None]:
    """Text -> the experts' score, and the probability of being drawn for them where that differs."""
    if experts is None:
        return {}, None
    scores: Floats = reference_scores(experts, result)
    if experts.probability is None:
        return dict(zip(experts.texts, scores.tolist(), strict=True)), None
    scores = np.where(np.isnan(experts.probability), np.nan, scores)
    return (
        dict(zip(experts.texts, scores.tolist(), strict=True)),
        dict(zip(experts.texts, experts.probability.tolist(), strict=True)),
    )
