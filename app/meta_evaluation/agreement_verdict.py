"""Verdicts in a sentence: what the figures of agreement and of differences establish, and from which data."""

from dataclasses import dataclass
from math import ceil
from typing import Literal

from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.comparison import TestedDifference
from app.meta_evaluation.evaluation import MetaEvaluation
from app.meta_evaluation.raters.human_ceiling import Ceiling

NOT_SIGNIFICANT = "Not significantly different"


def verdict(tested: TestedDifference, other: str, baseline: str, comparisons: int) -> str:
    """Return the sentence on `tested` (other less baseline), one of `comparisons` that were corrected together."""
    figure = tested.figure
    if figure.difference is None:
        return f"Can't be compared: {figure.reason}"
    if figure.low is None or figure.high is None:
        return f"{NOT_SIGNIFICANT}: there is no interval. {figure.reason}".strip()
    better, worse = (other, baseline) if figure.difference > 0 else (baseline, other)
    if figure.low <= 0 <= figure.high:
        return f"{NOT_SIGNIFICANT}: the interval of the difference includes 0."
    p = tested.p_holm if tested.p_holm is not None else tested.permutation.p
    among = f" among {comparisons} comparisons" if comparisons > 1 else ""
    if p is None:
        alone = f"{better} agrees better than {worse} by the interval alone"
        return f"{alone}; no permutation test: {tested.permutation.reason}"
    if not tested.is_significant:
        often = f"chance does as much too often{among} ({p_value_words(p)})"
        return f"Leans to {better} over {worse}: the interval leaves out 0, but {often}."
    clear = f"{better} agrees better with people than {worse}"
    return f"{clear}: the interval leaves out 0, and chance hardly does as much ({p_value_words(p)})."


def p_value_words(p: float) -> str:
    """Return a p-value as papers print it: "p = .012", or "p < .001"."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def decimals(value: float) -> str:
    """Return `value` as papers print it: .05, -.02, 1.00. A third decimal is shown where two would round to .00."""
    for digits in (2, 3):
        said = f"{abs(value):.{digits}f}"
        if float(said) or value == 0:
            return f"{'-' if value < 0 else ''}{said.removeprefix('0')}"
    return "just below 0" if value < 0 else "just above 0"


def with_interval(value: float, low: float, high: float) -> str:
    return f"({decimals(value)}, between {decimals(low)} and {decimals(high)})"


def two_digits(count: int) -> int:
    """Return `count` rounded up to two significant digits, as it is an estimate."""
    unit: int = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // unit) * unit


def grounds(meta: MetaEvaluation, raters: int) -> str:
    """Return what a figure rests on, as "Spearman inside 96 of 100 sources, averaged; 1,536 texts; 3 raters."."""
    basis = meta.basis
    match meta.design.level:
        case "per-source":
            only = "only " if 2 * basis.groups_used < basis.groups_all else ""
            how = f"Spearman inside {only}{basis.groups_used:,} of {counted_of(basis.groups_all, 'source')}, averaged"
        case "system":
            how = f"Spearman over the means of {counted_of(basis.systems_used, 'system')}: nothing about single texts"
        case _:
            how = "Spearman over all texts together"
    parts = [how, counted_of(basis.n_used or basis.n, "text")]
    if raters:
        parts.append(counted_of(raters, "rater"))
    return f"{'; '.join(parts)}."


def ceiling_grounds(ceiling: Ceiling | None) -> str:
    """Return the human ceiling with its raters and texts in a sentence; "" without a ceiling."""
    if ceiling is None or ceiling.value is None:
        return ""
    compared = sum(value is not None for value in ceiling.by_rater)
    return (
        f"Human ceiling {decimals(ceiling.value)}: the mean over {compared} raters, each compared with the mean of the "
        f"others, on {counted_of(ceiling.n, 'text')}."
    )


FEWEST_UNITS = 10
"""Units below which no interval is trusted: a 95 % one covers 88 % with 10 sources, 81 % with 5 (FEW_TO_DRAW)."""
LITTLE = 0.3
"""Agreement below this is called little: Cohen (1988) calls a correlation of .1 small and one of .3 medium."""
MARGIN = 0.1
"""The half-width of an interval to aim at, and the most by which a judge "about at" the human ceiling may fall short of
it. Our own choice: raters of the same texts differ among themselves by as much."""

VerdictKind = Literal[
    "nothing to compare",
    "no coefficient",
    "no interval",
    "too few",
    "negative",
    "not found",
    "little",
    "weaker",
    "as well",
    "better",
    "open",
    "no ceiling",
]
Said = tuple[VerdictKind, str, int | None]
"""A verdict's kind, its sentence, and how many more units would help."""
DONT_USE = "Don't use these scores yet."


