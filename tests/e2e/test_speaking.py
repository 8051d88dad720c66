"""An expert speaks into a microphone; a stand-in for the transcription endpoint listens; what is accepted counts."""

import math
import struct
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.e2e.conftest import App, begin, shown, written
from tests.e2e.screen import PATIENCE_MS, at, button, choose, click
from tests.support.browser import LAUNCH_ARGUMENTS
from tests.support.fake_llm.behaviour import Answer, Fail
from tests.support.fake_llm.server import FakeLlm

SPOKEN = "I look at the order first. Every name should be introduced before it is used."


pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(usual=Answer(SPOKEN)) as running:
        yield running


@pytest.fixture
def environment(server: FakeLlm) -> dict[str, str]:
    return {"LLAMA_BASE_URL": f"{server.url}/v1"}


def _voice(path: Path) -> Path:
    """Two seconds of a tone, as a microphone would give them."""
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        tone = (int(12_000 * math.sin(2 * math.pi * 220 * n / 16_000)) for n in range(32_000))
        sound.writeframes(b"".join(struct.pack("<h", value) for value in tone))
    return path


@pytest.fixture
def page(playwright_: Playwright, browser_path: str, tmp_path: Path, app: App) -> Iterator[Page]:
    """A browser with a microphone that plays a file."""
    voice = _voice(tmp_path / "voice.wav")
    fakes = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    arguments = [*LAUNCH_ARGUMENTS, *fakes, f"--use-file-for-fake-audio-capture={voice}"]
    expect.set_options(timeout=PATIENCE_MS)
    browser = playwright_.chromium.launch(executable_path=browser_path, args=arguments)
    context = browser.new_context(permissions=["microphone"], viewport={"width": 1280, "height": 900})
    opened = app.let_in(context).new_page()
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    browser.close()


@pytest.mark.long
def test_a_voice_becomes_attributes_and_a_failure_keeps_the_recording(page: Page, app: App, server: FakeLlm) -> None:
    begin(page, app, "Ada")
    ways = page.get_by_role("radio", name="Record")
    click(page.get_by_text("Speak instead of writing"), shows=ways)
    voice = at(page, "voice")
    click(ways, shows=voice.get_by_role("button", name="Record"))
    click(voice.get_by_role("button", name="Record"), shows=voice.get_by_text("00:01"))
    click(voice.get_by_role("button", name="Stop recording"), shows=button(page, "Keep and transcribe"))
    choose(at(page, "transcription_model").get_by_role("combobox"), "llama:whisper-1")
    server.script(Fail("wrong-key"))
    failure = page.get_by_text("The recording is kept, but it is no text yet.")
    click(button(page, "Keep and transcribe"), shows=failure)
    kept = list((app.home / "recordings").iterdir())
    assert [file.suffix for file in kept] == [".wav"]
    assert kept[0].stat().st_size > 10_000

    click(button(page, "Try again"), shows=page.get_by_text("2 proposals to decide on"))
    heard = [request.body for request in server.requests if "transcriptions" in request.path][-1]
    assert heard["file"][1] == kept[0].read_bytes()
    assert written(app)["Ada"] == []
    page.locator("[class*='st-key-accept_']").nth(1).get_by_role("button").click()
    shown(page, "Every name should be introduced before it is used.")
    expect(page.get_by_text("1 proposal to decide on, 1 accepted")).to_be_visible()
    assert written(app)["Ada"] == ["Every name should be introduced before it is used."]
    page.reload()
    shown(page, "Every name should be introduced before it is used.")
