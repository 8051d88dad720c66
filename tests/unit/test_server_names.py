"""A server answers to its own names and to those it was given."""

import socket

import pytest

from app.errors import InputError
from app.settings import names_of_server


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8501", "127.0.0.1:1", "[::1]:8501", "[::1]", "localhost."])
def test_this_machine_is_always_known(host: str) -> None:
    assert names_of_server("127.0.0.1", ()).knows(host)


@pytest.mark.parametrize(
    "host",
    [None, "", ":8501", "evil.example", "127.0.0.2", "localhost:x", "localhost:99999", "a@localhost", "localhost/a"],
)
def test_nothing_else_is(host: str | None) -> None:
    assert not names_of_server("127.0.0.1", ()).knows(host)


def test_the_address_it_listens_on_is_its_name() -> None:
    assert names_of_server("192.168.1.7", ()).knows("192.168.1.7:8501")
    assert not names_of_server("192.168.1.7", ()).knows("192.168.1.8:8501")
    assert names_of_server("Bench.Example.org", ()).knows("bench.example.org")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_one_that_listens_everywhere_answers_to_numbers_and_the_machines_name(host: str) -> None:
    names = names_of_server(host, ())
    known = ("10.0.0.7:8501", "[fe80::1]:8501", f"{socket.gethostname()}:8501", f"{socket.gethostname()}.local")
    assert [name for name in known if not names.knows(name)] == []
    assert not names.knows("evil.example")


def test_further_names_and_all_below_one() -> None:
    names = names_of_server("127.0.0.1", ["Bench.example.org.", "*.lab.example", "münster.example"])
    known = ("bench.example.org", "a.lab.example", "a.b.lab.example:80", "xn--mnster-3ya.example")
    assert [name for name in known if not names.knows(name)] == []
    assert [name for name in ("lab.example", "evillab.example", "x.bench.example.org") if names.knows(name)] == []
    assert names_of_server("127.0.0.1", ["*"]).knows("anything.example")


@pytest.mark.parametrize("name", ["http://a.example", "a.example:80", "", " ", "a b", "-x", "*x.org", "a..b", "ü" * 99])
def test_what_is_no_name_is_said(name: str) -> None:
    with pytest.raises(InputError, match="is no name of a server"):
        names_of_server("127.0.0.1", [name])
