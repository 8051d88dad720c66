"""Experts' answers compared with the judge's, question by question: agreement, corrected shares of yes, several
judges."""

import pandas as pd
import streamlit as st

from app.domain.model_call import model_label
from app.domain.project import Project, Task
from app.services.checklists.expert_answers import answer_sheet
from app.services.results.corrected_shares import CorrectedShare, corrected_shares
from app.services.results.failure_rates import VerdictAgreement, failure_rates
from app.services.results.quality_cost import judge_panel, panel_verdict
from app.services.results.question_analysis import (
    FEWEST_TEXTS_FOR_A_VERDICT,
    ExpertSampleAgreement,
    QuestionAgreement,
    asked_of_experts,
)
from app.services.results.raters import AltTest, estimate_cautions, estimate_forecast, estimate_verdict
from app.services.results.results import DimensionResult
from app.services.results.run_comparison import (
    EstimatedDifference,
    EstimatedFigure,
    SystemMean,
    SystemScores,
    difference_cautions,
    difference_verdict,
    other_versions,
    system_scores,
    version_difference,
)
from app.services.runtime.workbench import Workbench
from pages.components.results.people import alt_test_section
from pages.components.shell.current import current_expert
from pages.components.shell.labels import more_in_guide, number, plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import WRITER, csv_download, show_table, with_writers

WORTH_HELP = (
    "What a judge says of all texts is a number about the judge. The experts' answers to some of them show how far it "
    "is off, and correct it (PPI++). What was decided on Disagreements, else what most experts say, is taken as the "
    "truth; texts on which they are split don't count. In brackets: 95 % interval."
)
READ = {"judge_only": "Judge alone", "human_only": "Experts alone", "corrected": "Corrected"}
READ_HELP = "Which figure to use: experts' alone where the judge makes it no more precise."
_WORTH_COLUMNS = {
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
        width=84,
        help="How many of the tested experts the judge could stand in for on this question. A test needs 30 texts.",
    ),
    "Why": st.column_config.TextColumn(width=200),
}


def judge_worth(workbench: Workbench, result: DimensionResult) -> None:
    with st.spinner("Correcting the judge's shares"):
        found = corrected_shares(workbench, result)
    if found is None:
        return
    st.markdown("**What the judge's figures are worth**", help=WORTH_HELP + more_in_guide("corrected"))
    if found.score is None:
        st.markdown(plain(f"No mean score can be corrected: {found.reason}"))
    else:
        st.markdown(plain(f"Mean score over all texts. {estimate_verdict(found.score)}"))
        st.caption(plain(" ".join(filter(None, [estimate_forecast(found.score), *estimate_cautions(found.score)]))))
    if found.decided:
        st.caption(decisions_basis(found.decided).strip())
    table = pd.DataFrame([_worth_row(share) for share in found.questions])
    show_table(table, "judge_worth", _WORTH_COLUMNS, drop_empty="Why", height="content", row_height=ROW_HEIGHT)
    csv_download("Corrected shares (CSV)", table, "corrected_shares")
    if found.stand_in:
        alt_test_section(
            found.stand_in, "On each question about each text: who agrees more with the others?", "experts"
        )


FAILURES_HELP = (
    "How often each question is answered no, and how often a text is not good. What the judge says of all texts is "
    "corrected by what experts said of some of them (PPI++). In brackets: 95 % interval."
)
RESTS_ON = {"corrected": "judge, corrected by experts", "human_only": "experts alone", "judge_only": "judge alone"}


def failures(workbench: Workbench, result: DimensionResult) -> None:
    """Draw failure rates of a binary dimension, whole and by question, the most frequent first."""
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
    show_table(table, "failure_rates", columns, row_height=ROW_HEIGHT)
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


