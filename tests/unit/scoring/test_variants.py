"""Two runs that differ in an option of their method never share a label or a signature."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from app.domain.condition import Family, StudyCondition
from app.domain.run import RunStatus, RunSummary
from app.evaluators.method import Method, Option, described
from app.evaluators.registry import METHODS
from app.services.results.results import default_runs
from app.services.scoring.run_labels import draw_of, judge_in_signature, method_label, variant_of

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def run_of(evaluator: str, number: int = 1, **params: Any) -> RunSummary:
    return RunSummary(number, "P", evaluator, "rules", ("d",), RunStatus.DONE, 9, 0, 9, DAY, params=params)


def values(option: Option) -> Iterator[Any]:
    if option.choices:
        yield from option.choices
    elif option.kind is bool:
        yield from (False, True)
    elif option.kind is int:
        yield from {option.default, 1, 7, 23}
    else:
        yield from {option.default, "one", "two words"}


def params_of(method: Method) -> Iterator[dict[str, Any]]:
    """The defaults, then each other value of each option beside the defaults of the others."""
    usual = asdict(method.options())
    yield usual
    for option in described(method.options):
        yield from ({**usual, option.name: value} for value in values(option) if value != option.default)


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
@pytest.mark.parametrize("named", [method_label, judge_in_signature])
def test_runs_that_differ_in_one_option_share_no_name(method: Method, named: Any) -> None:
    runs = [run_of(method.name, **params) for params in params_of(method)]
    more = [{"effort": "high"}, {"sample": 0.2, "seed": 1}, {"sample": 0.2, "seed": 2}, {"draw": [4, 2], "seed": 1}]
    more += [{"without_systems": ["A"]}, {"without_systems": ["A", "B"]}, {"systems": ["A"]}]
    runs += [run_of(method.name, **extra) for extra in more]
    assert [name for name, count in Counter(map(named, runs)).items() if count > 1] == []


def test_the_defaults_have_no_variant() -> None:
    for method in METHODS.values():
        assert variant_of(run_of(method.name, **asdict(method.options()))) == ()


def test_a_variant_names_what_differs_from_the_defaults() -> None:
    assert variant_of(run_of("coascore", aspects=23, variant="full")) == ("aspects=23",)
    assert variant_of(run_of("g-eval", steps=False, probabilities="none")) == ("probabilities=none", "steps=no")
    assert variant_of(run_of("own:mine", section="a")) == ()
    assert draw_of(run_of("coascore", draw=[20, 3], seed=4)) == ("draw=20x3", "seed=4")


def test_a_label_says_what_a_run_was_made_for() -> None:
    key = StudyCondition(Family.SH, "Ada").key
    label = method_label(run_of("checklist", study=key, study_choices={"trials": 3, "seed": 1}, seed=2, soft=True))
    assert [part in label for part in ("soft=yes", "Ada", "trial 2")] == [True, True, True]


def test_default_runs_keep_each_variant() -> None:
    runs = [run_of("coascore", number, aspects=aspects) for number, aspects in ((4, 5), (3, 10), (2, 23), (1, 23))]
    assert [run.id for run in default_runs(runs, "d")] == [4, 3, 2]
