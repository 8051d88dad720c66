"""Each rule of the verdict, on figures made by hand, and what it says of real columns."""

from dataclasses import replace

import numpy as np
import pytest

from app.meta_evaluation.agreement_verdict import AgreementVerdict, VerdictKind, agreement_verdict, more_units
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import MetaEvaluation, evaluate
from app.meta_evaluation.raters.human_ceiling import Ceiling, JudgeAsRater
from app.meta_evaluation.score_matrix import Level, Resampling

ANY = evaluate(
    [1.0, 2.0, 3.0] * 3, [1.0, 3.0, 2.0] * 3, AgreementDesign(group=["a"] * 3 + ["b"] * 3 + ["c"] * 3, resamples=10)
)
Ends = tuple[float, float, float]


def meta(
    figure: tuple[float | None, float | None, float | None],
    sources: int = 40,
    *,
    of: int | None = None,
    level: Level = "per-source",
    resampling: Resampling = "sources",
    systems: int = 0,
    reason: str = "",
) -> MetaEvaluation:
    value, low, high = figure
    spearman = replace(ANY.figures["spearman"], value=value, low=low, high=high, reason=reason)
    basis = replace(
        ANY.basis,
        n=480,
        n_used=480,
        groups_used=sources,
        groups_all=of or sources,
        systems_used=systems,
        systems_all=systems,
    )
    design = replace(ANY.design, level=level, resampling=resampling)
    return replace(ANY, figures={**ANY.figures, "spearman": spearman}, basis=basis, design=design)


def ceiling(difference: Ends | None, value: float | None = 0.69, ends: tuple[float, float] = (0.6, 0.8)) -> Ceiling:
    """`difference`: the judge less one rater, with the ends of its interval."""
    beside = JudgeAsRater(0.5, *difference) if difference else None
    return Ceiling("spearman", "per-source", value, (value,) * 3, 480, 0, "", low=ends[0], high=ends[1], judge=beside)


FAR = ceiling((-0.3, -0.5, -0.2))


@pytest.mark.parametrize(
    ("figure", "beside", "kind", "sentence"),
    [
        (
            (0.05, -0.02, 0.11),
            FAR,
            "not found",
            "no agreement found (.05, between -.02 and .11); the human ceiling is .69. Don't use these scores yet.",
        ),
        ((0.0, 0.0, 0.29), FAR, "not found", "no agreement found (.00, between .00 and .29); the human"),
        ((0.05, -0.02, 0.3), FAR, "too few", "too few sources to say (.05, between -.02 and .30): about 63 more"),
        ((-0.1, -0.31, 0.1), FAR, "too few", "too few sources to say (-.10, between -.31 and .10): about 130 more"),
        (
            (-0.3, -0.5, -0.01),
            FAR,
            "negative",
            "the scores run against people (-.30, between -.50 and -.01): what people rate higher gets lower scores; "
            "the human ceiling is .69. Don't use these scores.",
        ),
        (
            (0.1, 0.01, 0.29),
            FAR,
            "little",
            "agrees only a little with people (.10, between .01 and .29), below the human",
        ),
        (
            (0.4, 0.2, 0.6),
            FAR,
            "weaker",
            "agrees with people (.40, between .20 and .60), below the human",
        ),
        (
            (0.6, 0.5, 0.7),
            ceiling((-0.05, -0.1, -0.01)),
            "weaker",
            "agrees with people (.60, between .50 and .70), slightly below",
        ),
        (
            (0.6, 0.5, 0.7),
            ceiling((0.02, -0.1, 0.1)),
            "as well",
            "agrees with people (.60, between .50 and .70), about at",
        ),
        (
            (0.6, 0.5, 0.7),
            ceiling((0.1, -0.05, 0.2)),
            "as well",
            "agrees with people (.60, between .50 and .70), at or",
        ),
        ((0.8, 0.7, 0.9), ceiling((0.1, 0.01, 0.2)), "better", "agrees with people (.80, between .70 and .90), above"),
        (
            (0.6, 0.5, 0.7),
            ceiling((0.0, -0.2, 0.2)),
            "open",
            "agrees with people (.60, between .50 and .70); whether it reaches the human ceiling (.69) "
            "can't be told: about 120 more sources needed for ±.1.",
        ),
    ],
)
def test_each_rule_has_its_sentence(figure: Ends, beside: Ceiling, kind: VerdictKind, sentence: str) -> None:
    found = agreement_verdict(meta(figure), beside, 3)
    assert found.kind == kind
    assert found.sentence.startswith(sentence)