def decisions_basis(texts: int) -> str:
    """Return on how many texts the judge is compared with a facilitator's decision, in words; "" for none."""
    if not texts:
        return ""
    return (
        f" On {number(texts, 'text')} a decision stands for the experts in at least one question when the judge is "
        "compared with them; how well they agree with each other rests on their own answers."
    )


def _worth_row(share: CorrectedShare) -> dict[str, object]:
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


_JUDGES_HELP = (
    "The run with most texts of each judge with this version of the checklist, over what was decided or most "
    "experts agree on. Judges that err on the same texts repeat each other: the more their errors correlate, the fewer "
    "independent votes they are worth. In brackets: 95 % interval, answers about one text drawn together."
)


def several_judges(workbench: Workbench, project_id: int, result: DimensionResult) -> None:
    """Compare judges; draw nothing with one judge or too few answers."""
    with st.spinner("Comparing the judges"):
        found = judge_panel(workbench, project_id, result)
    if found is None:
        return
    st.markdown("**Several judges: which to keep?**", help=_JUDGES_HELP + more_in_guide("panel"))
    st.markdown(plain(panel_verdict(found.panel)))
    columns = {"Dollars for 1,000 texts": st.column_config.NumberColumn(format="%.2f")}
    rows = [
        {
            "Judge": model_label(judge.judge),
            "Answers as most experts": interval(judge.accuracy, judge.low, judge.high),
            "Dollars for 1,000 texts": cost.per_1000,
            "Cost": cost.reason,
        }
        for judge, cost in zip(found.panel.judges, found.costs, strict=True)
    ]
    together = {"Judge": "Majority of all", "Answers as most experts": interval(found.panel.majority)}
    show_table(pd.DataFrame([*rows, together]), "panel", columns, drop_empty="Cost")
    correlation = found.panel.error_correlation
    errors = "" if correlation is None else f" Their errors correlate at {correlation:.2f}."
    st.caption(f"{found.panel.n:,} answers about {found.panel.documents:,} texts.{errors}")


SYSTEMS_HELP = (
    "A judge may like one system's texts better than experts do. Where experts answered all questions about some texts "
    "of a system, they correct its mean score (PPI++). In brackets: 95 % interval."
)
DIFFERENCE_HELP = (
    "Texts about the same source are compared in pairs, so that an easy source favours neither side. An interval that "
    "leaves out 0 shows a difference."
)
VERSIONS_HELP = (
    "The runs with most texts of the same judge with two versions of the checklist, text by text. Another version asks "
    "other questions; only where experts answered both can be said whether the judge or the questions moved the score."
) + more_in_guide("difference")


def judge_differences(workbench: Workbench, project: Project, result: DimensionResult) -> None:
    """Compare systems and versions; draw nothing if there is one of each."""
    with st.spinner(plain(f"Comparing {project.task.writers_name}")):
        systems = system_scores(workbench, result)
    if systems:
        heading = plain(f"Mean score of each {project.task.writer_name}")
        st.markdown(f"**{heading}**", help=SYSTEMS_HELP + more_in_guide("corrected"))
        table = with_writers(pd.DataFrame([_mean(each) for each in systems.means]), project.task)
        columns = {
            "Judge off by": st.column_config.NumberColumn(
                format="%+.2f", help="Above 0 the judge's mean is too high, by the corrected one."
            ),
            "Read": st.column_config.TextColumn(help=READ_HELP),
        }
        show_table(table, "system_scores", columns, drop_empty="Why")
        csv_download(f"Mean scores of {project.task.writers_name} (CSV)", table, "system_scores")
        _two_systems(systems, project.task)
    _versions(workbench, project.id, result)


def _mean(each: SystemMean) -> dict[str, object]:
    found = each.estimate
    return {
        WRITER: each.system,
        "Judge alone": _shown(each.judge_only),
        "Experts alone": _shown(found.human_only if found else None),
        "Corrected": _shown(found.corrected if found else None),
        "Judge off by": found.bias if found else None,
        "Experts' texts": f"{each.n_human:,} of {each.n:,}",
        "Read": READ[each.advised],
        "Why": ""
        if found
        else f"Experts answered every question of {number(each.n_human, 'text')}; two are the least.",
    }


