"""The choices behind every figure: level, coefficient, duplicates, constant groups, resampling."""

from typing import Literal, cast, get_args

from app.errors import InputError

Level = Literal["per-source", "dataset", "system"]
Coefficient = Literal["spearman", "kendall", "pearson"]
Duplicates = Literal["once", "keep"]
Constant = Literal["skip", "zero"]
Resampling = Literal["sources", "systems", "both", "texts"]
Correction = Literal["ppi", "rogan-gladen"]
AltMetric = Literal["accuracy", "rmse"]

RESAMPLES = 1000
"""Of a bootstrap, where nobody chose another number."""

EPSILON = 0.2
"""What the alternative annotator test gives a judge ahead of experts."""

COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
"""The order of the coefficient axis in every array of this package."""
MAE = len(COEFFICIENTS)
"""Where arrays of figures hold the mean absolute error, after the coefficients."""


def chosen(value: str, literal: object, what: str) -> None:
    """Check that `literal` allows `value`.

    Raises:
        InputError: naming what was chosen wrongly and what is possible.
    """
    allowed = cast("tuple[str, ...]", get_args(literal))
    if value not in allowed:
        raise InputError(f"{value!r} is not a {what}.", f"Choose {', '.join(allowed[:-1])} or {allowed[-1]}.")


def default_resampling(level: Level, *, grouped: bool) -> Resampling:
    """What the bootstrap draws unless told: systems for system figures, else sources, else single texts.

    Texts of one source are alike, so a known source is drawn as a whole, also at the dataset level.
    """
    if level == "system":
        return "systems"
    return "sources" if grouped else "texts"
