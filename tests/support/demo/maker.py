"""The demo project, made by the use cases that people press buttons for, and written to the file that the app loads."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml

from app.corpora.corpus import Corpus
from app.corpora.demo_data.corpus import DEMO_NOTICE, demo_attributes
from app.corpora.own_score_tables import ScoreColumns
from app.domain.attribute import ContributorKind
from app.domain.build import ChangeDecision
from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.condition import Family
from app.domain.expert_answer import SheetEntry, Winner
from app.domain.project import Dimension, Project, Text
from app.domain.room import RoomStage
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.credentials import Credentials
from app.providers.model_options import USUAL, ModelOptions
from app.services.attributes.attributes import add_attributes
from app.services.attributes.pairs import draw_pairs_for_experts, say_preference
from app.services.attributes.side_by_side import QUESTIONS, answer_side_by_side, begin_side_by_side, reveal
from app.services.building.build import make_checklist, run_stages, start_build
from app.services.building.build_state import decide, view_build
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.checklists import new_draft, publish
from app.services.checklists.draft_edits import QuestionWording, add_question, edit_question
from app.services.checklists.expert_answers import save_entries, texts_of
from app.services.checklists.question_proposals import comment_on, propose_validation
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import run_study
from app.services.data.held_out_split import lock
from app.services.data.imports import store_corpus
from app.services.data.project_transfer import export_project
from app.services.data.projects import dimensions_named, get_project, show_research
from app.services.disagreements.decisions import decide_answer
from app.services.disagreements.rooms import join_room, open_room, say_line, set_room_stage, vote
from app.services.drift.anchors import freeze_anchors
from app.services.drift.drift_checks import Asking, ask_reference, look_once
from app.services.improvement.improve import accept_improvement, improve, refuse_improvement
from app.services.results.results import open_held_out_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import import_scores
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.independence import add_expert, mark_done
from app.services.think_aloud.llm_think_aloud import ask_models
from app.services.think_aloud.samples import ensure_samples, evaluation_texts, replace_sample
from app.think_aloud.elicitation import quoted_passage
from db.unit_of_work import Database
from tests.support.demo.texts import SYSTEMS, WEIGHTS, Degradation, Habits, load_articles, made_corpus

JUDGE, WRITER, FACILITATOR = "rules", "replay:A", "simulated facilitator"
EXPERTS: Mapping[str, tuple[str, str]] = {
    "simulated expert Ada": ("linguist", "simulated: thinks of the text as a construction"),
    "simulated expert Ben": ("teacher", "simulated: thinks as a reader"),
    "simulated expert Cleo": ("journalist", "simulated: thinks of readers in a hurry"),
    "simulated expert Dev": ("editor", "simulated: thinks at an editor's desk"),
}
MORE_SYSTEMS: Mapping[str, Habits] = {
    "breathless": Habits(main=(Degradation.BROKEN,), side=(Degradation.REPEATED,)),
    "scattered": Habits(main=(Degradation.SHUFFLED,), side=(Degradation.TRIVIA,)),
    "plain": Habits(side=(Degradation.TRIVIA,)),
    "gossipy": Habits(main=(Degradation.TRIVIA,), side=(Degradation.INVENTED, Degradation.BROKEN)),
}
LLMS = ("replay:A", "replay:B", "replay:C", "replay:D")
SEED = 20


def full_corpus() -> Corpus:
    """The articles with a summary by each of eight systems, and a faithful one as reference."""
    faithful = {article.id: " ".join(article.summary) for article in load_articles()}
    corpus = made_corpus({**SYSTEMS, **MORE_SYSTEMS})
    return replace(
        corpus,
        texts=tuple(
            replace(one, text=replace(one.text, references=(faithful[one.text.doc_id],))) for one in corpus.texts
        ),
    )


@cache
def said_by() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Dimension -> contributor -> attributes, of all eight."""
    more = yaml.safe_load(files(__package__).joinpath("attributes.yaml").read_text(encoding="utf-8"))
    return {dimension: {**said, **more[dimension]} for dimension, said in demo_attributes().items()}


def quotes() -> Mapping[str, Mapping[str, str]]:
    """Dimension -> attribute -> the words of a sample that made somebody say it, of those that have any."""
    found: Mapping[str, Mapping[str, str]] = yaml.safe_load(
        files(__package__).joinpath("passages.yaml").read_text(encoding="utf-8")
    )
    return found


