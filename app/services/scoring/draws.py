"""Check of draws: how well the texts drawn for a run represent all texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.corpora.draws import KsCheck, design_instead, drawn_documents, ks_check
from app.domain.project import Dimension, TextPlace
from app.domain.roles_and_rights import Right
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.runs import RunOptions, plan_run
from app.services.think_aloud.samples import evaluation_texts

PARTS = 8


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the scale, with the shares of drawn texts and of all texts whose mean rating is in it."""

    low: float
    high: float
    drawn: float
    whole: float


@dataclass(frozen=True, slots=True)
class DrawCheck:
    """A check of how closely a draw's mean ratings are distributed like those of all texts.

    seed: of the draw. cautions: sentences on the worth of its figures.
    """

    dimension: Dimension
    ks: KsCheck
    parts: tuple[Part, ...]
    seed: int = 0
    cautions: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "dimension": self.dimension.name,
            "seed": self.seed,
            "texts": self.ks.n_drawn,
            "texts_all": self.ks.n_all,
            "ks": self.ks.statistic,
            "p": self.ks.p_value,
            "cautions": list(self.cautions),
        }


@use_case(Right.FACILITATE)
def check_draws(workbench: Workbench, project_id: int, options: RunOptions) -> list[DrawCheck]:
    """Return the checks of each trial that would start; [] if all texts are scored."""
    if not options.drawn:
        return []
    return [check for trial in options.each_trial() for check in check_draw(workbench, project_id, trial)]


def check_draw(workbench: Workbench, project_id: int, options: RunOptions) -> list[DrawCheck]:
    """Return a check for each rated dimension of the run that would start. Raises what planning raises."""
    planned = {part.dimension: part.texts for part in plan_run(workbench, project_id, options)}
    texts = [(dimension, planned[dimension.id]) for dimension in options.dimensions if dimension.id in planned]
    return check_drawn_texts(workbench, project_id, texts, options.seed)


def check_drawn_texts(
    workbench: Workbench, project_id: int, texts: Iterable[tuple[Dimension, Sequence[int]]], seed: int
) -> list[DrawCheck]:
    """Return a check of the texts (ids) drawn on each dimension, if any of them is rated."""
    checks = []
    for dimension, ids in texts:
        with workbench.database.read() as work:
            means = work.texts.mean_scores(dimension.id)
            whole = [text for text in evaluation_texts(work, project_id, dimension.id)[0] if text.id in means]
        taken = set(ids)
        drawn = [text for text in whole if text.id in taken]
        if drawn:
            rated, all_rated = ([means[text.id] for text in some] for some in (drawn, whole))
            ks, parts = ks_check(rated, all_rated), _parts(rated, all_rated, dimension)
            checks.append(DrawCheck(dimension, ks, parts, seed, _cautions(drawn, whole)))
    return checks


def _cautions(drawn: Sequence[TextPlace], whole: Sequence[TextPlace]) -> tuple[str, ...]:
    documents = drawn_documents(drawn, whole)
    if not documents.too_thin:
        return ()
    said = (
        f"{documents.thin:,} of the {documents.drawn:,} documents in this draw have fewer than three texts in it: with "
        "two a coefficient is 1 or -1, with one there is none, so figures per source say little."
    )
    design = design_instead(drawn, whole)
    if design is None:
        return (f"{said} Score all texts instead.",)
    return (f"{said} Draw documents and systems of each instead, for example {design[0]} x {design[1]}.",)


def _parts(drawn: Sequence[float], whole: Sequence[float], dimension: Dimension) -> tuple[Part, ...]:
    width = (dimension.high - dimension.low) / PARTS

    def shares(values: Sequence[float]) -> list[float]:
        places = [min(max(int((value - dimension.low) / width + 1e-9), 0), PARTS - 1) for value in values]
        return [places.count(place) / len(values) for place in range(PARTS)]

    return tuple(
        Part(dimension.low + k * width, dimension.low + (k + 1) * width, a, b)
        for k, (a, b) in enumerate(zip(shares(drawn), shares(whole), strict=True))
    )
