"""Table of the questions: answers, effect, odd figures, and learned weights."""

from collections.abc import Mapping, Sequence
from math import comb
from statistics import fmean

import pandas as pd
import streamlit as st

from app.errors import WorkbenchError
from app.services.results.question_analysis import JudgeConsistency, QuestionItem, Questions, weights_of
from app.services.results.result_texts import QuestionShare
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import keep, one_of
from pages.components.shell.labels import more_in_guide, plain
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import csv_download, show_table

WEIGHTS: dict[str, str] = {"equal": "Equal", "learned": "Learned from ratings"}
HELP = (
    "Weights are learned from the ratings on some sources and tested on the others, again and again (nested "
    "cross-validation), so that no text helps to score itself. Texts of a held-out split take no part. Scores keep "
    "equal weights: what you find here you can enter on Checklist."
) + more_in_guide("weights")


def question_weights(workbench: Workbench, result: DimensionResult, texts: Sequence[str]) -> None:
    """Draw learned weights, computed on request as it takes seconds. `texts` of the questions, in the order asked."""
    if one_of("weights", WEIGHTS, "equal", "Would some questions deserve more weight?", HELP) == "equal":
        return
    try:
        with st.spinner("Learning weights on some sources, testing them on the others"):
            found = weights_of(workbench, result)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    figure = found.difference
    beside = pd.DataFrame(
        [
            {"Weights": "Equal", "Spearman": interval(figure.b)},
            {"Weights": "Learned", "Spearman": interval(figure.a)},
            {"Weights": "Learned − equal", "Spearman": interval(figure.difference, figure.low, figure.high)},
        ]
    )
    show_table(beside, "weights_beside", width="content")
    st.markdown(plain(found.verdict))
    table = pd.DataFrame(
        [
            {"No.": each.question + 1, "Question": text, "Weight": each.weight, "Least": each.low, "Most": each.high}
            for text, each in zip(texts, found.weights, strict=True)
        ]
    )
    decimals = st.column_config.NumberColumn(format="%.2f")
    show_table(
        table,
        "learned_weights",
        {
            "No.": st.column_config.NumberColumn(width=45),
            "Question": st.column_config.TextColumn(width=420),
            "Weight": st.column_config.NumberColumn(format="%.2f", help="From all sources; 1 on average."),
            "Least": decimals,
            "Most": st.column_config.NumberColumn(
                format="%.2f", help="Least and most over the folds: far apart means that the weight is mostly chance."
            ),
        },
    )
    st.caption(
        plain(
            f"{found.n:,} texts of {found.sources:,} sources in {found.folds} folds; {found.without_rating:,} without "
            f"rating or answers left out. Signature: {found.signature}"
        )
    )
    csv_download("Weights (CSV)", table, "weights")


ASKED = "asked"
ROW_HEIGHT = 84  # room for a question and its remarks in several lines
SAME_HELP = (
    "Asked again about the same text, how often the judge gave its most frequent answer; the mean over the texts. "
    "50 % is a coin, 100 % never changes its mind."
)
ALPHA_HELP = "Krippendorff's alpha over the repeats: the same, corrected for chance. 1 is perfect, 0 is chance."
DISCRIMINATION_HELP = (
    "Does its point go with those of the other questions? Point-biserial correlation with the share of points among "
    "them. A yes earns the point, or a no where a yes costs it. "
    "Below .2 a question is commonly called poor."
)
THIRDS_HELP = (
    "Share of points in the third of the texts that does best on the other questions, less that in the third that does "
    "worst. Near 0 the question tells good from poor texts little."
)
EFFECT_HELP = (
    "Spearman with people with this question, less without it, and its 95 % interval. Above 0 the question helps; "
    "where the interval includes 0 it can't be told."
)


def chosen_question() -> int | None:
    """Return the number of the opened question, from the address."""
    wanted = st.query_params.get(ASKED, "")
    return int(wanted) if wanted.isdecimal() else None


