"""The raters behind a target of several columns, for the terminal."""

from typing import TYPE_CHECKING

from app.commands.output import table

if TYPE_CHECKING:
    from app.meta_evaluation.raters.human_side import HumanSide


def raters_text(found: "HumanSide") -> str:
    alphas = [[each.method, each.value, _interval(each.low, each.high), each.n] for each in found.alphas]
    pairs = found.pairwise
    agreement = [*alphas, [f"Spearman, mean over {pairs.pairs} pairs", pairs.value, None, found.shared]]
    ceiling = [
        [
            name,
            each.value,
            _interval(each.low, each.high),
            *(
                (each.judge.value, each.judge.difference, _interval(each.judge.low, each.judge.high))
                if each.judge
                else (None, None, None)
            ),
        ]
        for name, each in found.ceiling.items()
    ]
    strata = [
        [
            each.name,
            f"{each.low:.2f} to {each.high:.2f}",
            spearman.value,
            _interval(spearman.low, spearman.high),
            each.n,
        ]
        for each in found.strata
        for spearman in [each.result.figures["spearman"]]
    ]
    scales = [[each.name, each.n, each.low, each.high, each.mean] for each in found.raters]
    parts = [
        "The raters\n" + table(["", "ratings", "lowest", "highest", "mean"], scales),
        "How well they agree\n" + table(["", "value", "95 % interval", "texts"], agreement),
        "One rater against the mean of the others, and the scores against the same\n"
        + table(["", "rater", "95 % interval", "scores", "scores - rater", "95 % interval"], ceiling),
        "The scores, by how far the raters disagree (spread of a text's ratings)\n"
        + table(["", "spread", "Spearman", "95 % interval", "texts"], strata),
        "\n".join(f"- {remark}" for remark in _remarks(found)),
    ]
    return "\n\n".join(part for part in parts if part)


def _remarks(found: "HumanSide") -> list[str]:
    judge = found.ceiling["spearman"].judge
    reasons = [found.pairwise.reason, *(each.reason for each in found.alphas)]
    reasons += [each.reason for each in found.ceiling.values()]
    reasons += [each.result.figures["spearman"].reason for each in found.strata]
    return [remark for remark in dict.fromkeys((*found.remarks, *reasons, judge.verdict if judge else "")) if remark]


def _interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} to {high:.3f}"
