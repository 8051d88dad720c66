"""The walk over all screens is told by screen: the first look apart from the later ones."""

import pytest

from tests.benchmarks.screens_in_browser import ScreenLook, summary

LOOKS = [
    ScreenLook("home", 3.0, 0.9, 2.0),
    ScreenLook("compare", 2.0, 0.5, 1.0),
    ScreenLook("home", 0.4, 0.1, 0.2),
    ScreenLook("compare", 0.6, 0.2, 0.5),
    ScreenLook("home", 0.2, 0.1, 0.1),
    ScreenLook("compare", 1.0, 0.3, 0.3),
]


def test_the_first_look_is_no_warm_one() -> None:
    found = summary(LOOKS)
    assert list(found) == ["every screen", "home", "compare"]
    assert found["compare"]["first"]["seconds"] == {"median": 2.0, "longest": 2.0}
    assert found["compare"]["warm"]["seconds"] == {"median": pytest.approx(0.8), "longest": 1.0}
    assert found["every screen"]["first"]["seconds"] == {"median": 2.5, "longest": 3.0}
    assert found["every screen"]["warm"]["seconds"] == {"median": 0.5, "longest": 1.0}
    assert found["every screen"]["warm"]["server_cpu_seconds"] == {"median": pytest.approx(0.15), "longest": 0.3}


def test_what_the_system_does_not_tell_is_left_out() -> None:
    found = summary([ScreenLook("home", 3.0, None, 2.0)])
    assert found["home"] == {
        "first": {
            "seconds": {"median": 3.0, "longest": 3.0},
            "browser_cpu_seconds": {"median": 2.0, "longest": 2.0},
        },
        "warm": {},
    }
