"""Ask the LLMs: any number of models, each answer as it comes, failures beside them."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.task import Dimension, Task
from app.services.attributes import attributes_of
from app.services.projects import create_project, dimensions_named, get_project
from app.services.workbench import Workbench
from app.settings import settings
from tests.support.background import ended

Open = Callable[[str], AppTest]


def place(workbench: Workbench) -> tuple[int, Dimension]:
    return get_project(workbench, "Demo").id, dimensions_named(workbench, "Demo", "all")[0]


def ask(app: AppTest, models: list[str], key: str) -> AppTest:
    app.multiselect(key="ask_models").set_value(models).run()
    app.button(key="ask").click().run()
    return ended(app, key)


def test_without_keys_the_rules_can_be_asked_and_others_say_what_to_set(demo: Workbench, open_screen: Open):
    app = open_screen("ask_llms")
    assert not app.exception
    assert app.multiselect(key="ask_models").value == ["rules"]
    assert app.multiselect(key="ask_models").options == ["rules, not an LLM"]
    missing = app.table[0].value
    assert "OPENAI_API_KEY" in missing.set_index("Provider").loc["OpenAI", "What to do"]
    assert len(missing) == 4


def test_with_keys_one_model_of_each_vendor_is_suggested(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    settings.cache_clear()
    app = open_screen("ask_llms")
    chosen = app.multiselect(key="ask_models").value
    assert [name.split(":")[0] for name in chosen] == ["openai", "anthropic"]


def test_an_endpoint_whose_models_nobody_knows_is_mentioned_until_one_is_typed(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    settings.cache_clear()
    app = open_screen("ask_llms")
    assert any("type llama:NAME" in caption.value for caption in app.caption)
    app.multiselect(key="ask_models").set_value(["llama:mine"]).run()
    assert not any("type llama:NAME" in caption.value for caption in app.caption)


def test_asking_the_rules_again_gives_their_words_no_double_weight(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    before = [a for a in attributes_of(demo, project_id, dimension.id) if a.contributor == "rules"]
    app = ask(open_screen("ask_llms"), ["rules"], f"ask-{project_id}-{dimension.id}")
    after = [a for a in attributes_of(demo, project_id, dimension.id) if a.contributor == "rules"]
    assert after == before
    answers = app.dataframe[0].value
    assert len(answers) == 2
    assert set(answers["Model"]) == {"rules, not an LLM"}
    assert app.success


def test_one_that_fails_does_not_stop_the_others(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    app = open_screen("ask_llms")
    app.session_state["ask_models"] = ["openai:gpt-4o", "rules"]
    app.run()
    app.button(key="ask").click().run()
    app = ended(app, f"ask-{project_id}-{dimension.id}")
    answers = app.dataframe[0].value
    assert sorted(answers["Outcome"][:2])[1] == "no answer"
    assert "rules, not an LLM" in set(answers["Model"][:2])
    assert any("OPENAI_API_KEY" in text.value for text in app.text)
    assert "1 answer did not come" in app.success[0].value


def test_all_dimensions_are_asked_at_once(demo: Workbench, open_screen: Open):
    project_id, _ = place(demo)
    app = open_screen("ask_llms")
    app.radio(key="ask_scope").set_value("All dimensions").run()
    app = ask(app, ["rules"], f"ask-{project_id}-all")
    assert set(app.dataframe[0].value["Dimension"][:4]) == {"coherence", "fluency", "consistency", "relevance"}


def test_the_material_is_that_of_the_experts(demo: Workbench, open_screen: Open):
    app, same = open_screen("ask_llms"), open_screen("think_aloud")
    assert {text.value for text in same.text} <= {text.value for text in app.text}


def test_without_ratings_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Blank", Task(), (Dimension("warmth"),))
    app = open_screen("ask_llms")
    assert app.button(key="samples_need_ratings").label == "Go to Data"
