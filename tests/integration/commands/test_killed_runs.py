"""Real summaries scored by the command line, killed again and again: nothing is paid twice but what was in flight."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from app.limits import texts_at_once
from app.services.data.imports import store_corpus
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.support.corpora import read_corpus
from tests.support.made_data import made_data
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import small_checklist

pytestmark = pytest.mark.long

AT_ONCE, KILLS, TEXTS = 8, 4, 160
OPTIONS = "slow=0.1"


def news(folder: Path) -> None:
    """SummEval with a checklist of three questions."""
    workbench = Workbench(Database(f"sqlite:///{folder}/workbench.db"), ModernVendors("").credentials())
    corpus = read_corpus(made_data("summeval_model_annotations.aligned.paired.jsonl"))
    store_corpus(workbench, corpus, "News")
    with workbench.database.write() as work:
        dimension = next(d for d in work.projects.dimensions(1) if d.name == "coherence")
        small_checklist(work, dimension.id)
    workbench.database.close()


def on_record(folder: Path) -> tuple[int, int, int]:
    """(answered calls in the ledger, different requests among them, scores done)."""
    database = Database(f"sqlite:///{folder}/workbench.db")
    with database.read() as work:
        run = work.calls._session.execute
        calls, different = run(
            sql("SELECT count(*), count(DISTINCT digest) FROM model_call WHERE error_kind = ''")
        ).one()
        done = run(sql("SELECT count(*) FROM score WHERE status = 'done'")).scalar_one()
    database.close()
    return calls, different, done


def test_a_run_killed_four_times_pays_nothing_twice_but_what_was_in_flight(tmp_path: Path) -> None:
    with modern_vendors() as vendors:
        news(tmp_path)
        variables = {
            "INTERACTEVAL_HOME": str(tmp_path / "home"),
            "INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db",
            "OPENAI_BASE_URL": vendors.address("openai", OPTIONS),
            "OPENAI_API_KEY": "sk-local",
        }
        command = [sys.executable, "-c", "from app.cli import run; run()", "score", "--project", "News", "--json"]
        command += ["--dimension", "coherence", "--judge", "openai:gpt-4o", "--concurrency", str(AT_ONCE)]
        first, resume = ["--sample", str(TEXTS / 1600)], ["--resume", "1"]

        def asked() -> int:
            return int(vendors.state(OPTIONS).get("requests", 0))

        for kill in range(KILLS):
            before = asked()
            options = resume if kill else first
            with subprocess.Popen(
                [*command, *options], env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            ) as process:
                while asked() < before + 24 and process.poll() is None:
                    time.sleep(0.02)
                assert process.poll() is None, process.stderr.read() if process.stderr else ""
                process.send_signal(signal.SIGKILL)
        ended = subprocess.run(
            [*command, *resume], env={**os.environ, **variables}, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        report = json.loads(ended.stdout)
        calls, different, done = on_record(tmp_path)
        assert (report["status"], done) == ("done", report["dimensions"]["coherence"]["scored"])
        assert calls == different
        assert different <= asked() <= different + KILLS * texts_at_once(AT_ONCE)
        assert asked() - different <= report["maybe_paid_twice"] <= KILLS * texts_at_once(AT_ONCE)
