"""Texts with where they come from, and how agreement on them is computed: what every part of an analysis shares."""

from dataclasses import dataclass, replace

import numpy as np

from app.meta_evaluation.choices import RESAMPLES, Constant, Duplicates, Level
from app.meta_evaluation.evaluation import MetaEvaluation, evaluate
from app.meta_evaluation.score_matrix import Bools, Column, Floats, first_of_kind


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Where the texts come from, a cell each, and how agreement on them is computed."""

    group: Column | None = None
    system: Column | None = None
    item: Column | None = None
    level: Level = "per-source"
    duplicates: Duplicates = "once"
    constant: Constant = "skip"
    resamples: int = RESAMPLES
    seed: int = 0

    def without_duplicates(self, texts: int) -> tuple["Frame", Bools]:
        """The frame of the texts that count, and which of the `texts` these are."""
        if self.duplicates == "keep":
            return self, np.ones(texts, dtype=bool)
        kept = first_of_kind(self.group, self.system, self.item, texts)
        return self.of(kept), kept

    def of(self, kept: Bools) -> "Frame":
        """The frame of the `kept` texts alone."""
        group, system, item = (_only(column, kept) for column in (self.group, self.system, self.item))
        return replace(self, group=group, system=system, item=item)

    def evaluate(self, judge: Floats, human: Floats, kept: Bools) -> MetaEvaluation:
        """Of the `kept` texts alone."""
        texts = self.of(kept)
        return evaluate(
            judge[kept],
            human[kept],
            group=texts.group,
            system=texts.system,
            level=self.level,
            duplicates="keep",
            constant=self.constant,
            resamples=self.resamples,
            seed=self.seed,
        )


def _only(column: Column | None, kept: Bools) -> list[object] | None:
    return None if column is None else [cell for cell, keep in zip(column, kept, strict=True) if keep]