def _two_systems(found: SystemScores, task: Task) -> None:
    names = [each.system for each in found.means]
    left, right = st.columns(2)
    a: str = left.selectbox(f"Compare {task.writer_name}", names, key="difference_a")
    others = [name for name in names if name != a]
    b: str = right.selectbox(f"with {task.writer_name}", others, key="difference_b")
    with st.spinner("Comparing the two"):
        apart = found.difference(a, b)
    _difference(apart, "systems", "texts about the same source" if apart.paired else "texts of the smaller side")


def _versions(workbench: Workbench, project_id: int, result: DimensionResult) -> None:
    others = other_versions(workbench, project_id, result)
    if not others:
        return
    st.markdown("**What did the new version of the checklist change?**", help=VERSIONS_HELP)
    names = {f"Version {each.version} (run {each.run.id})": each for each in others}
    chosen: str = st.selectbox(f"Compare version {result.version} with", list(names), key="difference_version")
    with st.spinner("Comparing two versions"):
        found = version_difference(workbench, result, names[chosen])
    if found.difference is None:
        st.markdown(plain(f"The two runs share {number(found.texts, 'text')}; two are the least that can be compared."))
        return
    _difference(found.difference, "versions", "texts scored with both versions")
    if found.missing:
        st.caption(plain(found.missing))


def _difference(found: EstimatedDifference, of: str, texts: str) -> None:
    st.markdown(plain(difference_verdict(found)), help=DIFFERENCE_HELP + more_in_guide("difference"))
    figures = {READ[name]: getattr(found, name) for name in READ}
    table = pd.DataFrame(
        [{f"{found.a} − {found.b}": name, "Mean score": _shown(figure)} for name, figure in figures.items()]
    )
    show_table(table, f"difference_{of}", width="content")
    basis = f"{found.n:,} {texts}, {found.n_human:,} of them with experts' answers to all questions of both."
    st.caption(plain(" ".join([basis, *difference_cautions(found)])))
    csv_download(f"Difference of two {of} (CSV)", table, f"difference_{of}")


def _shown(figure: EstimatedFigure | None) -> str | None:
    if figure is None or figure.value is None:
        return None
    return interval(figure.value, figure.low, figure.high)


HELP = (
    "Little agreement among experts: the question is ambiguous, and no judge can get it right. Much agreement among "
    "experts and little with the judge: the judge fails at it. .6 is commonly called substantial agreement. A verdict "
    f"needs {FEWEST_TEXTS_FOR_A_VERDICT} texts. These are hints: nothing is changed by itself."
)
VERDICTS = {
    "fine": "Fine",
    "ambiguous question": "Ambiguous",
    "judge fails": "Judge fails",
    "can't be told": "Can't be told",
}
ROW_HEIGHT = 64  # room for a question in three lines
COLUMNS = {
    "Texts": st.column_config.NumberColumn(width=50, help="Drawn texts with the answers of two experts or more."),
    "Texts with judge": st.column_config.NumberColumn(
        "With judge", width=75, help="Those of them that the judge answered on and experts are not split on."
    ),
    "Why": st.column_config.TextColumn(width=230),
    "Question": st.column_config.TextColumn(width=230),
    "Verdict": st.column_config.TextColumn(
        width=85, help="Ambiguous: experts don't agree among themselves. Judge fails: experts agree, the judge doesn't."
    ),
    "Experts (alpha)": st.column_config.TextColumn(
        width=145,
        help="Krippendorff's alpha of the experts' yes and no, with its 95 % interval. 1 is perfect, 0 is chance.",
    ),
    "Fleiss' kappa": st.column_config.NumberColumn(
        format="%.2f", width=80, help="As alpha, over the texts that the most experts answered."
    ),
    "Judge (Cohen's kappa)": st.column_config.TextColumn(
        width=150,
        help="The judge with what was decided on Disagreements, else with what most experts say, without texts on "
        "which they are split. In brackets: 95 % interval.",
    ),
}