@dataclass(frozen=True, slots=True)
class AgreementVerdict:
    """What a dimension's figures establish. `sentence` continues after the dimension's name; `grounds` says what it
    rests on, and `beside` what the human ceiling rests on, "" without one. `more` further units (`unit`: sources,
    systems or texts) would narrow the interval to about plus or minus MARGIN; None where unknown or not needed.
    `unscored` units of the project are rated but not scored; None where unknown or no more are needed."""

    kind: VerdictKind
    sentence: str
    grounds: str
    beside: str = ""
    unit: str = "sources"
    more: int | None = None
    unscored: int | None = None

    def about(self, name: str) -> str:
        """Return the sentence with its subject: "Coherence: no agreement found (...)."."""
        return f"{name[:1].upper()}{name[1:]}: {self.sentence}"

    def to_json(self, name: str) -> dict[str, object]:
        return {
            "kind": self.kind,
            "sentence": self.about(name),
            "grounds": self.grounds,
            "beside": self.beside,
            "more": self.more,
            "unit": self.unit,
            "unscored": self.unscored,
        }


def agreement_verdict(
    meta: MetaEvaluation, ceiling: Ceiling | None = None, raters: int = 0, unscored: int | None = None
) -> AgreementVerdict:
    """Return the verdict on `meta`. `ceiling`: how well one of the `raters` agrees with the others, with the judge
    beside; None where the ratings don't name their raters. `unscored`: how many units (`drawn_units`) are rated but not
    scored yet."""
    unit, _ = drawn_units(meta)
    kind, sentence, more = _without_figures(meta) or _found(meta, ceiling, raters, unscored)
    rests_on = grounds(meta, raters) if meta.basis.n else ""
    return AgreementVerdict(kind, sentence, rests_on, ceiling_grounds(ceiling), unit, more, unscored)


def _found(meta: MetaEvaluation, ceiling: Ceiling | None, raters: int, unscored: int | None) -> Said:
    """Return the verdict by rules 2 to 5, which need an interval."""
    figure = meta.figures["spearman"]
    assert figure.value is not None  # rule 1
    assert figure.low is not None
    assert figure.high is not None
    low, high = figure.low, figure.high
    shown, (unit, units) = with_interval(figure.value, low, high), drawn_units(meta)
    beside = f"; {_one_rater(ceiling, raters)}"
    if units < FEWEST_UNITS or (low <= 0 <= high and max(-low, high) >= LITTLE):
        more = more_units(meta, low, high, unit, units)
        return "too few", f"too few {unit} to say {shown}{_needed(more, '', unscored)}.", more
    if high < 0:
        said = f"the scores run against people {shown}: what people rate higher gets lower scores"
        check = "Check whether a high score means good, and what the questions ask."
        return "negative", f"{said}{beside}. Don't use these scores. {check}", None
    if low <= 0:
        return "not found", f"no agreement found {shown}{beside}. {DONT_USE}", None
    kind, ending, more = _beside_a_rater(meta, ceiling, raters, unscored)
    people = "people about the systems" if meta.design.level == "system" else "people"
    if high < LITTLE:
        return "little", f"agrees only a little with {people} {shown}{ending} {DONT_USE}", more
    how_far = ", perhaps only a little" if figure.value < LITTLE else ""
    return kind, f"agrees with {people}{how_far} {shown}{ending}", more


def drawn_units(meta: MetaEvaluation) -> tuple[str, int]:
    """Return the unit that the interval resamples ("sources", "systems", ...), and how many units count."""
    basis = meta.basis
    match meta.design.resampling:
        case "systems":
            return "systems", basis.systems_used
        case "texts":
            return "texts", basis.n_used
        case "both":
            return "sources and systems", min(basis.groups_used, basis.systems_used)
        case _:
            return "sources", basis.groups_used