def test_a_sentence_has_its_dimension_as_subject_and_says_what_it_rests_on() -> None:
    found = agreement_verdict(meta((0.05, -0.02, 0.11), 17, of=40), FAR, 3)
    assert found.about("coherence").startswith("Coherence: no agreement found (")
    assert found.grounds == "Spearman inside only 17 of 40 sources, averaged; 480 texts; 3 raters."
    assert found.beside == (
        "Human ceiling .69: the mean over 3 raters, each compared with the mean of the others, on 480 texts."
    )
    assert found.to_json("coherence")["sentence"] == found.about("coherence")


def test_what_rounds_to_nothing_still_shows_its_side_of_zero() -> None:
    assert "between .002 and .40" in agreement_verdict(meta((0.2, 0.002, 0.4)), FAR, 3).sentence
    assert "between just above 0 and .40" in agreement_verdict(meta((0.2, 0.0002, 0.4)), FAR, 3).sentence


@pytest.mark.parametrize(
    ("unscored", "said"),
    [(60, "60 rated ones of this project can be scored"), (0, "none left to score")],
)
def test_more_sources_are_asked_for_with_those_at_hand(unscored: int, said: str) -> None:
    found = agreement_verdict(meta((0.2, -0.3, 0.6)), FAR, 3, unscored)
    assert (found.kind, found.unscored) == ("too few", unscored)
    assert said in found.sentence
    assert "of this project" not in agreement_verdict(meta((0.2, -0.3, 0.6)), FAR, 3).sentence


def test_few_sources_are_too_few_whatever_their_figures_say() -> None:
    clear = agreement_verdict(meta((0.8, 0.75, 0.85), 9), ceiling((0.1, 0.05, 0.2)), 3)
    assert (clear.kind, clear.more) == ("too few", 1)
    assert agreement_verdict(meta((0.8, 0.75, 0.85), 10), ceiling((0.1, 0.05, 0.2)), 3).kind == "better"


@pytest.mark.parametrize(
    ("sources", "of", "low", "high", "more"),
    [
        (10, 10, -0.1, 0.1, 0),  # as narrow already
        (10, 10, -0.2, 0.2, 30),  # twice as wide takes four times as many
        (20, 20, -0.3, 0.3, 160),
        (10, 20, -0.2, 0.2, 60),  # every second source counts
        (33, 33, -0.25, 0.25, 180),  # 173.25: two digits, upwards
    ],
)
def test_how_many_more_follows_from_the_width(sources: int, of: int, low: float, high: float, more: int) -> None:
    assert more_units(meta((0.0, low, high), sources, of=of), low, high, "sources", sources) == more


def test_the_unit_is_what_the_interval_draws() -> None:
    systems = meta((0.2, -0.4, 0.7), level="system", resampling="systems", systems=12)
    found = agreement_verdict(systems, None, 3)
    assert found.sentence.startswith("too few systems to say (.20, between -.40 and .70): about 360 more needed")
    assert "nothing about single texts" in found.grounds
    clear = meta((0.7, 0.6, 0.8), level="system", resampling="systems", systems=12)
    assert agreement_verdict(clear, FAR, 3).sentence.startswith("agrees with people about the systems (")
    texts = agreement_verdict(meta((0.2, -0.4, 0.7), level="dataset", resampling="texts"), None, 3)
    assert (texts.unit, "too few texts to say" in texts.sentence) == ("texts", True)
    both = agreement_verdict(meta((0.2, -0.4, 0.7), resampling="both", systems=12), None, 3)
    assert (both.more, both.sentence.endswith("more are needed.")) == (None, True)


