"""What is loaded before the first screen is spared by the garbage collector, which goes on with the rest."""

import gc

import pytest

from pages.components.shell import frame


@pytest.mark.parametrize("fails", [False, True])
def test_garbage_is_collected_again_whatever_came_of_the_loading(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    def load(_: str) -> None:
        assert not gc.isenabled()
        if fails:
            raise ImportError("a screen that can't be loaded")

    monkeypatch.setattr(frame, "load_rules", lambda: None)
    package = frame.import_module(frame.PACKAGE)
    monkeypatch.setattr(frame, "import_module", lambda name: package if name == frame.PACKAGE else load(name))
    before = gc.get_freeze_count()
    try:
        if fails:
            with pytest.raises(ImportError):
                frame.load_screens()
        else:
            frame.load_screens()
        assert gc.isenabled()
        assert (gc.get_freeze_count() > before) is not fails
    finally:
        gc.unfreeze()
