"""InteractEval Workbench from a script or a notebook: judge texts with a checklist file, and see how far scores agree.

    from interacteval import Checklist, agreement

    checklist = Checklist.load("coherence.json")
    judged = checklist.judge(texts, model="openai:gpt-6-luna", cache="answers.db")
    found = agreement(judged.scores, ratings, group=documents)
    print(found.figures["spearman"].value, found.caption)

Keys come from the environment, as for the command `interacteval`. No project and no database is touched.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from app.domain.project import Text
from app.errors import InputError, WorkbenchError
from app.export.checklist_reading import read_document
from app.input_file import LARGEST_LIST, read_file
from app.limits import CONCURRENCY
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import PERMUTATIONS, Comparison, compare_scores
from app.meta_evaluation.evaluation import MetaEvaluation, evaluate
from app.meta_evaluation.score_matrix import Column, Constant, Duplicates, Level, Resampling
from app.services.checklists.checklist_files import checklist_settings
from app.services.scoring.judged_texts import (
    JudgedAnswer,
    JudgedText,
    JudgedTexts,
    Judging,
    TextFile,
    judge_texts,
    private_workbench,
)

__all__ = [
    "Checklist",
    "Comparison",
    "InputError",
    "Judged",
    "JudgedAnswer",
    "JudgedText",
    "MetaEvaluation",
    "WorkbenchError",
    "agreement",
    "compare",
]

_FIELDS = ("text", "source", "doc_id", "system_id", "item_id")


class Choices(TypedDict, total=False):
    """Where the texts come from, a cell each, and how agreement on them is computed: as the options of `meta-eval`."""

    group: Column | None
    system: Column | None
    item: Column | None
    level: Level
    duplicates: Duplicates
    constant: Constant
    resampling: Resampling | None
    resamples: int
    seed: int


def agreement(
    pred: Column, human: Column, *, on_scale: bool | None = None, **choices: Unpack[Choices]
) -> MetaEvaluation:
    """Agreement of scores with human ratings, one cell a text; as `interacteval meta-eval`.

    on_scale: whether scores are on the scale of the ratings, None where that isn't known. Raises InputError.
    """
    return evaluate(pred, human, AgreementDesign(**choices), on_scale=on_scale)


def compare(
    pred_a: Column,
    pred_b: Column,
    human: Column,
    *,
    permutations: int = PERMUTATIONS,
    on_scale: bool | None = None,
    **choices: Unpack[Choices],
) -> Comparison:
    """Whether scores A agree with human ratings better than scores B; as `interacteval compare`. Raises InputError."""
    by = AgreementDesign(**choices)
    return compare_scores(pred_a, pred_b, human, by, permutations=permutations, on_scale=on_scale)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge answered about each text, in the order of the texts."""

    found: JudgedTexts

    @property
    def texts(self) -> tuple[JudgedText, ...]:
        return self.found.texts

    @property
    def scores(self) -> tuple[float | None, ...]:
        """None for a text that could not be judged, or to which no question applies."""
        return tuple(text.score for text in self.found.texts)

    @property
    def mean(self) -> float | None:
        """Over the texts with a score."""
        return self.found.mean

    @property
    def cost_usd(self) -> float | None:
        """Of this call; None where a price isn't known. Answers from the cache cost nothing."""
        return self.found.cost_usd

    def to_json(self) -> dict[str, Any]:
        """As `interacteval judge --json` prints it."""
        return self.found.to_json()


@dataclass(frozen=True, slots=True)
class Checklist:
    """A checklist as `interacteval checklist export --format json|yaml` writes it. `version`: None where the file has
    none."""

    name: str
    data: bytes
    dimension: str
    version: int | None
    questions: tuple[str, ...]

    @classmethod
    def load(cls, path: str | Path) -> "Checklist":
        """Raises NotFoundError for a missing file, FileFormatError for one that is no checklist."""
        path = Path(path)
        data = read_file(path, LARGEST_LIST)
        said = checklist_settings(data, path.name)
        read = read_document(data.decode(errors="replace"), said.dimension or path.stem)
        questions = tuple(question.text for question in read.asked)
        return cls(path.name, data, said.dimension or path.stem, said.version, questions)

    def judge(
        self,
        texts: Iterable[str | Mapping[str, str]],
        model: str,
        *,
        reasons: bool = False,
        evidence: bool = False,
        settings: Mapping[str, str] | None = None,
        cache: str | Path | None = None,
        budget: float | None = None,
        concurrency: int = CONCURRENCY,
    ) -> Judged:
        """Ask the model every question about every text.

        texts: words alone, or with `text`, `source`, `doc_id`, `system_id` and `item_id`. model: provider:name, or
        rules. reasons: ask for a short reason with each answer. evidence: ask for the passage that decides it.
        settings: other options, as `interacteval judge --set` takes them. cache: a file that keeps every answer, so
        that the same call again asks only for what is missing; without it answers are paid anew. budget: stop at so
        many US dollars. concurrency: texts at a time.

        A text that could not be judged has no score and an `error`; the others are there. Raises InputError for texts
        that are empty or repeated, UnknownModelError and MissingKeyError.
        """
        asked = TextFile(tuple(_text(number, each) for number, each in enumerate(texts, start=1)))
        _check(asked.texts)
        flags = {"reasons": reasons, "evidence": evidence}
        chosen = {name: "yes" for name, wanted in flags.items() if wanted} | dict(settings or {})
        judging = Judging(model, tuple(chosen.items()), budget=budget, concurrency=concurrency)

        def judged() -> JudgedTexts:
            with private_workbench(None if cache is None else Path(cache)) as workbench:
                return judge_texts(workbench, asked, self.data, self.name, judging)

        # A notebook has an event loop of its own in this thread, and there can't be two.
        with ThreadPoolExecutor(1) as thread:
            found = thread.submit(judged).result()
        if found.report.fatal is not None:
            raise found.report.fatal
        return Judged(found)


def _text(number: int, given: str | Mapping[str, str]) -> Text:
    """The text with this number, from 1; what has no name of its own is called by it."""
    fields = {"text": given} if isinstance(given, str) else dict(given)
    if unknown := sorted(fields.keys() - set(_FIELDS)):
        raise InputError(f"Text {number} has the unknown field “{unknown[0]}”.", f"Use {', '.join(_FIELDS)}.")
    if wrong := [name for name, value in fields.items() if not isinstance(value, str)]:
        raise InputError(f"The field “{wrong[0]}” of text {number} is no string.")
    if not fields.get("text", "").strip():
        raise InputError(f"Text {number} is empty.")
    doc_id, text, system_id, item_id = (fields.get(name, "") for name in ("doc_id", "text", "system_id", "item_id"))
    return Text(doc_id or str(number), text.strip(), system_id, item_id, fields.get("source", "").strip())


def _check(texts: Sequence[Text]) -> None:
    if not texts:
        raise InputError("There is no text to judge.")
    seen: dict[tuple[str, str, str], int] = {}
    for number, text in enumerate(texts, start=1):
        if (first := seen.setdefault(text.key, number)) != number:
            raise InputError(f"Texts {first} and {number} have the same doc_id, system_id and item_id.")
