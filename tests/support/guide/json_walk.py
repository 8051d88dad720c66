"""A walk through all commands that print JSON, on the demo and without a network; what they print is told to the guide.

Each line is a command as it is typed. In braces stands what an earlier command printed: {runs_list[0][run]} is the run
that `runs list` named first.
"""

import contextlib
import csv
import io
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app import cli
from app.domain import checklist_score
from app.domain.passage import Passage
from app.domain.room import RoomStage
from app.services.data.projects import dimensions_named, get_project
from app.services.demo import run_demo
from app.services.disagreements.queue import decidable_versions
from app.services.disagreements.rooms import close_room, join_room, open_room, say_line, set_room_stage, vote
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.guide.commands_page import all_commands, prints_json

Documents = dict[str, list[Any]]
"""A command's words -> what it printed, each time."""

SHEET, SCORES = "sheet.csv", "scores.csv"
_OF = "--project Demo --dimension coherence"
_ANSWERS = ("gpt", "claude", "ada", "ben", "cleo")
_FILES = {
    "ideas.txt": "Each sentence follows from the one before it.\nNothing is told twice.\n",
    "other.txt": "Sentences follow each other.\nThe end closes the story.\nNo sentence repeats another.\n",
    # Two subjects that share no word, each said often enough: the topics are the same on every processor.
    "mira.txt": "The step comes in order.\nSentence by sentence in time.\nOrder of time and step.\n"
    "Sentence and step keep the order.\nTime of each step.\nHumour lands.\n",
    "tom.txt": "Fact and source agree.\nA source for each fact.\nThe number fits the source.\nFact with its number.\n"
    "The number agrees with the fact of the source.\nTime keeps its order.\nA sentence follows the order of time.\n",
    "letters.csv": "doc,writer,text,model answer,rater1,rater2,own\n"
    + "".join(
        f"d{n // 3},{'abc'[n % 3]},The yard was cleared. Then {n} families dug.,Families dug the yard.,{n % 5 + 1},"
        f"{n % 4 + 1},{n / 4}\n"
        for n in range(30)
    ),
    "pairs.csv": "doc_id,system_a,system_b,winner,rater,reason\n"
    + "".join(
        f"d{n // 3},{'aab'[n % 3]},{'bcc'[n % 3]},{('a', 'b', 'tie')[n * n % 7 % 3]},{'Ana' if n % 2 else 'Ben'},"
        f"{'It says who acts.' if n == 4 else ''}\n"
        for n in range(30)
    ),
    "letters.yaml": "paper: letters\ntitle: Letters\ndata:\n  letters: {title: Letters, fetch: letters.csv, "
    "mapping: [text=text, doc_id=doc, system_id=writer, reference=model answer], "
    "ratings: [Order=rater1, Order=rater2]}\nmethods:\n"
    "  rouge: {evaluator: rouge-l}\n  own: {imported: own}\n  judged: {evaluator: llm-score, model: GPT-4}\n"
    "tables:\n  table-1:\n"
    "    title: agreement\n    level: per-source\n    columns: [{heading: Order, data: letters, dimension: Order}]\n"
    "    rows: [{label: ROUGE, method: rouge}, {label: Own, method: own, published: [0.5]}, "
    "{label: GPT-4, method: judged}]\n",
    "attributes.csv": "dimension,contributor,kind,text\nOrder,Ana,human,Each sentence follows from the last.\n",
    "answers.csv": "doc,system,"
    + ",".join(_ANSWERS)
    + "\n"
    # Texts of ten documents by three systems, with people and judges who part now and then.
    + "".join(
        f"d{n % 10},s{n % 3}," + ",".join("yes" if (n * (place + 2)) % 7 > 2 else "no" for place in range(5)) + "\n"
        for n in range(60)
    ),
}


def _filled(place: int) -> Callable[[Documents], None]:
    """The sheet as an expert sends it back: where it is answered by another, every third question differs."""

    def fill(_: Documents) -> None:
        rows = list(csv.DictReader(Path(SHEET).read_text(encoding="utf-8-sig").splitlines()))
        for number, row in enumerate(rows):
            row["answer"] = "yes" if (number + place) % 3 else "no"
        with Path(SHEET).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    return fill


