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
    """The choices for computing agreement, with the columns that say where each text comes from; as the options of
    `meta-eval`."""

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
    """Return the agreement of scores with human ratings, one entry for each text; as `interacteval meta-eval`.

    on_scale: whether scores are on the scale of the ratings, None if unknown. Raises InputError.
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
    """Test whether scores A agree better with human ratings than scores B; as `interacteval compare`. Raises
    InputError."""
    by = AgreementDesign(**choices)
    return compare_scores(pred_a, pred_b, human, by, permutations=permutations, on_scale=on_scale)


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's answers about each text, in the order of the texts."""

    found: JudgedTexts

    @property
    def texts(self) -> tuple[JudgedText, ...]:
        return self.found.texts

    @property
    def scores(self) -> tuple[float | None, ...]:
        """Return the score of each text, None for one that could not be judged or to which no question applies."""
        return tuple(text.score for text in self.found.texts)

    @property
    def mean(self) -> float | None:
        """Return the mean over the texts with a score, None without any."""
        return self.found.mean

    @property
    def cost_usd(self) -> float | None:
        """Return the cost of this call in US dollars; None if a price is unknown. Answers from the cache cost
        nothing."""
        return self.found.cost_usd

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `interacteval judge --json` prints."""
        return self.found.to_json()


@dataclass(frozen=True, slots=True)
class Checklist:
    """A checklist as `interacteval checklist export --format json|yaml` writes it. `version`: None if the file has
    none."""

    name: str
    data: bytes
    dimension: str
    version: int | None
    questions: tuple[str, ...]

    @classmethod
    def load(cls, path: str | Path) -> "Checklist":
        """Read a checklist file. Raises NotFoundError for a missing file, FileFormatError for one that isn't a
        checklist."""
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

        texts: strings, or mappings with `text`, `source`, `doc_id`, `system_id` and `item_id`. model: provider:name, or
        rules. reasons: ask for a short reason with each answer. evidence: ask for the passage that decides it.
        settings: other options, as `interacteval judge --set` takes them. cache: a file that stores every answer, so
        that the same call again asks only for what is missing; without it every call pays anew. budget: stop at this
        many US dollars. concurrency: texts at a time.

        A text that could not be judged has no score and an `error`; the other texts are judged. Raises InputError for
        empty or repeated texts, UnknownModelError and MissingKeyError.
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
    """Return a text from its fields; its number, from 1, is its name if it has none."""
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
