import json
from itertools import product

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import Origin, evaluate, spearman_by_source
from app.meta_evaluation.score_matrix import Level

PRED = [1, 2, 3, 3, 1, 2, 5, 5, 5, 2]
HUMAN = [1, 2, 3, 1, 2, 3, 1, 2, 3, 2]
GROUP = list("aaabbbcccd")
SYSTEM = list("xyzxyzxyzx")


def test_the_caption_says_what_the_figures_rest_on() -> None:
    found = evaluate(
        [*PRED, 9, None], [*HUMAN, 9, 1], AgreementDesign(group=[*GROUP, "d", "d"], system=[*SYSTEM, "x", "y"])
    )
    assert found.caption == (
        "per-source, 2 of 4 sources used, 1 had constant scores or ratings and were left out, 1 had fewer than two "
        "texts; 6 of 10 texts; 1 duplicate counted once; 1 row without a score; 33 % of the compared pairs tied; "
        f"95 % intervals from 1,000 resamples of sources, {found.figures['kendall'].n_undefined} of them without a "
        "figure"
    )


def test_one_source_with_a_coefficient_has_no_interval() -> None:
    found = evaluate([1, 2, 3, 3, 3, 3], [1, 3, 2, 1, 2, 3], AgreementDesign(group=list("aaabbb")))
    for figure in (found.figures["spearman"], found.mae):
        assert figure.value is not None
        assert (figure.low, figure.high) == (None, None)
        assert figure.reason.startswith("Only one source has a coefficient")


def test_captions_of_the_other_levels() -> None:
    dataset = evaluate(PRED, HUMAN, AgreementDesign(group=GROUP, level="dataset", resamples=0))
    assert dataset.caption.startswith("dataset, all texts pooled from 4 sources; 10 texts;")
    assert evaluate(PRED, HUMAN, AgreementDesign(level="dataset", resamples=0)).caption.startswith(
        "dataset, all texts pooled; 10 texts"
    )
    system = evaluate(PRED, HUMAN, AgreementDesign(system=SYSTEM, level="system", resamples=0))
    assert system.caption.startswith("system, means of 3 of 3 systems; 10 texts;")


def test_every_figure_has_a_signature_that_reproduces_it() -> None:
    found = evaluate(
        PRED,
        HUMAN,
        AgreementDesign(group=GROUP, system=SYSTEM, resamples=50, seed=7),
        origin=Origin("3", "openai:gpt-4o", "4f2a"),
    )
    line = "per-source|spearman|2/4 skip|once|50 sources|7|3|openai:gpt-4o|4f2a"
    assert str(found.figures["spearman"].signature) == line
    again = evaluate(PRED, HUMAN, AgreementDesign(group=GROUP, system=SYSTEM, resamples=50, seed=7))
    assert again.figures["spearman"].low == found.figures["spearman"].low


def test_json_has_the_contract_fields() -> None:
    payload = evaluate(PRED, HUMAN, AgreementDesign(group=GROUP, system=SYSTEM, resamples=20)).to_json()
    contract = "level n groups_used groups_all duplicates ties signature spearman kendall pearson mae"
    assert set(contract.split()) <= set(payload)
    for name in ("spearman", "kendall", "pearson", "mae"):
        assert {"value", "low", "high"} <= set(payload[name])  # type: ignore[call-overload]
    assert (payload["n"], payload["groups_used"], payload["groups_all"]) == (10, 2, 4)


DEGENERATE = {
    "no texts": ([], []),
    "no ratings": ([1.0, 2, 3], [None, None, None]),
    "no scores": ([None, None, None], [1, 2, 3]),
    "one text": ([1.0], [2]),
    "two texts": ([1.0, 2], [2, 1]),
    "all scores equal": ([4.0, 4, 4], [1, 2, 3]),
    "all ratings equal": ([1.0, 2, 3], [4, 4, 4]),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
@pytest.mark.parametrize("apart", [True, False])
def test_degenerate_data_give_a_sentence_and_never_nan(name: str, level: Level, apart: bool) -> None:
    pred, human = DEGENERATE[name]
    names = [str(i) for i in range(len(pred))]
    one = ["a"] * len(pred)
    for constant, resampling in product(("skip", "zero"), (None, "sources", "systems", "both")):
        found = evaluate(
            pred,
            human,
            AgreementDesign(
                group=names if apart else one,
                system=one if apart else names,
                level=level,
                constant=constant,
                resampling=resampling,
                resamples=30,
            ),
        )
        json.dumps(found.to_json(), allow_nan=False)
        assert found.figures
        # only one source whose texts all stand alike has a figure, and only if one wants a 0 there
        wanted = 0 if constant == "zero" and level == "per-source" and name.startswith("all") and not apart else None
        assert [figure.value for figure in found.figures.values()] == [wanted] * len(found.figures)
        for figure in (*found.figures.values(), found.mae):
            assert (figure.low is None) == (figure.high is None) == figure.reason.endswith("."), figure
            assert figure.value is not None or figure.low is None, figure


def test_one_source_has_a_value_but_no_interval() -> None:
    figure = evaluate([1, 2, 3], [1, 3, 2], AgreementDesign(group=list("aaa"))).figures["spearman"]
    assert figure.value == 0.5
    assert figure.low is None
    assert "at least two sources" in figure.reason


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"level": "per-source"}, "source of each text"),
        ({"level": "system"}, "system of each text"),
        ({"level": "topic"}, "not a level"),
        ({"level": "dataset", "duplicates": "twice"}, "duplicates"),
        ({"level": "dataset", "constant": "one"}, "constant"),
        ({"level": "dataset", "resampling": "words"}, "unit to resample"),
        ({"level": "dataset", "resampling": "sources"}, "source of each text"),
        ({"level": "dataset", "resampling": "systems"}, "system of each text"),
        ({"level": "per-source", "group": ["a", "a"], "resampling": "texts"}, "fall apart"),
        ({"level": "dataset", "seed": -1}, "negative"),
    ],
)
def test_choices_that_do_not_fit_are_refused(choices: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        evaluate([1, 2], [1, 2], AgreementDesign(**choices))  # type: ignore[arg-type]
    assert caught.value.hint


def test_cautions_warn_of_few_systems_and_of_another_scale() -> None:
    rng = np.random.default_rng(0)
    found = evaluate(
        rng.random(60) * 100, rng.integers(1, 6, 60), AgreementDesign(system=np.arange(60) % 12, level="system")
    )
    assert any("Only 12 systems" in caution for caution in found.cautions)
    assert any("common scale" in caution for caution in found.cautions)


def test_scores_on_another_scale_have_no_distance_from_ratings() -> None:
    human = np.array([1.0, 2, 3, 4, 5, 3])
    rouge = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.2])
    found = evaluate(rouge, human, AgreementDesign(level="dataset", resamples=20))
    assert (found.mae.value, found.mae.low) == (None, None)
    assert "not on the scale" in found.mae.reason
    assert found.figures["spearman"].value is not None
    assert evaluate(human - 0.5, human, AgreementDesign(level="dataset", resamples=0)).mae.value == pytest.approx(0.5)
    known = evaluate(human - 0.5, human, AgreementDesign(level="dataset", resamples=0), on_scale=False)
    assert known.mae.value is None