def _all_decided(documents: Documents) -> None:
    about = [pair["id"] for pair in documents["disagreements list"][-1] if pair["question"] == 1]
    for place, pair in enumerate(about):
        printed(f"disagreements decide {pair} {_OF} --answer {('yes', 'no')[place % 2]} --by Ana")


def _room_held(documents: Documents) -> None:
    """Two experts vote in a room, discuss, vote again, and agree."""
    workbench, pair = open_workbench(), documents["disagreements list"][-1][0]["id"]
    question, text = map(int, pair.split("-"))
    (dimension,) = dimensions_named(workbench, "Demo", "coherence")
    versions = decidable_versions(workbench, dimension.id)
    version = next(one for one in versions if any(each.id == question for each in one.asked))
    room = open_room(workbench, version.id, question, [text], "Cleo")
    for stage in (RoomStage.DISCUSS, RoomStage.VOTE_AGAIN, RoomStage.DECIDE):
        for name in ("Ana", "Ben") if stage is not RoomStage.VOTE_AGAIN else ():
            join_room(workbench, room.id, name)
            vote(workbench, room.id, name, text, checklist_score.Answer.NO)
        set_room_stage(workbench, room.id, stage)
        if stage is RoomStage.DISCUSS:
            say_line(workbench, room.id, "Ana", "The order is lost.")
    close_room(workbench, room.id, "Say no where the order is lost.", "Cleo")


def _answered(documents: Documents) -> None:
    for question in documents["side-by-side show"][-1]["questions"]:
        printed(f"side-by-side answer {_OF} --expert Ada --question {question} --text Nothing.")


def _small_demo(_: Documents) -> None:
    """Project “Demo”, in which nothing is answered, decided or locked yet."""
    run_demo(open_workbench())


def _passage_of_a_text(_: Documents) -> None:
    workbench = open_workbench()
    project = get_project(workbench, "Demo")
    with workbench.database.read() as work:
        text = work.texts.page(project.id, 0, 1)[0]
    said = {"text": "It begins at once.", "passage": Passage.at(text.text, 0, 5, text.id).to_json()}
    Path("passage.json").write_text(json.dumps([said]), encoding="utf-8")


