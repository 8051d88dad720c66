"""What deploy/ and compose.yaml name exists: variables, files, addresses."""

import re

import pytest
import yaml

from tests.support.repository import ROOT

COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(COMPOSE)["services"]


def test_every_variable_that_is_asked_for_stands_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", COMPOSE))
    assert asked == set(re.findall(r"^(?:# )?(\w+)=", EXAMPLE, re.MULTILINE))


def test_every_setting_that_is_given_is_one_that_the_program_reads() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))
    given = [name for name in SERVICES["web-1"]["environment"] if name.startswith("INTERACTEVAL_")]
    assert len(given) > 5
    assert [name for name in given if name not in code] == []


@pytest.mark.parametrize("service", ["web-1", "web-2", "worker"])
def test_nothing_of_ours_runs_with_more_rights_than_it_needs(service: str) -> None:
    found = SERVICES[service]
    assert (found["read_only"], found["cap_drop"]) == (True, ["ALL"])
    assert "ports" not in found, "Caddy alone is reached from outside"
    assert re.search(r"^USER workbench$", DOCKERFILE, re.MULTILINE)


def test_caddy_gets_what_its_file_asks_for_and_passes_no_figures_on() -> None:
    asked = set(re.findall(r"\{\$(\w+)\}", CADDYFILE))
    assert asked == set(SERVICES["caddy"]["environment"])
    assert SERVICES["caddy"]["environment"]["SERVERS"].split() == [f"{name}:8501" for name in ("web-1", "web-2")]
    assert "respond /metrics 404" in CADDYFILE


def test_the_image_holds_every_package_of_the_program() -> None:
    copied = re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert set(copied) == {"app", "pages", "db", "prompts", "docs", "deploy"}  # the last two for the guide
    assert all(f"!{name}" in ignored for name in copied)


def test_every_image_is_pinned_by_its_digest() -> None:
    built = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert set(built) == {"${PYTHON}"}
    fetched = re.findall(r"^ARG PYTHON=(\S+)$", DOCKERFILE, re.MULTILINE)
    fetched += re.findall(r"image: (?!interacteval)\$\{\w+:-(\S+)\}$", COMPOSE, re.MULTILINE)
    assert len(fetched) == 1 + sum("build" not in service for service in SERVICES.values())
    assert [image for image in fetched if not re.fullmatch(r"[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}", image)] == []


def test_what_the_image_installs_is_installed_by_its_hash() -> None:
    installs = re.findall(r"pip install ([^&\\\n]+)", DOCKERFILE)
    assert len(installs) > 4
    assert [
        each for each in installs if "--require-hashes" not in each and not each.strip().endswith("--no-deps .")
    ] == []


def test_each_service_has_a_limit_of_memory_and_the_secrets_differ() -> None:
    assert [name for name, service in SERVICES.items() if "mem_limit" not in service] == []
    cookies = SERVICES["web-1"]["environment"]["INTERACTEVAL_COOKIE_SECRET"]
    sticky = SERVICES["caddy"]["environment"]["STICKY_SECRET"]
    assert (cookies[: cookies.index(":")], sticky[: sticky.index(":")]) == ("${COOKIE_SECRET", "${STICKY_SECRET")
