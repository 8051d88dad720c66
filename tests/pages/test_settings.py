"""Settings: what is set and from where, a key for this session, and that no key shows or is kept anywhere."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.run import RunStatus
from app.services.runtime.backups import backup_bytes
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import Fail, Raw, all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.price_server import PriceServer, price_file
from tests.support.projects import ready_to_score

KEY = "sk-planted-typed-key-0123456789"
OTHER = "sk-planted-environment-key"
FROM_SESSION = "Its key is set, from this browser session"
POSTGRES = "postgresql://ann:pg-secret@db.example:5433/bench?password=pg-secret"
Open = Callable[[str], AppTest]


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[FakeLlm]:
    """OpenAI's place is taken by a server on this machine."""
    with FakeLlm(usual=Reply(all_yes)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        yield server


def rendered(app: AppTest) -> str:
    """Everything that goes to the browser, as far as the test's harness keeps it."""
    assert not app.exception
    return "\n".join(str(element.proto) for element in app._tree if hasattr(element, "proto"))


def type_key(app: AppTest, key: str, provider: str = "openai") -> AppTest:
    app.text_input(key=f"typed_key_{provider}").set_value(key)
    return app.button(key=f"use_key_{provider}").click().run()


def try_model(app: AppTest, name: str) -> AppTest:
    app.selectbox(key="model_to_test").set_value(name).run()
    return app.button(key="test_connection").click().run()


def remembered(app: AppTest) -> str:
    """The whole state of the browser session."""
    return str(dict(app.session_state._state.filtered_state))


def words(app: AppTest) -> str:
    return "\n".join(str(element.value) for kind in ("markdown", "caption", "code") for element in app.get(kind))


def test_it_says_what_is_set_and_what_to_set(home: Path, monkeypatch: pytest.MonkeyPatch, open_screen: Open) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    monkeypatch.setenv("LLAMA_BASE_URL", "http://me:secret@localhost:11434/v1?token=secret")
    settings.cache_clear()
    app = open_screen("settings")
    said = words(app)
    assert "Its key is set, from the environment" in said
    assert "ANTHROPIC\\_API\\_KEY" in said
    assert "`http://localhost:11434/v1`" in said
    assert str(home / "workbench.db") in said
    assert "21 November 2026" in said
    assert OTHER not in rendered(app)
    assert "secret" not in rendered(app)


def test_prices_say_where_they_are_from_and_ones_own_file_comes_first(home: Path, open_screen: Open) -> None:
    (home / "prices.yaml").write_text("checked: 2026-10-05\nmodels: {'openai:gpt-4o-mini': {input: 2, output: 9}}\n")
    table = open_screen("settings").dataframe[0].value.set_index("Model")
    assert list(table.loc["openai:gpt-4o", ["Input", "Input from cache", "Input to cache", "Output"]]) == [
        "2.50",
        "1.25",
        "2.50",
        "10.00",
    ]
    assert set(table.loc["llama:NAME (any model your server has)", ["Input", "Output"]]) == {"unknown"}
    assert table.loc["rules, not an LLM"].tolist()[:5] == ["free", "free", "free", "free", "yes"]
    assert table.loc["openai:gpt-4o", "Can be used"] == "no"
    assert table.loc["openai:gpt-6-sol", "Long requests"] == "over 272,000: 4.00 and 15.00"
    assert table.loc["openai:gpt-6-sol", "Flex"] == "1.00 and 5.00"
    assert table["Flex"].isna()["openai:gpt-4o"]
    assert list(table.loc["openai:gpt-4o-mini", ["Input", "Output", "From", "Looked up"]]) == [
        "2.00", "9.00", "prices.yaml", "2026-10-05",
    ]  # fmt: skip
    luna = table.loc["openai:gpt-5.6-luna"]
    assert luna["From"].startswith("genai-prices ")
    assert (luna["Input"], luna["Since"]) == ("0.20", "2026-07-30")


def test_the_prices_are_updated_when_somebody_presses_the_button(
    home: Path, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PriceServer(price_file(5.0)) as server:
        monkeypatch.setenv("INTERACTEVAL_PRICES_URL", server.url)
        settings.cache_clear()
        app = open_screen("settings")
        assert server.asked == 0, "nothing fetches them by itself"
        app.button(key="update_prices").click().run()
        assert f"prices of {datetime.now(UTC):%d %B %Y}" in app.success[0].value
        table = app.dataframe[0].value.set_index("Model")
        assert list(table.loc["openai:gpt-9", ["Input", "From"]]) == ["5.00", "genai-prices"]
        server.status = 503
        app.button(key="update_prices").click().run()
        assert "status 503" in app.error[0].value
        assert app.dataframe[0].value.set_index("Model").loc["openai:gpt-9", "Input"] == "5.00"
        assert server.asked == 2


def test_the_database_server_shows_without_its_password(
    home: Path, open_screen: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_screen("settings")
    monkeypatch.setattr(
        "app.services.runtime.models.settings", lambda: settings().model_copy(update={"database_url": POSTGRES})
    )
    shown = rendered(app.run())
    assert "postgresql://db.example:5433/bench" in shown
    assert "pg-secret" not in shown


def test_rules_answer_without_a_key(home: Path, open_screen: Open) -> None:
    app = try_model(open_screen("settings"), "rules")
    assert "answered in" in app.success[0].value


def test_a_typed_key_is_used_everywhere_until_it_is_forgotten(
    workbench: Workbench, llm: FakeLlm, open_screen: Open
) -> None:
    ready_to_score(workbench)
    app = type_key(open_screen("settings"), f" {KEY}\n")
    assert FROM_SESSION in words(app)
    app = try_model(app, "openai:gpt-5.4")
    assert "answered in" in app.success[0].value
    assert FROM_SESSION not in words(open_screen("settings")), "another session does not have the key"
    assert {request.key for request in llm.requests} == {KEY}
    assert remembered(app).count(KEY) == 1  # the field it was typed into is empty again

    llm.usual = Fail("wrong-key")  # its words quote the key, as the vendor's do
    app = try_model(app, "openai:gpt-5.4")
    (error,) = app.error
    assert "key" in error.value
    assert KEY[-6:] not in rendered(app)

    app.switch_page("../pages/scores.py").run()
    assert "openai:gpt-6-luna" in app.multiselect(key="score_judge").options
    app.switch_page("../pages/settings.py").run()
    app.button(key="forget_key_openai").click().run()
    assert FROM_SESSION not in words(app)
    assert KEY not in remembered(app)
    app.switch_page("../pages/scores.py").run()
    assert "openai:gpt-6-luna" not in app.multiselect(key="score_judge").options


def test_what_can_not_be_a_key_is_refused_without_quoting_it(workbench: Workbench, open_screen: Open) -> None:
    app = open_screen("settings")
    for key in ("   ", "two words", "schlüssel"):
        (error,) = type_key(app, key).error
        assert not key.strip() or key not in error.value
        assert FROM_SESSION not in words(app)


def test_no_key_is_in_page_database_file_recording_or_log(
    workbench: Workbench, llm: FakeLlm, open_screen: Open, home: Path, capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("ANTHROPIC_API_KEY", OTHER)
    monkeypatch.setenv("LLAMA_BASE_URL", "http://me:password-in-address@localhost:9/v1")
    settings.cache_clear()
    dimension = ready_to_score(workbench)
    app = try_model(type_key(open_screen("settings"), KEY), "openai:gpt-5.4")
    llm.script(*[Reply('{"q1": "yes", "q2": "no", "q3": "yes"}')] * 6)
    llm.usual = Fail("wrong-key")
    typed = open_workbench({"openai": KEY})
    run = work_on(typed, start_run(typed, 1, RunOptions((dimension,), "openai:gpt-5.4")), concurrency=1)
    assert (run.run.status, run.run.done) == (RunStatus.FAILED, 6)
    app.run()
    app.button(key="prepare_recording").click().run()
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == ["Download 7 calls", "Download a backup"]  # six answers and the call that was refused
    pages = [rendered(app)]
    assert "Download 7 calls" in pages[0]
    for screen in ("scores", "results", "overview"):
        pages.append(rendered(app.switch_page(f"../pages/{screen}.py").run()))
    out, err = capfd.readouterr()
    places = {
        "pages": "\n".join(pages).encode(),
        "backup": backup_bytes(typed),
        "log": f"{out}{err}{caplog.text}{run!r}{typed!r}".encode(),
        **{str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()},
    }
    assert str(home / "workbench.db") in places
    for place, content in places.items():
        for secret in (KEY, KEY[-10:], OTHER, "password-in-address"):
            assert secret.encode() not in content, f"{secret} is in {place}"


def test_a_demo_run_needs_no_recording(demo: Workbench, open_screen: Open) -> None:
    app = open_screen("settings")
    assert "No run has called an LLM yet" in words(app)


def test_a_vendor_is_asked_which_models_the_key_may_use_and_these_can_be_chosen(
    home: Path, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch, open_screen: Open
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one-that-sees-two")
    settings.cache_clear()
    app = open_screen("settings")
    assert "openai:gpt-5.4" in app.selectbox(key="model_to_test").options
    assert llm.looks == [], "nobody is asked before somebody wants to know"
    llm.listing = Raw(b'{"data": [{"id": "gpt-5.9", "created": 2}, {"id": "gpt-7-sol", "created": 3}]}')
    app.button(key="ask_models_openai").click().run()
    assert "openai:gpt-7-sol, openai:gpt-5.9" in words(app).replace("\\", "")
    own = [name for name in app.run().selectbox(key="model_to_test").options if name.startswith("openai:")]
    assert own == ["openai:gpt-7-sol", "openai:gpt-5.9"]
    assert "ask_models_anthropic" not in [button.key for button in app.button], "its key isn't set"
    llm.listing = Fail("wrong-key")
    app.button(key="ask_models_openai").click().run()
    assert "refuses the key" in app.error[0].value
    assert "openai:gpt-7-sol" in app.selectbox(key="model_to_test").options
