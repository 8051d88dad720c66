"""What is loaded before the first screen is spared by the garbage collector, which goes on with the rest."""

import gc

import pytest

from pages.components.shell import loading


@pytest.mark.parametrize("fails", [False, True])
def test_garbage_is_collected_again_whatever_came_of_the_loading(monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    def load(_: str) -> None:
        assert not gc.isenabled()
        if fails:
            raise ImportError("a screen that can't be loaded")

    monkeypatch.setattr(loading, "load_rules", lambda: None)
    package = loading.import_module(loading.PACKAGE)
    monkeypatch.setattr(loading, "import_module", lambda name: package if name == loading.PACKAGE else load(name))
    before = gc.get_freeze_count()
    try:
        if fails:
            with pytest.raises(ImportError):
                loading.load_screens()
        else:
            loading.load_screens()
        assert gc.isenabled()
        assert (gc.get_freeze_count() > before) is not fails
    finally:
        gc.unfreeze()