def question_table(
    found: Questions,
    shares: Sequence[QuestionShare],
    stability: Mapping[int, JudgeConsistency],
    badges: Sequence[Sequence[str]],
    scope: str,
) -> None:
    """Draw the table; a ticked row is opened. `stability` by question if the judge was asked several times, else {}.
    `badges` of each question, in the order asked."""
    rows = [
        {
            "No.": number,
            "Question": share.question.text,
            "Look at": "; ".join(said),
            "Remark": " ".join(item.flags),
            "Yes": None if share.yes_share is None else 100 * share.yes_share,
            "Effect": interval(item.effect, item.low, item.high),
            "Discrimination": item.discrimination,
            "Top less bottom": item.top_less_bottom,
            "Does not apply": share.not_applicable,
            "Unanswered": share.unanswered,
            "Can't tell": share.cannot_tell,
            **_steadiness(stability, share.question.id),
        }
        for number, (share, item, said) in enumerate(zip(shares, found.analysis.items, badges, strict=True), start=1)
    ]
    table = pd.DataFrame(rows)
    seldom = [name for name in ("Does not apply", "Unanswered", "Can't tell") if not table[name].any()]
    unused = [*seldom, *([] if any(badges) else ["Look at"])]
    table = table.drop(columns=[name for name in seldom if name != "Unanswered"])
    unused = [name for name in unused if name in table]
    shown = table.drop(columns=unused)
    if any(badges):
        shown["Look at"] = pd.Series([list(said) for said in badges], dtype=object)
    key = f"question_table_{scope}"

    def chosen() -> None:
        ticked = st.session_state[key]["selection"]["rows"]
        keep(ASKED, str(shares[ticked[0]].question.id) if ticked else "", "")

    st.dataframe(
        shown,
        hide_index=True,
        key=key,
        on_select=chosen,
        selection_mode="single-row",
        column_config=_COLUMNS,
        height="content",
        row_height=ROW_HEIGHT,
        placeholder="–",
    )
    st.caption(plain(_rests_on(found, stability)))
    csv_download("Questions (CSV)", table, "questions")


def question_facts(item: QuestionItem, found: Questions) -> None:
    """Draw every figure about one question, in sentences."""
    for flag in item.flags:
        st.markdown(f":material/flag: {plain(flag)}")
    if not item.flags:
        st.markdown("Nothing looks odd about this question.")
    for pair in found.analysis.redundant:
        if item.question in (pair.first, pair.second):
            other = pair.second if pair.first == item.question else pair.first
            st.caption(
                plain(
                    f"Phi with question {other + 1}, “{found.questions[other].text}”: {pair.phi:.2f}, n = {pair.n:,}."
                )
            )
    outside = f"; to {item.n_inapplicable:,} more it doesn't apply" if item.n_inapplicable else ""
    st.caption(f"Answered for {item.n:,} texts that are rated, unanswered for {item.n_undefined:,}{outside}.")


def _rests_on(found: Questions, stability: Mapping[int, JudgeConsistency]) -> str:
    said = [
        f"{found.texts:,} texts with answers and ratings. Tick a question to see more. Remarks are hints: nothing is "
        "changed by itself."
    ]
    if found.analysis.reason:
        said.append(f"No effects: {found.analysis.reason}")
    if found.analysis.pairs_undefined:
        said.append(
            f"Whether two questions are answered alike can't be told for {found.analysis.pairs_undefined:,} of "
            f"{comb(len(found.questions), 2):,} pairs, as one of the two never varies."
        )
    same = [each.same_answer for each in stability.values() if each.same_answer is not None]
    if same:
        texts = max(each.n for each in stability.values())
        said.append(
            f"Asked repeatedly about {texts:,} texts, the judge gave its most frequent answer {fmean(same):.0%} of the "
            f"time on average, and {min(same):.0%} on its least consistent question."
        )
    return " ".join(said)


_COLUMNS = {
    "No.": st.column_config.NumberColumn(width=38),
    "Question": st.column_config.TextColumn(width=180),
    "Look at": st.column_config.ListColumn(
        width=165,
        help="What the answers or the wording give reason to look at, such as a vague word. Tick the question to see "
        "the evidence and what to do.",
    ),
    "Remark": st.column_config.TextColumn(width=150),
    "Yes": st.column_config.NumberColumn(
        format="%.0f %%", width=60, help="The share of yes among the answers yes and no."
    ),
    "Does not apply": st.column_config.NumberColumn(
        format="localized", width=100, help="Neither yes nor no: it plays no part in the score of the text."
    ),
    "Unanswered": st.column_config.NumberColumn(format="localized", width=90),
    "Can't tell": st.column_config.NumberColumn(
        format="localized", width=80, help="Of the unanswered, those of which the judge said that it can't tell."
    ),
    "Discrimination": st.column_config.NumberColumn(format="%.2f", width=97, help=DISCRIMINATION_HELP),
    "Top less bottom": st.column_config.NumberColumn("Top − bottom", format="%.2f", width=97, help=THIRDS_HELP),
    "Effect": st.column_config.TextColumn(width=125, help=EFFECT_HELP),
    "Same answer": st.column_config.NumberColumn(format="%.0f %%", width=100, help=SAME_HELP),
    "Alpha": st.column_config.NumberColumn(format="%.2f", width=70, help=ALPHA_HELP),
}


def _steadiness(stability: Mapping[int, JudgeConsistency], question: int) -> dict[str, float | None]:
    if not stability:
        return {}
    found = stability.get(question)
    same = found.same_answer if found else None
    return {"Same answer": None if same is None else 100 * same, "Alpha": found.alpha.value if found else None}