COMMANDS = dict(all_commands())
JSON_COMMANDS = {words for words, command in COMMANDS.items() if prints_json(command)}
NOT_WALKED = {"bench": "Each benchmark has figures of its own."}
_QUESTION = "{checklist questions[0][question]}"
WALK: tuple[str | Callable[[Documents], None], ...] = (
    _small_demo,
    "project list",
    "project show Demo",
    "project experts Demo",
    "project wording Demo --text summary",
    "dimension list --project Demo",
    "dimension correlations --project Demo",
    _passage_of_a_text,
    f"attributes add passage.json {_OF} --contributor Ana --kind human",
    f"attributes list {_OF}",
    "attributes contributors --project Demo",
    f"attributes alike {_OF} --least 0.2",
    f"attributes coverage {_OF} --embedding lsa",
    f"attributes add ideas.txt {_OF} --contributor Ana --kind human",
    f"lineage {_OF}",
    "runs list",
    "runs show 1",
    "runs wait 1",
    f"results --project Demo --output {SCORES}",
    f"checklist list {_OF}",
    f"checklist show {_OF}",
    f"checklist xray {_OF}",
    f"checklist try {_OF} --judge rules --seed 3",
    f"checklist calls {_OF} --judge rules --dry-run",
    f"checklist calls {_OF} --judge rules",
    "similarity ideas.txt other.txt",
    "topics mira.txt tom.txt --topics 2 --seeds 2",
    f"meta-eval {SCORES} --pred score --human human --group doc_id",
    f"compare {SCORES} --pred-a score --pred-b coverage --human human --group doc_id",
    "estimate answers.csv --judge gpt --human ada --group doc",
    "estimate answers.csv --judge gpt --human ada --group doc --system system --between s0 --between s1",
    "alt-test answers.csv --judge gpt --human ada --human ben --human cleo",
    "panel answers.csv --judge gpt --judge claude --human ada --group doc",
    f"panel {SCORES} --judge score --judge coverage --human human",
    "models list",
    "models test rules",
    "models test llama:judge",
    "models prices",
    "prompts list --project Demo",
    "import letters.csv --project Letters --map text=text --map doc_id=doc --map system_id=writer "
    '--map "reference=model answer" --rating Order=rater1 --rating Order=rater2',
    "attributes import attributes.csv --project Letters",
    "think-aloud --project Letters --dimension Order --model rules --dry-run",
    "think-aloud --project Letters --dimension Order --model rules",
    "build --project Letters --dimension Order --condition comb --model rules",
    "checklist publish --project Letters --dimension Order",
    "score --project Letters --dimension Order --evaluator checklist --judge llama:judge --dry-run",
    "score --project Letters --dimension Order --evaluator checklist --judge llama:judge",
    "score --project Letters --dimension Order --evaluator checklist --judge rules",
    "score --project Letters --dimension Order --evaluator rouge-l",
    "score --project Letters --dimension Order --evaluator g-eval --judge llama:judge",
    "score --project Letters --dimension Order --evaluator checklist --judge rules --new",
    "preferences import pairs.csv --project Letters --dimension Order",
    "preferences show --project Letters",
    "preferences attributes --project Letters --dimension Order --model llama:writer",
    "results --project Letters",
    'results --project Letters --dimension Order --require "score>=0" --require "yes(1)<=1" --nightly',
    'results --project Letters --require "score>=0"',
    "runs list --project Letters",
    "runs record {runs list[0][run]} --output calls.jsonl",
    "runs compare --project Letters --dimension Order --baseline {runs list[0][run]} --run {runs list[1][run]}",
    "runs quality --project Letters --dimension Order",
    "runs bias {runs list[0][run]} --dimension Order --people a",
    "dimension add Helpful --project Letters --low 0 --high 1",
    "attributes add ideas.txt --project Letters --dimension Helpful --contributor Ana --kind human",
    "build --project Letters --dimension Helpful --condition comb --model rules --publish",
    "score --project Letters --dimension Helpful --evaluator checklist --judge rules",
    "runs failures {score[run]} --dimension Helpful",
    "scores import letters.csv --project Letters --dimension Order --column own --doc-id doc --system-id writer",
    "reproduce list",
    "reproduce letters.yaml table-1 --data letters.csv --dry-run",
    "reproduce letters.yaml table-1 --project Letters",
    "stage-outputs list --project Letters --dimension Order",
    "conditions run --project Letters --dimension Order --model rules --judge rules",
    "conditions show --project Letters",
    "conditions effect --project Letters --dimension Order",
    f"answers draw {_OF} --texts 12 --seed 1",
    f"answers plan {_OF} --texts 5",
    *(
        step
        for place, expert in enumerate(("Ana", "Ben"))
        for step in (
            f"answers export {_OF} --expert {expert} --output {SHEET}",
            _filled(place),
            f"answers import {SHEET} {_OF} --expert {expert}",
        )
    ),
    f"answers import {SHEET} {_OF} --judge other",
    f"answers list {_OF}",
    f"disagreements list {_OF}",
    f"disagreements show {{disagreements list[0][id]}} {_OF}",
    f"disagreements decide {{disagreements list[0][id]}} {_OF} --answer no --by Ana",
    f"disagreements undo {{disagreements list[0][id]}} {_OF} --by Ana",
    _room_held,
    f"disagreements rooms {_OF}",
    _all_decided,
    f"drift {_OF} --freeze",
    f"drift {_OF} --judge rules --run",
    f"checklist restore {_OF} --version 1",
    f"checklist questions {_OF}",
    f"checklist edit {_QUESTION} {_OF} --weight 2",
    f'checklist add "Does each step follow?" {_OF} --component "Logical order"',
    f"checklist questions {_OF}",
    f"checklist move {_QUESTION} --places 1 {_OF}",
    f"checklist history {_OF}",
    f"checklist diff {_OF} --from 1",
    f"checklist improve --question {_QUESTION} {_OF} --model llama:writer --run 1 --dry-run",
    f"checklist improve --question {_QUESTION} {_OF} --model llama:writer --run 1",
    f"checklist improvements --question {_QUESTION} {_OF}",
    f"checklist timeline --question {_QUESTION} {_OF}",
    f"checklist ask rephrase {_QUESTION} {_OF} --model llama:writer",
    f"checklist review {_OF} --model rules",
    f"checklist applicability {_OF} --model llama:writer",
    f"checklist proposals {_OF}",
    f"checklist decide {{checklist proposals[0][proposal]}} --accept {_OF}",
    f"checklist component list {_OF}",
    f"checklist component add Order {_OF}",
    f'checklist component edit Order --name "Order of events" {_OF}',
    f'checklist component move "Order of events" --places -1 {_OF}',
    f'checklist component remove "Order of events" {_OF}',
    f"checklist remove {_QUESTION} {_OF}",
    f"checklist history {_OF}",
    f"checklist undo {_OF} --change {{checklist history[0][change]}}",
    f"checklist export {_OF} --format yaml --output checklist.yaml",
    f"checklist import checklist.yaml {_OF}",
    "judge letters.csv --map text=text --map doc_id=doc --map system_id=writer --checklist checklist.yaml "
    "--judge llama:judge --reasons --evidence --fail-under 1 --require 1",
    f"side-by-side show {_OF} --expert Ada --outside",
    _answered,
    f"side-by-side reveal {_OF} --expert Ada",
    f"side-by-side list {_OF}",
    "split lock --project Letters --share 0.2 --by Ana",
    "split show --project Letters",
    "score --project Letters --dimension Order --evaluator checklist --judge rules --locked",
    "runs list --project Letters",
    "split look --project Letters --run {runs list[0][run]} --by Ana",
    "people invite Ana --project Demo --role expert",
    "people invite Ben --project Demo --role expert",
    "people list --project Demo",
    f"answers plan {_OF} --texts 5 --draw",
    f"people assign Ana {_OF}",
    f"people assign --overlap 1 {_OF}",
    f"people reassign Ana Ben {_OF}",
    "people revoke Ben --project Demo",
    "api-token make nightly --project Demo --budget 2",
    "api-token list --project Demo",
    "api-token revoke nightly --project Demo",
    "people pseudonym Ana --project Demo",
    "people trail --project Demo",
    "project export Demo demo.zip",
    "project import demo.zip --as Second",
    "backup saved.db",
    "restore saved.db",
    "demo --project Bundled",
)


