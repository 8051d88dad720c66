import asyncio
import json
import threading
from pathlib import Path

import pytest

from app.errors import MissingKeyError, ModelTimeoutError, WrongKeyError
from app.services.runtime import models
from tests.support.fake_llm.behaviour import Answer, Fail, Slow
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import workbench_at


def test_one_tiny_call_tells_whether_a_model_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TEST_SECONDS", 0.5)
    with FakeLlm(usual=Answer(json.dumps({"q1": "yes"}))) as llm:
        workbench = workbench_at(tmp_path, llm.url)
        for _ in range(2):  # never answered from the cache: that would test nothing
            assert 0 < asyncio.run(models.test_model(workbench, "llama:judge")) < 0.5
        assert len(llm.requests) == 2
        llm.script(Fail("wrong-key"))
        with pytest.raises(WrongKeyError):
            asyncio.run(models.test_model(workbench, "llama:judge"))
        llm.usual = Slow(5)
        with pytest.raises(ModelTimeoutError, match=r"llama:judge gave no answer within 0\.5 seconds"):
            asyncio.run(models.test_model(workbench, "llama:judge"))
        workbench.database.close()


def test_a_model_without_its_key_says_what_to_set(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        asyncio.run(models.test_model(workbench, "openai:gpt-4o"))
    workbench.database.close()


def test_what_the_first_model_needs_is_imported_ahead_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    done = threading.Event()
    monkeypatch.setattr(models, "import_sdk", lambda prefix: (imported.append(prefix), done.set()))
    models._import_sdks.cache_clear()
    workbench = workbench_at(tmp_path, "http://127.0.0.1:9")
    for _ in range(2):
        models.preload_providers(workbench)
        assert done.wait(30)
    assert imported == ["llama"], "only what is set up"
    models._import_sdks.cache_clear()
    workbench.database.close()