def test_without_a_second_rater_nothing_is_said_about_one() -> None:
    alone = agreement_verdict(meta((0.5, 0.4, 0.6)), Ceiling("spearman", "per-source", None, (None,), 0, 1, "x"), 1)
    assert alone.kind == "no ceiling"
    assert alone.sentence == (
        "agrees with people (.50, between .40 and .60); the ratings come from one rater, so the human ceiling "
        "isn't known."
    )
    apart = Ceiling("spearman", "per-source", None, (None, None), 0, 2, "No rater has a coefficient with the others.")
    assert "isn't known. No rater has a coefficient" in agreement_verdict(meta((0.5, 0.4, 0.6)), apart, 2).sentence
    assert "don't say who gave them" in agreement_verdict(meta((0.5, 0.4, 0.6))).sentence
    assert agreement_verdict(meta((0.1, 0.05, 0.2))).kind == "little"


def test_raters_of_different_texts_leave_the_comparison_open() -> None:
    beside = replace(ceiling(None), reason="The raters rated different sources.", low=None, high=None)
    found = agreement_verdict(meta((0.5, 0.4, 0.6)), beside, 3)
    assert found.kind == "open"
    assert found.sentence.endswith("can't be told. The raters rated different sources.")


def test_raters_who_hardly_agree_are_no_measure() -> None:
    nobody = agreement_verdict(meta((0.4, 0.3, 0.5)), ceiling((0.2, 0.1, 0.3), 0.1, (-0.1, 0.2)), 3)
    assert (nobody.kind, "may not agree among themselves at all" in nobody.sentence) == ("better", True)
    hardly = agreement_verdict(meta((0.4, 0.3, 0.5)), ceiling((0.2, 0.1, 0.3), 0.1, (0.05, 0.2)), 3)
    assert "agree only a little among themselves" in hardly.sentence


def test_without_figures_the_reason_is_the_verdict() -> None:
    none = agreement_verdict(meta((None, None, None), reason="All texts have the same score."))
    assert (none.kind, none.sentence) == ("no coefficient", "can't be told. All texts have the same score.")
    bare = agreement_verdict(meta((0.5, None, None), reason="Only one source."))
    assert (bare.kind, bare.sentence) == (
        "no interval",
        "can't be told. There is a figure (.50) but no interval. Only one source.",
    )
    assert agreement_verdict(meta((1.0, 1.0, 1.0))).kind == "no interval"


def said_of(scores: list[float | None], human: list[float | None], level: Level = "dataset") -> AgreementVerdict:
    return agreement_verdict(evaluate(scores, human, AgreementDesign(level=level, resamples=50)), None, 1)


def test_what_real_columns_lack_is_named() -> None:
    many: list[float | None] = [float(n) for n in range(20)]
    assert said_of(many, [None] * 20).sentence.startswith("nobody has rated these texts")
    assert said_of([None] * 20, many).sentence.startswith("no text has a score that counts")
    halves = said_of([1.0, 2.0, None, None], [None, None, 1.0, 2.0])
    assert (halves.kind, halves.sentence.startswith("no text has both")) == ("nothing to compare", True)
    assert said_of([3.0] * 20, many).sentence.startswith("can't be told. All texts have the same score")
    assert said_of(many, many).kind == "no interval"  # perfect: every resample gives 1
    assert said_of(many[:4], [1.0, 3.0, 2.0, 4.0]).kind in ("too few", "no interval")


@pytest.mark.long
def test_chance_is_hardly_ever_taken_for_agreement() -> None:
    rng = np.random.default_rng(3)
    kinds = []
    for _ in range(40):
        scores, human = rng.normal(size=300).tolist(), rng.normal(size=300).tolist()
        kinds.append(
            agreement_verdict(evaluate(scores, human, AgreementDesign(level="dataset", resamples=200)), None, 1).kind
        )
    assert kinds.count("not found") >= 34
    assert not {"weaker", "as well", "better"} & set(kinds)
