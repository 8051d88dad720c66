"""Answers of four people and six judges: the queue holds what an independent count finds, kind by kind."""

from collections import Counter

import pandas as pd
import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text
from app.meta_evaluation.questions.question_agreement import DisagreementKind
from app.services.checklists.answer_draws import draw_texts
from app.services.data.uploads import Upload
from app.services.disagreements.decisions import decide_answer
from app.services.disagreements.queue import QueueFilter, disagreement_queue
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import AnswerAuthors, import_answer_upload
from tests.support.disagreements import text_ids
from tests.support.made_data import made_data

PEOPLE = ["human_1", "human_2", "human_3", "human_4"]
JUDGES = ["gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03"]
NO_SUCH_ANSWER = "This question doesn't allow “does not apply”; answer yes, no or skip."
Pair = tuple[str, str]


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    return pd.read_csv(made_data("framing_answers.csv"), dtype=str, keep_default_na=False, na_values=[""])


def brought_in(workbench: Workbench, answers: pd.DataFrame) -> Checklist:
    """Texts are their names, questions their codes; people and judges are columns of the file."""
    documents, codes = list(answers["doc_id"].unique()), list(answers["question"].unique())
    with workbench.database.write() as work:
        project = work.projects.add("Framing", Task("article"))
        dimension = work.projects.add_dimension(project.id, Dimension("framing"))
        work.texts.add_many(project.id, [Text(name, name) for name in documents])
        asked = tuple(Question(code, "", position=place) for place, code in enumerate(codes))
        draft = Checklist("framing", 0, ChecklistStatus.DRAFT, "comb", "", (), asked)
        made = work.checklists.publish(work.checklists.save(dimension.id, draft))
    draw_texts(workbench, made.id, len(documents), seed=1)
    upload = Upload("framing.csv", made_data("framing_answers.csv").read_bytes())
    brought = import_answer_upload(workbench, made.id, upload, AnswerAuthors("", "", tuple(PEOPLE), tuple(JUDGES)))
    assert brought.experts is not None
    assert brought.judges is not None
    assert brought.experts.kept == int(answers[PEOPLE].isin(["yes", "no"]).sum().sum())
    doubted = int(answers[PEOPLE].notna().sum().sum()) - brought.experts.kept
    assert [said for _, said in brought.experts.skipped] == [NO_SUCH_ANSWER] * doubted
    kept = {one.judge: one.answers for one in brought.judges.judges}
    assert kept == {f"file:{name}": len(answers) for name in JUDGES}
    assert brought.judges.skipped == ()
    return made


def counted(answers: pd.DataFrame) -> tuple[set[Pair], dict[str, set[Pair]]]:
    """By pandas alone: where people part, and where each judge says what most people don't."""
    pair = list(zip(answers["doc_id"], answers["question"], strict=True))
    yes, no = (answers[PEOPLE].eq(said).sum(axis=1) for said in ("yes", "no"))
    most = pd.Series("", index=answers.index).mask(yes > no, "yes").mask(no > yes, "no")
    parted = {one for one, here in zip(pair, (yes > 0) & (no > 0), strict=True) if here}
    by_judge = {
        judge: {one for one, here in zip(pair, most.ne("") & answers[judge].ne(most), strict=True) if here}
        for judge in JUDGES
    }
    return parted, by_judge


@pytest.mark.long
@pytest.mark.slow
def test_the_queue_lists_exactly_what_an_independent_count_finds(workbench: Workbench, answers: pd.DataFrame) -> None:
    made = brought_in(workbench, answers)
    queue = disagreement_queue(workbench, made.id)
    assert (queue.answered, set(queue.judges)) == (len(PEOPLE), {f"file:{name}" for name in JUDGES})
    parted, by_judge = counted(answers)
    assert parted
    assert all(by_judge.values())

    def listed(wanted: QueueFilter) -> set[Pair]:
        return {(pair.key[0], pair.question.text) for pair in queue.matching(wanted)}

    assert listed(QueueFilter(kind=DisagreementKind.EXPERTS)) == parted
    assert listed(QueueFilter(kind=DisagreementKind.REPEATS)) == set()
    for judge, pairs in by_judge.items():
        assert listed(QueueFilter(kind=DisagreementKind.JUDGE, judge=f"file:{judge}")) == pairs
    assert listed(QueueFilter()) == parted.union(*by_judge.values())
    kinds = Counter(entry["kind"] for pair in queue.pairs for entry in pair.to_json())
    assert kinds == {"experts": len(parted), "judge": sum(len(pairs) for pairs in by_judge.values())}
    first = queue.pairs[0]
    assert first.weight == max(pair.weight for pair in queue.pairs)
    decide_answer(workbench, made.id, first.question.id, first.text, Answer.YES)
    left = disagreement_queue(workbench, made.id).matching(QueueFilter())
    assert len(left) == len(queue.pairs) - 1
    assert first.text in text_ids(workbench, made)