def more_units(meta: MetaEvaluation, low: float, high: float, unit: str, units: int) -> int | None:
    """Return how many more units would narrow the interval from `low` to `high` to about +-MARGIN; 0 if it is as
    narrow.

    The width of an interval falls with the square root of the number of units. Sources without a coefficient add
    nothing, so the number grows by their share. It is rounded up to two digits. None where both sources and systems are
    resampled, for which one number isn't enough.
    """
    if unit == "sources and systems" or units == 0:
        return None
    wanted = max(units * ((high - low) / 2 / MARGIN) ** 2, float(FEWEST_UNITS))
    share = meta.basis.groups_all / units if unit == "sources" and meta.design.level == "per-source" else 1.0
    return two_digits(ceil(max(wanted - units, 0.0) * share - 1e-9))


def _without_figures(meta: MetaEvaluation) -> Said | None:
    """Return the verdict by rule 1, where there is no figure or no interval; else None."""
    intake, figure = meta.intake, meta.figures["spearman"]
    if meta.basis.n == 0:
        if intake.missing_human == intake.rows:
            said = (
                "nobody has rated these texts, so the scores can't be compared with people's. Import ratings, or let "
                "experts answer the checklist to see where the judge disagrees with them."
            )
        elif all(missing == intake.rows for missing in intake.missing_pred):
            said = "no text has a score that counts, so there is nothing to compare with people."
        else:
            said = "no text has both a score and a rating, so there is nothing to compare."
        return "nothing to compare", said, None
    if figure.value is None:
        return "no coefficient", f"can't be told. {figure.reason}", None
    shown = f"({decimals(figure.value)})"
    if figure.low is None or figure.high is None:
        why = figure.reason or "No resamples were drawn."
        return "no interval", f"can't be told. There is a figure {shown} but no interval. {why}", None
    if figure.low == figure.high:
        same = f"Every resample gives the same figure {shown}, which is no certainty: there is too little to draw from."
        return "no interval", f"can't be told. {same}", None
    return None


def _beside_a_rater(meta: MetaEvaluation, ceiling: Ceiling | None, raters: int, unscored: int | None) -> Said:
    """Return rule 5's kind, the end of its sentence, and how many more units would decide an open question."""
    if ceiling is None or ceiling.value is None:
        return "no ceiling", f"; {_one_rater(ceiling, raters)}.", None
    judge, doubt = ceiling.judge, _doubt(ceiling)
    who = f"the human ceiling ({decimals(ceiling.value)})"
    if judge is None or judge.low is None or judge.high is None:
        return "open", f"; whether it reaches {who} can't be told. {ceiling.reason}".rstrip() + doubt, None
    if judge.high < 0:
        slightly = "slightly " if judge.low >= -MARGIN else ""
        return "weaker", f", {slightly}below {who}.{doubt}", None
    if judge.low > 0:
        return "better", f", above {who}.{doubt}", None
    if judge.low >= -MARGIN:
        near = "about at" if judge.high <= MARGIN else "at or above"
        return "as well", f", {near} {who}.{doubt}", None
    unit, units = drawn_units(meta)
    more = more_units(meta, judge.low, judge.high, unit, units)
    return "open", f"; whether it reaches {who} can't be told{_needed(more, unit, unscored)}.{doubt}", more or None


def _needed(more: int | None, unit: str, unscored: int | None) -> str:
    """`unit` is empty where the sentence has named it."""
    if more == 0:
        return ""
    unit = unit and f" {unit}"
    there = ""
    if unscored is not None:
        waiting = f"{unscored:,} rated {'one' if unscored == 1 else 'ones'} of this project can be scored for it"
        there = f"; {waiting if unscored else 'none left to score'}"
    if more is None:
        return f": more{unit} are needed{there}"
    return f": about {more:,} more{unit} needed for ±.1{there}"


def _one_rater(ceiling: Ceiling | None, raters: int) -> str:
    """Return the human ceiling in words, or why it isn't known."""
    if ceiling is not None and ceiling.value is not None:
        return f"the human ceiling is {decimals(ceiling.value)}"
    if raters == 1:
        return "the ratings come from one rater, so the human ceiling isn't known"
    if ceiling is None:
        return "the human ceiling isn't known, as the ratings don't say who gave them"
    return f"the human ceiling isn't known. {ceiling.reason.rstrip('.')}"


def _doubt(ceiling: Ceiling) -> str:
    """Return a warning where raters may not agree among themselves, so that the ceiling says little; else ""."""
    if ceiling.low is not None and ceiling.low <= 0:
        return " But your raters may not agree among themselves at all, so this says little."
    if ceiling.high is not None and ceiling.high < LITTLE:
        return " But your raters agree only a little among themselves, so this says little."
    return ""