def walked(folder: Path) -> Documents:
    """What every command of the walk printed, made in `folder`. The environment is as before afterwards."""
    documents: Documents = {}
    for name, content in _FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    before, where = dict(os.environ), Path.cwd()
    with FakeLlm(usual=_reply, models=("judge", "writer")) as models:
        os.environ.update(INTERACTEVAL_HOME=str(folder / "home"), LLAMA_BASE_URL=models.url)
        os.chdir(folder)
        settings.cache_clear()
        try:
            for step in WALK:
                _take(step, documents)
        finally:
            os.chdir(where)
            os.environ.clear()
            os.environ.update(before)
            settings.cache_clear()
    return documents


def _take(step: str | Callable[[Documents], None], documents: Documents) -> None:
    if callable(step):
        step(documents)
        return
    words = command_of(step)
    kept = f"{words} --dry-run" if "--dry-run" in step else words  # what would be asked is another document
    kept = f"{words} list" if step == "reproduce list" else kept  # no command of its own: the list stands for a paper
    line = step.format_map({name: found[-1] for name, found in documents.items()})
    takes_json = words in JSON_COMMANDS
    document = printed(f"{line} --json" if takes_json else line)
    if takes_json:
        documents.setdefault(kept, []).append(document)


def _reply(received: Received) -> Answer:
    """Whatever the schema asks for, the first of what it allows."""
    return Answer(lambda schema: json.dumps(_fitting(schema)) if schema else "3")


def _fitting(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _fitting(inside) for name, inside in schema.get("properties", {}).items()}
        case "array":
            return [_fitting(schema["items"])]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "Is it told in order?"


def printed(line: str) -> Any:
    """What the command prints; None where that is no JSON. Raises RuntimeError with what a command says that fails."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["interacteval", *shlex.split(line)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.run()
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"{line}: {err.getvalue().strip()}") from ended
    finally:
        sys.argv = before
    return json.loads(out.getvalue()) if "--json" in line else None


def command_of(line: str) -> str:
    """The words of a line that name its command."""
    words = shlex.split(line)
    return next(name for n in range(3, 0, -1) if (name := " ".join(words[:n])) in COMMANDS)