@dataclass(frozen=True, slots=True)
class SimulatedLlm:
    """Says about each dimension, and proposes for each question, what was written for it: it stands in for an LLM."""

    name: str
    is_llm: bool = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        variables = request.prompt.variables
        if request.prompt.name == "think-aloud":
            name = str(variables["dimension"]["name"])
            listed = [
                {"index": n, "consideration": text, "quote": quotes()[name].get(text, "")}
                for n, text in enumerate(said_by()[name][self.name], 1)
            ]
            return ChatReply(json.dumps({"considerations": listed}), self.name)
        question = str(variables["question"]["question"])
        return ChatReply(json.dumps({"proposals": list(PROPOSALS[question])}), self.name)

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class DemoBench(Workbench):
    """A workbench that knows the simulated LLMs, as replay:A to replay:D."""

    def model(self, name: str, options: ModelOptions = USUAL) -> ChatModel:
        if name.startswith("replay:"):
            return SimulatedLlm(f"simulated LLM {name.removeprefix('replay:')}")
        return Workbench.model(self, name, options)


def make_demo(workbench: Workbench, name: str = "Demo") -> Project:
    """The whole project; takes about a minute."""
    store_corpus(workbench, full_corpus(), name, DEMO_NOTICE)
    project, dimensions = get_project(workbench, name), dimensions_named(workbench, name, "all")
    show_research(workbench, project.id, True)
    think_aloud(workbench, project, dimensions)
    lock(workbench, project.id, 0.15, SEED, FACILITATOR)
    checklists = {dimension.name: built(workbench, dimension) for dimension in dimensions}
    score(workbench, project, dimensions)
    coherence, fluency = (next(d for d in dimensions if d.name == name) for name in ("coherence", "fluency"))
    open_draft(workbench, checklists["coherence"])
    study = StudyOptions(
        (coherence,), JUDGE, JUDGE, (Family.COMB, Family.SH, Family.MH, Family.SL, Family.ML), draw=(8, 3)
    )
    run_study(workbench, project, study)
    for dimension in (coherence, fluency):
        answers(workbench, dimension, checklists[dimension.name])
    drift(workbench, project, fluency)
    decisions(workbench, project, coherence, checklists["coherence"], (0, 1), texts=4)
    compared(workbench, coherence)
    second_version(workbench, project, fluency, checklists["fluency"])
    pairs(workbench, coherence)
    room(workbench, coherence, checklists["coherence"])
    return project


def think_aloud(workbench: Workbench, project: Project, dimensions: Sequence[Dimension]) -> None:
    for expert, (role, background) in EXPERTS.items():
        add_expert(workbench, project.id, expert, role, background)
    same_documents(workbench, project, dimensions)
    for dimension in dimensions:
        samples = ensure_samples(workbench, dimension.id)
        for contributor, texts in said_by()[dimension.name].items():
            if contributor in EXPERTS:
                marked = [quoted_passage(quotes()[dimension.name].get(text, ""), samples) for text in texts]
                add_attributes(workbench, dimension.id, contributor, ContributorKind.HUMAN, texts, passages=marked)
                mark_done(workbench, dimension.id, contributor)
        for model in LLMS:  # one after the other: the order in which they come in decides numbers
            (asked,) = ask_models(workbench, project, [dimension], [model])
            assert not asked.error, asked.error


def same_documents(workbench: Workbench, project: Project, dimensions: Sequence[Dimension]) -> None:
    """Samples of the same four documents on all dimensions, as good and bad as those that would be drawn: each
    dimension with documents of its own would leave too few to prove anything on."""
    read = [sample.text.doc_id for sample in ensure_samples(workbench, dimensions[0].id)]
    with workbench.database.read() as work:
        texts = work.texts.all(project.id)
    for dimension in dimensions[1:]:
        for sample, document in zip(ensure_samples(workbench, dimension.id), read, strict=True):
            wanted = bad(sample.text, dimension.name)
            of_document = [text for text in texts if text.doc_id == document]
            nearest = min(of_document, key=lambda text: abs(bad(text, dimension.name) - wanted))
            replace_sample(workbench, dimension.id, sample.position, nearest.id)


def built(workbench: Workbench, dimension: Dimension) -> Checklist:
    """Version 1, with the validator's changes decided: the first refused where there are two, the others accepted."""
    build_id = start_build(workbench, dimension, JUDGE)
    run_stages(workbench, build_id)
    changes = [one for one in view_build(workbench, build_id).build.changes if one.kind.value != "kept"]
    for place, change in enumerate(changes):
        refused = place == 0 and len(changes) > 1
        decide(
            workbench, build_id, change.id, ChangeDecision.REFUSED if refused else ChangeDecision.ACCEPTED, FACILITATOR
        )
    return make_checklist(workbench, build_id, publish=True, who=FACILITATOR)


