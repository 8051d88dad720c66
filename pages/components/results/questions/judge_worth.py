"""What the judge's figures are worth beside experts': shares of yes corrected by them, and whether it may stand in."""

import pandas as pd
import streamlit as st

from app.services.results.raters import (
    AltTest,
    CorrectedShare,
    CorrectedShares,
    VerdictAgreement,
    corrected_shares,
    estimate_cautions,
    estimate_forecast,
    estimate_verdict,
    failure_rates,
)
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.results.stand_in import stand_in
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import csv_download
from pages.components.shell.words import number, plain

WORTH_HELP = (
    "What a judge says of all texts is a number about the judge. The experts' answers to some of them show how far it "
    "is off, and correct it (PPI++). What was decided on Disagreements, else what most experts say, is taken as the "
    "truth; texts on which they are split don't count. In brackets: 95 % interval."
)
READ = {"judge_only": "Judge alone", "human_only": "Experts alone", "corrected": "Corrected"}
READ_HELP = "Which figure to use: experts' alone where the judge makes it no more precise."
ROW_HEIGHT = 64  # room for a question in three lines
COLUMNS = {
    "Question": st.column_config.TextColumn(width=190),
    "Judge alone": st.column_config.TextColumn(width=93),
    "Experts alone": st.column_config.TextColumn(width=93),
    "Corrected": st.column_config.TextColumn(width=93),
    "Read": st.column_config.TextColumn(width=86, help=READ_HELP),
    "Judge off by": st.column_config.NumberColumn(
        format="%+.0f", width=80, help="Percentage points: above 0 the judge says yes too often."
    ),
    "Experts' texts": st.column_config.TextColumn(
        width=85,
        help="On how many of the judge's texts something was decided, or most experts say the same: what the "
        "correction rests on.",
    ),
    "Finds yes": st.column_config.TextColumn(
        width=93, help="Sensitivity: of the texts on which experts say yes, the share on which the judge does."
    ),
    "Finds no": st.column_config.TextColumn(
        width=93, help="Specificity: of the texts on which experts say no, the share on which the judge does."
    ),
    "Stands in for": st.column_config.TextColumn(
        width=84, help="Beside how many of the experts tested the judge holds up on this question; each needs 30 texts."
    ),
    "Why": st.column_config.TextColumn(width=200),
}


def judge_worth(workbench: Workbench, result: DimensionResult) -> None:
    with st.spinner("Correcting the judge's shares"):
        found = corrected_shares(workbench, result)
    if found is None:
        return
    _shares(found)
    if found.stand_in:
        stand_in(found.stand_in, "On each question about each text: who agrees more with the others?", "experts")


def _shares(found: CorrectedShares) -> None:
    st.markdown("**What the judge's figures are worth**", help=WORTH_HELP + more_in_guide("corrected"))
    if found.score is None:
        st.markdown(plain(f"No mean score can be corrected: {found.reason}"))
    else:
        st.markdown(plain(f"Mean score over all texts. {estimate_verdict(found.score)}"))
        st.caption(plain(" ".join(filter(None, [estimate_forecast(found.score), *estimate_cautions(found.score)]))))
    if found.decided:
        st.caption(rest_on_decisions(found.decided).strip())
    table = pd.DataFrame([_row(share) for share in found.questions])
    shown = table if table["Why"].any() else table.drop(columns="Why")
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="–",
        height="content",
        row_height=ROW_HEIGHT,
        key="judge_worth",
        column_config=COLUMNS,
    )
    csv_download("Corrected shares (CSV)", table, "corrected_shares")


FAILURES_HELP = (
    "How often each question is answered no, and how often a text is not good. What the judge says of all texts is "
    "corrected by what experts said of some of them (PPI++). In brackets: 95 % interval."
)
RESTS_ON = {"corrected": "judge, corrected by experts", "human_only": "experts alone", "judge_only": "judge alone"}


def failures(workbench: Workbench, result: DimensionResult) -> None:
    """Of a binary dimension: how often texts are not good, and which questions fail; the most frequent first."""
    with st.spinner("Correcting the judge's shares"):
        found = failure_rates(workbench, result)
    if found is None:
        return
    st.markdown("**Failure rates**", help=FAILURES_HELP + more_in_guide("failures"))
    whole = found.whole
    if whole.reason:
        st.markdown(plain(f"How often a text is not good can't be told yet. {whole.reason}"))
    else:
        rests = f"{RESTS_ON[whole.rests_on]}; experts judged {whole.answered:,} of {whole.of:,} texts"
        st.markdown(plain(f"Not good: {whole.figure.percent} of the texts ({rests})."))
    if found.agreement is not None:
        st.markdown(plain(_agreement(found.agreement)))
    rows = [
        {
            "Question": rate.question.text,
            "Fails": rate.figure.percent,
            "Rests on": RESTS_ON[rate.rests_on],
            "Experts' texts": f"{rate.answered:,} of {rate.of:,}",
        }
        for rate in sorted(found.questions, key=lambda rate: -(rate.figure.value or 0))
        if rate.question is not None
    ]
    table = pd.DataFrame(rows)
    columns = {"Question": st.column_config.TextColumn(width=420)}
    st.dataframe(
        table, hide_index=True, placeholder="–", row_height=ROW_HEIGHT, key="failure_rates", column_config=columns
    )
    alone = sum(rate.rests_on == "judge_only" for rate in found.questions)
    if alone:
        st.caption(
            f"{number(alone, 'question')} by the judge alone: the interval knows nothing of its errors. Let experts "
            "answer some texts on Answer."
        )
    csv_download("Failure rates (CSV)", table, "failure_rates")


def _agreement(found: VerdictAgreement) -> str:
    kappa = interval(found.kappa.value, found.kappa.low, found.kappa.high)
    said = [
        f"The judge calls a text good from half of its answers on. On {number(found.texts, 'text')} its kappa with the "
        f"experts is {kappa}{f' ({found.kappa.reason})' if found.kappa.reason else ''}.",
        f"It finds {found.finds_not_good.percent or 'none'} of those that are not good, and "
        f"{found.finds_good.percent or 'none'} of the good ones.",
    ]
    if found.experts is not None and found.experts.value is not None:
        said.append(f"The experts' kappa with each other is {found.experts.value:.2f}.")
    return " ".join(said)


def rest_on_decisions(texts: int) -> str:
    """How many texts the judge is compared on with what a facilitator decided; "" for none."""
    if not texts:
        return ""
    return (
        f" On {number(texts, 'text')} a decision stands for the experts in at least one question when the judge is "
        "compared with them; how well they agree with each other rests on their own answers."
    )


def _row(share: CorrectedShare) -> dict[str, object]:
    found = share.estimate
    if found is None:
        return {"Question": share.question.text, "Why": share.reason}
    return {
        "Question": share.question.text,
        "Judge alone": found.judge_only.percent,
        "Experts alone": found.human_only.percent,
        "Corrected": found.corrected.percent,
        "Read": READ[found.advised],
        "Judge off by": None if found.bias is None else 100 * found.bias,
        "Experts' texts": f"{found.n_human:,} of {found.n:,}",
        "Finds yes": found.sensitivity.percent if found.sensitivity else None,
        "Finds no": found.specificity.percent if found.specificity else None,
        "Stands in for": _beside(share.stand_in),
        "Why": "" if found.enough else f"Only {number(found.n_human, 'text')} with both answers: rough.",
    }


def _beside(test: AltTest | None) -> str | None:
    if test is None or test.winning_rate is None:
        return None
    return f"{sum(person.rejected for person in test.annotators)} of {len(test.annotators)}"
