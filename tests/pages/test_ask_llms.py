"""Ask LLMs: any number of models, each answer as it comes, failures beside them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.expert_answer import Winner
from app.domain.project import Dimension, Task
from app.providers.credentials import Credentials
from app.providers.registry import served_names
from app.services.attributes.attributes import attributes_of
from app.services.attributes.pairs import contrast_job_key, draw_pairs_for_experts, pair_sheet, say_preference
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.runtime.endpoint_models import ask_endpoint_again, endpoint_models
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from tests.support.all_vendors import (
    SERVED,
    SUGGESTED,
    all_but_google,
    environment_of,
    thinks_aloud,
    thinks_aloud_again,
)
from tests.support.background import PATIENCE, ended, wait_for
from tests.support.fake_llm.behaviour import Answer, Status
from tests.support.fake_llm.server import FakeLlm

Open = Callable[..., AppTest]


def place(workbench: Workbench) -> tuple[int, Dimension]:
    return get_project(workbench, "Demo").id, dimensions_named(workbench, "Demo", "all")[0]


def test_without_keys_the_rules_can_be_asked_and_others_say_what_to_set(read_demo: Workbench, open_screen: Open):
    app = open_screen("ask_llms")
    assert not app.exception
    assert app.multiselect(key="ask_models").value == ["rules"]
    assert app.multiselect(key="ask_models").options == ["rules, not an LLM"]
    assert "ask_effort" not in [box.key for box in app.selectbox], "the rules don't think"
    missing = app.table[0].value
    assert "OPENAI_API_KEY" in missing.set_index("Provider").loc["OpenAI", "What to do"]
    assert len(missing) == 5
    same = open_screen("think_aloud")
    assert {text.value for text in same.text} <= {text.value for text in app.text}, (
        "the material is that of the experts"
    )


def test_with_keys_one_model_of_each_vendor_is_suggested(
    demo: Workbench, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    settings.cache_clear()
    app = open_screen("ask_llms")
    chosen = app.multiselect(key="ask_models").value
    assert [name.split(":")[0] for name in chosen] == ["openai", "anthropic"]


@pytest.fixture
def vendors(demo: Workbench, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    """All, on this machine."""
    with FakeLlm(usual=thinks_aloud, models=SERVED) as server:
        for name, value in environment_of(server).items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        endpoint_models(open_workbench(), PATIENCE)
        yield server


def captions(app: AppTest) -> str:
    return "\n".join(caption.value for caption in app.caption)


def test_all_vendors_one_of_which_fails_are_asked_about_everything_twice(vendors: FakeLlm, open_screen: Open):
    demo = open_workbench()
    project_id, dimension = place(demo)
    key = f"ask-{project_id}-all"
    vendors.usual = all_but_google
    before = attributes_of(demo, project_id, dimension.id)

    app = open_screen("ask_llms")
    assert app.multiselect(key="ask_models").value == SUGGESTED
    assert "set up" not in captions(app)
    app.radio(key="ask_scope").set_value("All dimensions").run()
    app.button(key="ask").click().run()
    app = ended(app, key)
    assert "4 answers did not come" in app.info[-1].value
    answers = app.dataframe[0].value.head(20)
    failed = answers[answers["Outcome"] == "no answer"]
    assert set(failed["Model"]) == {"google:gemini-3.8-flash"}
    assert len(failed) == len(set(answers["Dimension"])) == 4
    assert any("refuses the key" in text.value for text in app.text)

    vendors.usual = thinks_aloud_again
    app.button(key="ask").click().run()
    app = ended(app, key)
    assert "32 left out: the same model said the same before." in app.success[-1].value
    again = app.dataframe[0].value.head(20)
    assert dict(zip(again["Model"], again["Round"], strict=True)) == dict(zip(SUGGESTED, "22122", strict=True))
    said_before = {(model, count) for model, count in zip(again["Model"], again["Said before"], strict=True)}
    assert said_before == {(name, "" if "google" in name else "2") for name in SUGGESTED}
    after = attributes_of(demo, project_id, dimension.id)
    assert after[: len(before)] == before
    assert Counter(a.contributor for a in after[len(before) :]) == dict(zip(SUGGESTED, (4, 4, 3, 4, 4), strict=True))


@pytest.fixture
def answered(vendors: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """The endpoint says nothing about its models until this is set."""
    gate = Event()

    async def waits(credentials: Credentials) -> list[str]:
        assert await asyncio.to_thread(gate.wait, PATIENCE)
        return await served_names(credentials)

    monkeypatch.setattr("app.services.runtime.endpoint_models.served_names", waits)
    ask_endpoint_again(open_workbench())
    yield gate
    gate.set()


def test_the_endpoints_model_joins_only_a_choice_nobody_has_touched(answered: Event, open_screen: Open):
    app, touched = open_screen("ask_llms"), open_screen("ask_llms")
    assert "llama:llama3.1:8b" not in app.multiselect(key="ask_models").value
    assert "is being asked which models it has" in captions(app)
    touched.multiselect(key="ask_models").set_value(["openai:gpt-4o"]).run()
    answered.set()
    endpoint_models(open_workbench(), PATIENCE)
    assert app.run().multiselect(key="ask_models").value[-1] == "llama:llama3.1:8b"
    assert "is being asked" not in captions(app)
    assert touched.run().multiselect(key="ask_models").value == ["openai:gpt-4o"]
    assert "llama:qwen3:8b" in touched.multiselect(key="ask_models").options


def test_an_endpoint_without_a_list_says_why_until_a_model_is_typed(
    vendors: FakeLlm, open_screen: Open, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("GOOGLE_API_KEY")
    settings.cache_clear()
    ask_endpoint_again(open_workbench())
    vendors.listing = Status(404)
    endpoint_models(open_workbench(), PATIENCE)
    app = open_screen("ask_llms")
    assert app.multiselect(key="ask_models").value == [SUGGESTED[0], SUGGESTED[1], "mistral:mistral-large-4"]
    assert "one model of each provider that is set up: 4 of 5" in captions(app)
    assert "type llama" in captions(app)
    assert "has no list of its models" in captions(app)
    typed = app.multiselect(key="ask_models").set_value(["llama:mine"]).run()
    assert "type llama" not in captions(typed)
    app = open_screen("ask_llms")
    vendors.listing = Answer()
    app.button(key="ask_endpoint_again").click().run()
    endpoint_models(open_workbench(), PATIENCE)
    assert app.run().multiselect(key="ask_models").value[-1] == "llama:llama3.1:8b"


def test_rules_asked_again_weigh_no_double_and_one_failure_stops_none(demo: Workbench, open_screen: Open):
    project_id, dimension = place(demo)
    before = [a for a in attributes_of(demo, project_id, dimension.id) if a.contributor == "rules"]
    app = open_screen("ask_llms")
    app.session_state["ask_models"] = ["openai:gpt-4o", "rules"]
    app.run()
    app.button(key="ask").click().run()
    app = ended(app, f"ask-{project_id}-{dimension.id}")
    assert [a for a in attributes_of(demo, project_id, dimension.id) if a.contributor == "rules"] == before
    answers = app.dataframe[0].value
    assert len(answers) == 3, "that of the demo, and two now"
    assert sorted(answers["Outcome"][:2])[1] == "no answer"
    assert set(answers["Model"]) == {"openai:gpt-4o", "rules, not an LLM"}
    assert any("OPENAI_API_KEY" in text.value for text in app.text)
    assert "1 answer did not come" in app.info[-1].value


def test_without_ratings_the_screen_says_what_to_do(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Blank", Task(), (Dimension("warmth"),))
    app = open_screen("ask_llms")
    assert app.button(key="samples_need_texts").label == "Import texts"


def test_how_far_an_llm_may_go_is_chosen(vendors: FakeLlm, open_screen: Open):
    project_id, dimension = place(open_workbench())
    app = open_screen("ask_llms")
    app.multiselect(key="ask_models").set_value(["rules", SUGGESTED[0]])
    app.number_input(key="ask_max_output_tokens").set_value(700).run()
    app.button(key="ask").click().run()
    ended(app, f"ask-{project_id}-{dimension.id}")
    assert [700 in request.body.values() for request in vendors.requests] == [True]


def test_models_are_asked_about_pairs_in_the_background(demo: Workbench, open_screen: Open):
    _, dimension = place(demo)
    draw_pairs_for_experts(demo, dimension.id, 1)
    sheet = pair_sheet(demo, dimension.id, "Ana")
    assert sheet is not None
    (pair,) = sheet.pairs
    say_preference(demo, dimension.id, "Ana", pair.left.id, pair.right.id, Winner.A, "It is clearer.")
    app = open_screen("ask_llms")
    app.multiselect(key="ask_models").set_value(["rules"]).run()
    app.button(key="ask_contrasts").click().run()
    app = ended(app, contrast_job_key(dimension.id))
    assert not app.exception
    assert not app.button(key="ask_contrasts").disabled
    assert wait_for(contrast_job_key(dimension.id)) is None, "how it ended was not told"
