"""Prices of models: unknown is not free, an update holds in every process, and only the server's owner may ask."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.roles_and_rights import Actor, Membership, Role
from app.errors import ConnectionFailedError, InputError, NotAllowedError, TransientError
from app.providers.known_prices import known_prices, today
from app.services.runtime.spending import price_list, update_prices
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from tests.support.price_server import PriceServer, price_file


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PriceServer]:
    with PriceServer(price_file(3.0)) as running:
        monkeypatch.setenv("INTERACTEVAL_PRICES_URL", running.url)
        settings.cache_clear()
        yield running


def test_prices_tell_unknown_from_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    settings.cache_clear()
    prices = price_list(open_workbench())
    models = {model.name: model for model in prices.models}
    assert (prices.source.partition(" ")[0], prices.checked is not None) == ("genai-prices", True)
    assert (models["rules"].free, models["llama:NAME"].free, models["llama:NAME"].price) == (True, False, None)
    assert (models["openai:gpt-4o"].ready, models["llama:NAME"].ready) == (True, False)


def test_an_update_holds_at_once_and_in_other_processes(server: PriceServer) -> None:
    workbench = open_workbench()
    assert known_prices().of("openai:gpt-9", today()) is None
    assert update_prices(workbench) == today()
    price = known_prices().of("openai:gpt-9", today())
    assert price is not None
    assert (price.input, price.output) == (3.0, 30.0)
    script = (
        "from app.providers.known_prices import known_prices, today\n"
        "print(known_prices().of('openai:gpt-9', today()).input)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "3.0"
    assert price_list(workbench).checked == today()


def test_what_can_not_be_fetched_leaves_the_prices_as_they_were(
    server: PriceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench = open_workbench()
    update_prices(workbench)
    for status, content in ((404, b""), (200, b"<html>"), (200, b"[]")):
        server.status, server.content = status, content
        with pytest.raises(TransientError, match=r"prices"):
            update_prices(workbench)
    monkeypatch.setenv("INTERACTEVAL_PRICES_URL", "http://127.0.0.1:9/data.json")
    settings.cache_clear()
    with pytest.raises(ConnectionFailedError, match=r"127\.0\.0\.1 doesn't answer.*INTERACTEVAL_PRICES_URL"):
        update_prices(workbench)
    assert known_prices().of("openai:gpt-9", today()) is not None
    assert [file.name for file in settings().kept_prices.parent.iterdir()] == ["genai-prices.json"]


def test_a_folder_that_can_not_be_written_is_said(server: PriceServer) -> None:
    workbench = open_workbench()
    settings().kept_prices.parent.write_text("a file in the folder's place")
    with pytest.raises(InputError, match="INTERACTEVAL_HOME"):
        update_prices(workbench)


def test_a_file_that_was_damaged_gives_way_to_the_prices_that_came_with_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = settings().kept_prices
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"[{")
    assert known_prices().of("openai:gpt-4o", today()) is not None
    assert "left aside" in capsys.readouterr().err


def test_only_whoever_runs_the_server_may_update(server: PriceServer) -> None:
    facilitator = Actor(None, "Ann", memberships={1: Membership(Role.FACILITATOR, "Ann")})
    workbench = open_workbench()
    guest = Workbench(workbench.database, workbench.credentials, actor=facilitator)
    with pytest.raises(NotAllowedError, match="owner"):
        update_prices(guest)
    assert server.asked == 0
