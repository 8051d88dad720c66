"""Options of a run: what to score and how, as chosen and as stored."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from app.domain.project import Dimension
from app.domain.run import AskingWay
from app.errors import InputError
from app.evaluators.checklist import PLAIN, JudgeOptions
from app.evaluators.method import as_params
from app.providers.model_options import USUAL, ModelOptions
from app.services.scoring.evaluators import CHECKLIST, chosen_options


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to score and how.

    share: how much of the texts to draw, stratified by human score.
    asking: how a checklist is asked. settings: options of the method by name, as written, a checklist's as well.
    budget: US dollars after which the run stops, None for no limit; needs a judge with a known price.
    use_cache: answer from the ledger what was asked before.
    locked: score the texts of the locked test split, and only those.
    draw: (documents, systems of each) to draw instead of a share. trials: so many runs, each with a draw of its own.
    model: how long a request may take, how many tokens an answer, and the judge's reasoning effort.
    reuse: take answers to unchanged questions over from runs of the versions before (answer_reuse).
    texts: these (ids) instead of a draw, but for those that are held back; all for none. asking_way, asking_set: for
    which way of asking it stands in which comparison of them (asking_runs). anchors: the set of anchors (id) that the
    texts are; such a run stays out of results.
    batch: have the judge answer in batches, and what becomes of requests that one doesn't get to (AGAIN or LIVE of
    batch_rounds); "" for no batches.
    """

    dimensions: tuple[Dimension, ...]
    judge: str
    evaluator: str = CHECKLIST
    version: int | None = None
    share: float = 1.0
    seed: int = 1
    asking: JudgeOptions = PLAIN
    budget: float | None = None
    use_cache: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    locked: bool = False
    reuse: bool = True
    draw: tuple[int, int] | None = None
    trials: int = 1
    model: ModelOptions = USUAL
    texts: tuple[int, ...] = ()
    asking_way: AskingWay | None = None
    asking_set: str = ""
    anchors: int = 0
    batch: str = ""

    @property
    def drawn(self) -> bool:
        """Whether only some of the texts are scored."""
        return self.share != 1 or self.draw is not None

    def each_trial(self) -> "list[RunOptions]":
        """One run a trial: trial t draws with seed + t. Raises InputError where there is nothing to draw."""
        if self.trials > 1 and not self.drawn:
            raise InputError("Trials of all texts would be the same each time.", "Draw a share of the texts.")
        return [replace(self, seed=self.seed + trial, trials=1) for trial in range(self.trials)]

    def params(self) -> dict[str, Any]:
        """As stored with the run."""
        return {
            "sample": self.share,
            "seed": self.seed,
            "budget": self.budget,
            "use_cache": self.use_cache,
            "locked": self.locked,
            **({"draw": list(self.draw)} if self.draw else {}),
            **({"texts_chosen": len(self.texts)} if self.texts else {}),
            **({"asking_way": self.asking_way.value, "asking_set": self.asking_set} if self.asking_way else {}),
            **({"anchors": self.anchors} if self.anchors else {}),
            **({"batch": self.batch} if self.batch else {}),
            **self.model.params(),
            **as_params(self.method_options()),
        }

    def method_options(self) -> Any:
        """Of the method's own type. Raises InputError for an option that it doesn't have or that does nothing."""
        plain = asdict(PLAIN)
        changed = [(name, value) for name, value in asdict(self.asking).items() if value != plain[name]]
        return chosen_options(self.evaluator, [*changed, *self.settings])

    def judge_options(self) -> JudgeOptions:
        """How a checklist is asked, with everything that was chosen; as always for other methods."""
        chosen = self.method_options()
        return chosen if isinstance(chosen, JudgeOptions) else PLAIN