def score(workbench: Workbench, project: Project, dimensions: Sequence[Dimension]) -> None:
    """The checklist, ROUGE-L and scores from elsewhere; the checklist on the held-out split too, looked at once."""
    for options in (
        RunOptions(tuple(dimensions), JUDGE),
        RunOptions(tuple(dimensions), "none", "rouge-l"),
    ):
        work_on(workbench, start_run(workbench, project.id, options))
    locked = start_run(workbench, project.id, RunOptions(tuple(dimensions), JUDGE, locked=True))
    work_on(workbench, locked)
    open_held_out_results(workbench, project.id, [locked], FACILITATOR)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scores.csv"
        rows = ["doc_id,system_id,score", *(f"{doc},{system},{value:.2f}" for doc, system, value in made_up_scores())]
        file.write_text("\n".join(rows), encoding="utf-8")
        columns = ScoreColumns("score", "doc_id", "system_id")
        import_scores(workbench, project.id, dimensions, file, columns, "simulated LLM B, made-up scores")


def made_up_scores() -> list[tuple[str, str, float]]:
    """What an LLM might say that sees broken sentences and trivia, and misses inventions."""
    found = []
    for one in full_corpus().texts:
        rng = np.random.default_rng([SEED, one.row])
        seen = bad(one.text, "fluency") + 0.5 * bad(one.text, "relevance") + 0.5 * bad(one.text, "coherence")
        found.append((one.text.doc_id, one.text.system_id, float(5 - 2 * seen + rng.normal(0, 0.5))))
    return found


def bad(text: Text, dimension: str) -> float:
    """How badly a text suffers on a dimension, from 0 to 1, by what was planted in it."""
    planted: Mapping[str, float] = text.extra["degradations"]
    return min(
        1.0, sum(strength * WEIGHTS[Degradation(kind)].get(dimension, 0.0) for kind, strength in planted.items())
    )


def right_answer(text: Text, dimension: str) -> Answer:
    return Answer.NO if bad(text, dimension) > 0.3 else Answer.YES


def answers(workbench: Workbench, dimension: Dimension, checklist: Checklist) -> None:
    """Twelve texts, answered by all four; each expert differs on some questions, Ben on most."""
    draw = draw_texts(workbench, checklist.id, 12, SEED)
    texts = texts_of(workbench, draw)
    for place, expert in enumerate(EXPERTS):
        chance = random.Random(f"{SEED} {expert} {dimension.name}")
        entries = []
        for text in draw.texts:
            for question in checklist.asked:
                said = right_answer(texts[text], dimension.name)
                if chance.random() < (0.06, 0.25, 0.1, 0.08)[place]:
                    said = Answer.YES if said is Answer.NO else Answer.NO
                entries.append(SheetEntry(len(entries) + 1, text, question.id, said))
        save_entries(workbench, draw, expert, entries)


def decisions(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    checklist: Checklist,
    places: Sequence[int],
    texts: int | None = None,
) -> None:
    """What was planted decides: these questions (places) on so many texts, on all without a number."""
    with workbench.database.read() as work:
        scored = evaluation_texts(work, project.id, dimension.id)[0]
        found = work.texts.many([text.id for text in scored][:texts])
    for text_id, text in found.items():
        for place in places:
            said = right_answer(text, dimension.name)
            why = f"The planted faults {'harm' if said is Answer.NO else 'spare'} {dimension.name} here (simulated)."
            decide_answer(workbench, checklist.id, checklist.asked[place].id, text_id, said, FACILITATOR, why=why)


def pairs(workbench: Workbench, dimension: Dimension) -> None:
    """Ten pairs; three experts prefer the text with fewer planted faults, and Ben has done half of his."""
    draw = draw_pairs_for_experts(workbench, dimension.id, 10, SEED, FACILITATOR)
    with workbench.database.read() as work:
        texts = work.texts.many([text for pair in draw.pairs for text in pair])
    for expert in EXPERTS:
        for left, right in draw.pairs[: 5 if "Ben" in expert else 10]:
            less = bad(texts[right], dimension.name) - bad(texts[left], dimension.name)
            winner = Winner.A if less > 0 else Winner.B if less < 0 else Winner.TIE
            say_preference(workbench, dimension.id, expert, left, right, winner)


def room(workbench: Workbench, dimension: Dimension, checklist: Checklist) -> None:
    """One that discusses a question on two texts: all have voted, two have said why."""
    with workbench.database.read() as work:
        drawn = work.expert_answers.draw_of(checklist.id)
        assert drawn is not None
        texts = work.texts.many(list(drawn.texts[:2]))
    opened = open_room(workbench, checklist.id, checklist.asked[0].id, list(texts), FACILITATOR)
    for expert in EXPERTS:
        join_room(workbench, opened.id, expert)
        for text_id, text in texts.items():
            said = right_answer(text, dimension.name)
            if "Ben" in expert:
                said = Answer.YES if said is Answer.NO else Answer.NO
            vote(workbench, opened.id, expert, text_id, said)
    set_room_stage(workbench, opened.id, RoomStage.DISCUSS)
    first, second = list(EXPERTS)[:2]
    say_line(workbench, opened.id, first, "I looked at each step from one sentence to the next (simulated).")
    say_line(workbench, opened.id, second, "I read it as a whole, and forgave one jump (simulated).")