def test_a_negative_correlation_is_said_in_words() -> None:
    human = np.arange(40.0)
    sure = evaluate(-human, human, AgreementDesign(level="dataset", resamples=100))
    assert any("more than chance" in said for said in sure.cautions)
    rng = np.random.default_rng(4)
    noise = rng.normal(size=40)
    noise = noise if np.corrcoef(noise, human)[0, 1] < 0 else -noise
    unsure = evaluate(noise, human, AgreementDesign(level="dataset", resamples=200))
    assert any("can't be told from no agreement" in said for said in unsure.cautions)
    assert not any("negative" in said for said in evaluate(human, human, AgreementDesign(level="dataset")).cautions)


def test_the_mean_over_sources_is_made_of_each_source() -> None:
    rng = np.random.default_rng(2)
    source = np.repeat([f"d{n}" for n in range(9)], 5)
    human, pred = rng.integers(1, 4, 45).astype(float), rng.normal(size=45)
    human[:5], pred[5] = 3, np.nan
    found = spearman_by_source(pred, human, source)
    values = [each.spearman for each in found if each.spearman is not None]
    whole = evaluate(pred, human, AgreementDesign(group=source, duplicates="keep", resamples=0))
    assert (found[0].spearman, found[0].n, found[1].n) == (None, 5, 4)
    assert np.mean(values) == pytest.approx(whole.figures["spearman"].value)
    assert len(values) == whole.basis.groups_used


def test_without_an_interval_nothing_is_said_about_how_wide_it_is() -> None:
    two = evaluate([1, 2], [2, 1], AgreementDesign(group=["a", "b"], level="per-source"))
    assert "no intervals from 1,000 resamples" in two.caption
    assert not any("to draw from" in said for said in two.cautions)
    few = evaluate([1, 2, 3] * 3, [1, 3, 2] * 3, AgreementDesign(group=list("aaabbbccc")))
    assert "95 % intervals" in few.caption
    assert any("Only 3 sources to draw from" in said for said in few.cautions)


def test_texts_of_which_none_counts_come_from_no_number_of_sources() -> None:
    found = evaluate([1, 2, 3], [2, 2, 2], AgreementDesign(group=list("abc"), level="dataset"))
    assert found.caption.startswith("dataset, all texts pooled; 0 of 3 texts")


def test_scores_known_to_be_on_the_ratings_scale_have_a_distance_wherever_they_lie() -> None:
    low, high = np.full(6, 1.0), np.array([3.0, 4, 4, 5, 5, 3])
    assert evaluate(low, high, AgreementDesign(level="dataset", resamples=0)).mae.value is None
    assert evaluate(low, high, AgreementDesign(level="dataset", resamples=0), on_scale=True).mae.value == 3
    wider = np.array([2.0, 4, 4, 5, 5, 1])
    assert any(
        "common scale" in said for said in evaluate(wider, high, AgreementDesign(level="dataset", resamples=0)).cautions
    )
    known = evaluate(wider, high, AgreementDesign(level="dataset", resamples=0), on_scale=True)
    assert not any("common scale" in said for said in known.cautions)


def test_the_signature_says_that_unfinished_texts_count() -> None:
    found = evaluate(
        PRED, HUMAN, AgreementDesign(group=GROUP, resamples=0), origin=Origin("3", "rules", "4f2a", partial=True)
    )
    assert "|2/4 skip partial|" in str(found.signature)


def test_few_sources_that_count_are_few_however_many_there_are() -> None:
    alone = [str(number) for number in range(60)]
    pairs = [name for name in "abc" for _ in range(2)]
    found = evaluate([1.0, 2] * 3 + [3.0] * 60, [1.0, 2] * 3 + [2.0] * 60, AgreementDesign(group=[*pairs, *alone]))
    assert found.figures["spearman"].value == 1
    assert "Only 3 of 63 sources count: the figures say nothing about the others." in found.cautions
    assert "Only 3 sources to draw from: the true uncertainty is larger than the intervals say." in found.cautions
    assert any("single point" in said for said in found.cautions)