def expert_agreement(workbench: Workbench, project: Project, result: DimensionResult) -> None:
    st.markdown("**Experts and judge, question by question**", help=HELP + more_in_guide("kappa"))
    found = asked_of_experts(workbench, result)
    if found is None:
        st.markdown(
            "No expert has answered the questions of this checklist yet. Their answers show which are ambiguous; "
            f"that takes {FEWEST_TEXTS_FOR_A_VERDICT} texts or more. Decisions alone are no measure: they were made "
            "where answers differ."
        )
        link("answer", "Let experts answer")
        judge_differences(workbench, project, result)
        return
    if _still_answering(workbench, found):
        st.markdown("What the others answered opens here when you have answered all your texts.")
        return
    table = pd.DataFrame([_row(question.text, agreement) for question, agreement in found.questions])
    show_table(table, "expert_agreement", COLUMNS, drop_empty="Why", height="content", row_height=ROW_HEIGHT)
    st.caption(
        plain(
            f"{len(found.experts)} experts ({', '.join(found.experts)}) on {found.texts:,} drawn texts; the judge "
            f"answered on {found.judged:,} of them.{decisions_basis(found.decided)}"
        )
    )
    if found.carried and found.carried.answers:
        st.caption(f"Experts: {found.carried}")
    csv_download("Experts and judge (CSV)", table, "experts_and_judge")
    link("disagreements", "Decide where they part")
    _applicability(found)
    judge_worth(workbench, result)
    judge_differences(workbench, project, result)
    several_judges(workbench, project.id, result)


def _applicability(found: ExpertSampleAgreement) -> None:
    """Draw the agreement on whether questions apply; nothing if they all always do."""
    if not found.applicability:
        return
    st.markdown(
        "**Do experts and judge agree on what does not apply?**",
        help="“Does not apply” against yes and no together. In the table above those answers are left out."
        + more_in_guide("alpha"),
    )
    table = pd.DataFrame(
        [
            {
                "Question": question.text,
                "Experts say it": _how_often(one.people_share, one.people_n, "answers"),
                "Judge says it": _how_often(one.judge_share, one.judge_n, "texts"),
                "Experts (alpha)": interval(one.people.value, one.people.low, one.people.high),
                "Judge (Cohen's kappa)": interval(one.judge.value, one.judge.low, one.judge.high),
                "Why": " ".join(dict.fromkeys(why for why in (one.people.reason, one.judge.reason) if why)),
            }
            for question, one in found.applicability
        ]
    )
    show_table(table, "applicability", height="content")
    csv_download("Does not apply (CSV)", table, "does_not_apply")


def _how_often(share: float | None, of: int, what: str) -> str | None:
    return None if share is None else f"{share:.0%} of {of:,} {what}".replace("%", " %")


def _still_answering(workbench: Workbench, found: ExpertSampleAgreement) -> bool:
    expert = current_expert()
    if not expert or not found.questions:
        return False
    sheet = answer_sheet(workbench, found.checklist, expert)
    return sheet.done < len(sheet.texts)


def _row(question: str, agreement: QuestionAgreement) -> dict[str, object]:
    people, judge = agreement.people, agreement.judge
    return {
        "Question": question,
        "Verdict": VERDICTS[agreement.verdict],
        "Experts (alpha)": interval(people.value, people.low, people.high),
        "Judge (Cohen's kappa)": interval(judge.value, judge.low, judge.high),
        "Fleiss' kappa": agreement.fleiss.value,
        "Texts": people.n,
        "Texts with judge": judge.n,
        "Why": " ".join(dict.fromkeys(why for why in (agreement.too_few, people.reason, judge.reason) if why)),
    }