def drift(workbench: Workbench, project: Project, dimension: Dimension) -> None:
    found = freeze_anchors(workbench, project.id, dimension, FACILITATOR)
    ask_reference(workbench, project.id, dimension, found, Asking(JUDGE))
    look_once(workbench, project.id, dimension, found, Asking(JUDGE))


SEEN = {
    "measures": "Whether the sentences build one account that can be followed (simulated answer).",
    "means": "Both would do. One set says what a reader feels, the other what can be checked (simulated answer).",
    "grain": "One set goes into pronouns and order; the other stays with structure and transitions (simulated answer).",
    "diversity": "The first set looks at more different things (simulated answer).",
    "else": "The second set repeats structure and transitions in many words (simulated answer).",
    "differences": "Concrete readers' trouble, wording, and how often structure comes back (simulated answer).",
}


def compared(workbench: Workbench, dimension: Dimension) -> None:
    for expert in EXPERTS:
        begun = begin_side_by_side(workbench, dimension, expert, random.Random(f"{SEED} {expert}"))
        for question in QUESTIONS:
            answer_side_by_side(workbench, begun.id, question, SEEN[question])
        reveal(workbench, begun.id)


PROSE = "Does the summary read like proper prose rather than like notes or headlines strung together?"
LENGTH = "Do sentences avoid being too long?"
PROPOSALS: Mapping[str, Sequence[Mapping[str, str]]] = {
    PROSE: (
        {
            "question": "Is the grammar right, with no small word missing, so that it reads like prose?",
            "guidance": "",
            "reason": "Notes differ from prose by the small words they leave out (simulated reason).",
        },
    ),
    LENGTH: (
        {
            "question": "Do sentences have no more than twenty-five words?",
            "guidance": "",
            "reason": "A number can be counted (simulated reason).",
        },
    ),
}


def second_version(workbench: Workbench, project: Project, dimension: Dimension, first: Checklist) -> None:
    """One wording proven better on decisions and taken, one refused, a question added; published and scored."""
    places = {question.text: place for place, question in enumerate(first.asked)}
    decisions(workbench, project, dimension, first, [places[PROSE], places[LENGTH]])
    draft = new_draft(workbench, first.id)
    of_text = {question.text: question.id for question in draft.asked}
    for text, act in ((PROSE, accept_improvement), (LENGTH, refuse_improvement)):
        attempt = improve(workbench, of_text[text], WRITER, who=FACILITATOR)
        act(workbench, of_text[text], attempt.id, FACILITATOR)
    component = next(question.component for question in draft.asked if question.text == LENGTH)
    added = QuestionWording("Are brackets and quotation marks closed?", component)
    add_question(workbench, draft.id, added, FACILITATOR)
    publish(workbench, draft.id, who=FACILITATOR)
    work_on(workbench, start_run(workbench, project.id, RunOptions((dimension,), JUDGE)))


def open_draft(workbench: Workbench, published: Checklist) -> None:
    """An open draft with a reworded question, a comment and proposals that wait."""
    draft = new_draft(workbench, published.id)
    question = draft.asked[0]
    comment_on(
        workbench, question.id, "Is this about neighbours only, or about the whole text?", "simulated expert Dev"
    )
    edit_question(
        workbench,
        question,
        replace(QuestionWording.of(question), guidance="Look at each pair of neighbouring sentences."),
        FACILITATOR,
    )
    propose_validation(workbench, draft.id, JUDGE)


def workbench_in(folder: Path) -> Workbench:
    return DemoBench(Database(f"sqlite:///{folder}/workbench.db"), Credentials({}))


def content(workbench: Workbench, project: Project) -> dict[str, Any]:
    """What the project holds but for times and numbers: equal where it was made by the same code."""
    with workbench.database.read() as work:
        said = [(one.dimension, one.contributor, one.text) for one in work.think_aloud.attributes(project.id)]
        dimensions = work.projects.dimensions(project.id)
        asked = {
            (dimension.name, version.version): [question.text for question in version.asked]
            for dimension in dimensions
            for version in [*work.checklists.versions(dimension.id), *work.checklists.versions(dimension.id, True)]
        }
        scores = [
            (run.evaluator, run.judge, part.name, row.doc_id, row.system_id, row.score and round(row.score, 6))
            for run in work.runs.all(project.id)
            for part in work.runs.parts(run.id)
            for row in work.results.scored(run.id, part.dimension)
        ]
    return {"attributes": sorted(said), "checklists": asked, "scores": sorted(scores, key=str)}


def write_demo(target: Path) -> None:
    with TemporaryDirectory() as folder:
        workbench = workbench_in(Path(folder))
        make_demo(workbench)
        export_project(workbench, "Demo", target)
        workbench.database.close()
