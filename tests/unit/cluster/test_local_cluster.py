"""Dask takes any name for a setting, also one that it no longer has."""

import pytest

from app.cluster import QUIET
from tests.support.repository import ROOT

pytestmark = pytest.mark.long

config = pytest.importorskip("dask.config")
pytest.importorskip("distributed")

OF_GUIDE = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}


@pytest.mark.parametrize("key", QUIET)
def test_dask_has_the_setting(key: str) -> None:
    assert config.get(key, None) is not None


@pytest.mark.parametrize(("name", "value"), OF_GUIDE.items())
def test_the_guide_names_what_costs_most(name: str, value: str) -> None:
    assert f"`{name}={value}`" in (ROOT / "docs/guide/administrators.md").read_text(encoding="utf-8")
    key = name.removeprefix("DASK_").replace("__", ".").lower()
    assert config.get(key, config=config.collect_env({name: value})) == QUIET[key]
