"""Exported files run in the tools they are for, and their yes and no equal ours."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.domain.checklist_score import checklist_score
from app.errors import WrongSchemaError
from app.evaluators.checklist import judge as judge_text
from app.services.checklists.checklists import ChecklistView
from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.server import FakeLlm
from tests.tools.conftest import HOW, TEXTS, TOOLS, Tools, exported, texts_csv


@dataclass(frozen=True)
class Judged:
    """One text: question key -> answer, the score, and what was sent about it."""

    answers: dict[str, str]
    score: float | None
    weighted: float | None
    coverage: float


@pytest.fixture
def ours(bench: Workbench, view: ChecklistView, judge: FakeLlm) -> list[Judged]:
    """What our own judge says; the requests are forgotten again."""
    questions = view.checklist.asked

    async def asked(text: Any) -> Judged:
        model = bench.model("llama:gpt-4o")
        try:
            found = await judge_text(model, view.project.task, view.dimension, questions, text)
            answers = [judgment.answer for judgment in found.judgments]
        except WrongSchemaError:  # nothing readable at all
            return Judged(dict.fromkeys(("q1", "q2", "q3"), "unanswered"), None, None, 0.0)
        finally:
            await model.aclose()
        low, high = view.dimension.low, view.dimension.high
        score = checklist_score(answers, low, high, questions)
        weighted = checklist_score(answers, low, high, questions, weighted=True).value
        by_key = {f"q{place}": answer.value for place, answer in enumerate(answers, start=1)}
        return Judged(by_key, score.value, weighted, score.coverage)

    async def all_of_them() -> list[Judged]:
        return [await asked(text) for text in TEXTS]

    found = asyncio.run(all_of_them())
    judge.requests.clear()
    return found


@pytest.fixture
def our_words(bench: Workbench, view: ChecklistView, ours: list[Judged], judge: FakeLlm) -> set[tuple[str, ...]]:
    """(system, user) of what our judge is first asked about each text."""

    async def ask_all() -> None:
        model = bench.model("openai:gpt-4o")
        for text in TEXTS[:4]:
            await judge_text(model, view.project.task, view.dimension, view.checklist.asked, text)
        await model.aclose()

    asyncio.run(ask_all())
    words = sent(judge)
    judge.requests.clear()
    return words


def sent(judge: FakeLlm) -> set[tuple[str, ...]]:
    return {tuple(message["content"] for message in request.body["messages"]) for request in judge.requests}


def same(found: list[Judged], ours: list[Judged]) -> None:
    assert [one.answers for one in found] == [one.answers for one in ours]
    for theirs, own in zip(found, ours, strict=True):
        assert (theirs.score, theirs.weighted, theirs.coverage) == (
            pytest.approx(own.score),
            pytest.approx(own.weighted),
            pytest.approx(own.coverage),
        )
    assert {answer for one in ours for answer in one.answers.values()} == {"yes", "no", "unanswered"}


def test_promptfoo_answers_as_we_do_in_the_same_words(
    tools: Tools,
    bench: Workbench,
    view: ChecklistView,
    judge: FakeLlm,
    ours: list[Judged],
    our_words: set[tuple[str, ...]],
) -> None:
    arguments = ["eval", "-c", exported(bench, view, "promptfoo", tools.folder), "-t", texts_csv(tools.folder)]
    # It fails with status 100 where a text fails; here those below the middle of the scale are meant to.
    passed = {"PROMPTFOO_FAILED_TEST_EXIT_CODE": "0"}
    tools.run("promptfoo", *arguments, "--no-cache", "--no-progress-bar", "--no-table", "-o", "out.json", **passed)
    results = json.loads((tools.folder / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    by_text = {result["vars"]["text"]["given"]: result for result in results}
    same([_of_promptfoo(by_text[text.text]) for text in TEXTS], ours)
    middle = (view.dimension.low + view.dimension.high) / 2
    passing = [own.score is not None and own.score >= middle for own in ours]
    assert [by_text[text.text]["success"] for text in TEXTS] == passing
    assert set(passing) == {True, False}
    assert our_words <= sent(judge)
    assert len(judge.requests) == len(TEXTS)
    assert "planted-key" not in json.dumps([request.body for request in judge.requests])
    assert judge.requests[0].body["response_format"]["json_schema"]["schema"]["required"] == ["q1", "q2", "q3"]


def _of_promptfoo(result: dict[str, Any]) -> Judged:
    named, reason = result["namedScores"], result["gradingResult"]["componentResults"][0]["reason"]
    return Judged(json.loads(reason), named.get("score"), named.get("weighted_score"), named["coverage"])


def test_deepeval_answers_as_we_do(
    tools: Tools, bench: Workbench, view: ChecklistView, judge: FakeLlm, ours: list[Judged]
) -> None:
    printed = tools.run("python", exported(bench, view, "deepeval", tools.folder), texts_csv(tools.folder))
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    same([Judged(f["answers"], f["score"], f["weighted_score"], f["coverage"]) for f in found], ours)
    assert [f["doc_id"] for f in found] == [text.doc_id for text in TEXTS]
    assert len(judge.requests) == len(TEXTS)
    assert judge.requests[0].body["response_format"]["json_schema"]["schema"]["required"] == ["q1", "q2", "q3"]


def test_deepeval_evaluates_with_the_exported_metric(
    tools: Tools, bench: Workbench, view: ChecklistView, judge: FakeLlm, ours: list[Judged]
) -> None:
    (tools.folder / "metric.py").write_bytes(
        (tools.folder / exported(bench, view, "deepeval", tools.folder)).read_bytes()
    )
    texts = [(text.text, text.source) for text in TEXTS[:4]]
    (tools.folder / "evaluating.py").write_text(
        "import json\n"
        "from deepeval import evaluate\n"
        "from deepeval.test_case import LLMTestCase\n"
        "from metric import ChecklistMetric\n"
        f"texts = {texts!r}\n"
        "cases = [LLMTestCase(input=source, actual_output=text) for text, source in texts]\n"
        "found = evaluate(cases, [ChecklistMetric()]).test_results\n"
        "data = {r.actual_output: r.metrics_data[0] for r in found}\n"
        "print('RESULT', json.dumps([[data[t].name, data[t].score, data[t].success] for t, _ in texts]))\n",
        encoding="utf-8",
    )
    printed = tools.run("python", "evaluating.py")
    line = next(line for line in printed.splitlines() if line.startswith("RESULT "))
    expected = [["coherence (checklist version 1)", pytest.approx(o.score), (o.score or 0) >= 3] for o in ours[:4]]
    assert json.loads(line.removeprefix("RESULT ")) == expected


def test_inspect_answers_as_we_do_in_the_same_words(
    tools: Tools,
    bench: Workbench,
    view: ChecklistView,
    judge: FakeLlm,
    ours: list[Judged],
    our_words: set[tuple[str, ...]],
) -> None:
    file, texts = exported(bench, view, "inspect", tools.folder), texts_csv(tools.folder)
    asked = {"CHECKLIST_JUDGE": "openai/gpt-4o"}  # newer models are asked at an address that nothing serves here
    tools.run("inspect", "eval", file, "-T", f"texts={texts}", "--log-format", "json", "--display", "plain", **asked)
    (log,) = (tools.folder / "logs").glob("*.json")
    document = json.loads(log.read_text(encoding="utf-8"))
    assert document["status"] == "success"
    scores = [sample["scores"]["checklist_score"] for sample in sorted(document["samples"], key=lambda s: s["id"])]
    same([_of_inspect(score) for score in scores], ours)
    assert our_words <= sent(judge)
    assert len(judge.requests) == len(TEXTS)
    means = {m["name"]: m["metrics"]["mean"]["value"] for m in document["results"]["scores"]}
    known = [one.score for one in ours if one.score is not None]
    assert means["score"] == pytest.approx(sum(known) / len(known))
    middle = (view.dimension.low + view.dimension.high) / 2
    passed = [float(one.score is not None and one.score >= middle) for one in ours]
    assert [score["value"]["passed"] for score in scores] == passed
    assert set(passed) == {0.0, 1.0}


def rewards(tools: Tools, script: str, python: str = "python") -> list[float | None]:
    """What a script, which prints RESULT and then JSON, says of each of TEXTS."""
    (tools.folder / "rewarding.py").write_text(script, encoding="utf-8")
    printed = tools.run(python, "rewarding.py", CHECKLIST_JUDGE="gpt-4o")
    line = next(line for line in printed.splitlines() if line.startswith("RESULT "))
    found: list[float | None] = json.loads(line.removeprefix("RESULT "))
    return found


def training_python(tool: str) -> str:
    python = TOOLS / "training" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{tool} is not installed: {HOW}")
    return str(python)


def test_a_reward_is_our_score_from_0_to_1(
    tools: Tools,
    bench: Workbench,
    view: ChecklistView,
    judge: FakeLlm,
    ours: list[Judged],
    our_words: set[tuple[str, ...]],
) -> None:
    file = exported(bench, view, "reward", tools.folder)
    printed = tools.run("python", file, texts_csv(tools.folder), CHECKLIST_JUDGE="gpt-4o")
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    same([Judged(f["answers"], f["score"], f["weighted_score"], f["coverage"]) for f in found], ours)
    assert our_words <= sent(judge)
    expected = [None if own.score is None else pytest.approx((own.score - 1) / 4) for own in ours]
    assert [each["reward"] for each in found] == expected
    script = (
        "import json\n"
        f"from {file.removesuffix('.py')} import reward\n"  # as TRL calls it
        f"texts = {[(text.text, text.source) for text in TEXTS]!r}\n"
        "completions = [[{'role': 'assistant', 'content': text}] for text, _ in texts]\n"
        "print('RESULT', json.dumps(reward(completions=completions, prompts=[''] * len(texts), "
        "source=[source for _, source in texts], trainer_state=None)))\n"
    )
    assert rewards(tools, script) == expected


def test_verifiers_rewards_as_we_score(
    tools: Tools, bench: Workbench, view: ChecklistView, ours: list[Judged], tmp_path: Path
) -> None:
    python = training_python("verifiers")
    file = exported(bench, view, "reward", tools.folder)
    script = (
        "import asyncio, json\n"
        "from types import SimpleNamespace\n"
        "import verifiers.v1 as vf\n"
        "class Data(vf.TaskData):\n"
        "    source: str = ''\n"
        f"plugged = {{'checklist': {{'fn': {f'{file}:checklist_reward'!r}}}}}\n"
        f"texts = {[(text.text, text.source) for text in TEXTS]!r}\n"
        "async def rewarded(text, source):\n"
        "    task = vf.Task(Data(prompt='Write.', source=source), vf.TaskConfig(rewards=plugged))\n"
        "    trace = SimpleNamespace(last_reply=text, rewards={}, metrics={})\n"
        "    trace.record_reward = lambda name, value, *a, **k: trace.rewards.__setitem__(name, value)\n"
        "    await task.score(trace)\n"
        "    found = trace.rewards['checklist']\n"
        "    return getattr(found, 'value', found)\n"
        "async def all_of_them():\n"
        "    return [await rewarded(*each) for each in texts]\n"
        "print('RESULT', json.dumps(asyncio.run(all_of_them())))\n"
    )
    expected = [pytest.approx(0.0 if own.score is None else (own.score - 1) / 4) for own in ours]
    assert rewards(tools, script, python) == expected


def test_trl_rewards_as_we_score(tools: Tools, bench: Workbench, view: ChecklistView, ours: list[Judged]) -> None:
    """GRPOTrainer itself calls the function; no model is loaded and nothing is trained."""
    python = training_python("TRL")
    file = exported(bench, view, "reward", tools.folder)
    script = (
        "import json, math\n"
        "from types import SimpleNamespace\n"
        "import torch\n"
        "from accelerate import Accelerator\n"
        "from transformers import TrainerState\n"
        "from trl import GRPOTrainer\n"
        f"from {file.removesuffix('.py')} import reward\n"
        f"texts = {[(text.text, text.source) for text in TEXTS]!r}\n"
        "trainer = object.__new__(GRPOTrainer)\n"
        "trainer.__dict__.update(\n"
        "    accelerator=Accelerator(cpu=True), reward_funcs=[reward], reward_processing_classes=[None],\n"
        "    reward_func_names=['reward'], state=TrainerState(), environments=None, model=torch.nn.Linear(1, 1),\n"
        "    args=SimpleNamespace(report_to=[]), _log_completion_extra=print, _log_metric=print)\n"
        "inputs = [{'prompt': 'Write.', 'source': source} for _, source in texts]\n"
        "completions = [[{'role': 'assistant', 'content': text}] for text, _ in texts]\n"
        "found = trainer._calculate_rewards(inputs, ['Write.'] * len(texts), completions, [[0]] * len(texts))\n"
        "print('RESULT', json.dumps([None if math.isnan(one) else one for one in found[:, 0].tolist()]))\n"
    )
    found = rewards(tools, script, python)
    assert found == [None if own.score is None else pytest.approx((own.score - 1) / 4) for own in ours]
    known = [one for one in found if one is not None]
    assert min(known) < 0.5 <= max(known), "a text that should fail gets less than half"


def test_openai_knows_the_grader(tools: Tools, bench: Workbench, view: ChecklistView) -> None:
    file = exported(bench, view, "openai-grader", tools.folder)
    (tools.folder / "grading.py").write_text(
        "import json\n"
        "from openai.types.graders import LabelModelGrader, MultiGrader\n"
        "from pydantic import TypeAdapter\n"
        f"found = json.load(open({file!r}, encoding='utf-8'))\n"
        "graders = [TypeAdapter(LabelModelGrader).validate_python(each) for each in found['graders'].values()]\n"
        "TypeAdapter(MultiGrader).validate_python({**found, 'graders': found['graders']['q1']})\n"  # the SDK's type
        "print('RESULT', json.dumps([[each.name, each.labels, each.passing_labels] for each in graders]))\n",
        encoding="utf-8",
    )
    printed = tools.run("python", "grading.py")
    line = next(line for line in printed.splitlines() if line.startswith("RESULT "))
    yes_no = [[f"q{n}", ["yes", "no"], [good]] for n, good in enumerate(("yes", "no", "yes"), start=1)]
    assert json.loads(line.removeprefix("RESULT ")) == yes_no
    words = json.dumps(json.loads((tools.folder / file).read_text(encoding="utf-8"))["graders"])
    assert "{{ links" not in words


def _of_inspect(score: dict[str, Any]) -> Judged:
    value = {name: None if figure != figure else figure for name, figure in score["value"].items()}  # noqa: PLR0124
    return Judged(score["metadata"]["answers"], value["score"], value["weighted_score"], value["coverage"])


@pytest.mark.parametrize(
    ("form", "command"),
    [
        ("promptfoo", ("promptfoo", "eval", "--no-cache", "--no-progress-bar", "--no-table", "-c")),
        ("deepeval", ("python",)),
        ("inspect", ("inspect", "eval", "--display", "plain")),
    ],
)
def test_each_file_runs_as_it_is_with_the_judge_that_the_environment_names(
    tools: Tools,
    bench: Workbench,
    view: ChecklistView,
    judge: FakeLlm,
    form: str,
    command: tuple[str, ...],
    tmp_path: Path,
) -> None:
    names = {"promptfoo": "openai:chat:gpt-4o-mini", "deepeval": "gpt-4o-mini", "inspect": "openai/gpt-4o-mini"}
    variables = {"CHECKLIST_JUDGE": names[form], "PROMPTFOO_FAILED_TEST_EXIT_CODE": "0"}
    tools.run(*command, exported(bench, view, form, tmp_path), **variables)
    assert [request.body["model"] for request in judge.requests] == ["gpt-4o-mini"]
