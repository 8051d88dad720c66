"""What experts do side by side is the same on both databases."""

from datetime import UTC

from app.domain.attribute import ContributorKind, ProposedAttribute
from app.domain.passage import Passage, PassagePart
from app.domain.project import Dimension, Task
from db.unit_of_work import Database

SPOKEN = Passage.at("I said 🎈 it.", 2, 8, None, PassagePart.TRANSCRIPT)


def test_independence_transcripts_and_comparisons(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("coherence"))
        ada = work.think_aloud.contributor(project.id, "Ada", ContributorKind.HUMAN)
        work.think_aloud.add_attributes(dimension.id, ada.id, ["Order."])
        work.independence.set_done(dimension.id, ada.id, True)
    with database.write() as work:
        late = work.think_aloud.add_attributes(dimension.id, ada.id, ["Late."], passages=[SPOKEN])[0]
        work.independence.set_done(dimension.id, ada.id, False)
        number = work.transcripts.add(dimension.id, ada.id, "I said 🎈 it.")
        work.transcripts.propose(number, [ProposedAttribute("It.", "said 🎈 it")])
        work.transcripts.decide(work.transcripts.proposals(number)[0].id, late, declined=False)
        work.side_by_side.add(dimension.id, ada.id, True, ["عربي"], ["b"])
        comparison = work.side_by_side.of(dimension.id)[0]
        work.side_by_side.answer(comparison.id, "grain", "first")
        work.side_by_side.answer(comparison.id, "grain", "<b>second</b>")
        work.side_by_side.reveal(comparison.id)
    with database.read() as work:
        (progress,) = work.independence.progress(project.id)
        assert (progress.expert, progress.attributes, progress.done, progress.late) == ("Ada", 2, False, 1)
        assert progress.last_at is not None
        assert progress.last_at.tzinfo is UTC
        assert work.transcripts.proposals(number)[0].attribute_id == late
        assert [a.passage for a in work.think_aloud.attributes(project.id)] == [None, SPOKEN]
        kept = work.side_by_side.get(comparison.id)
        assert (kept.a, kept.answers, kept.revealed) == (("عربي",), {"grain": "<b>second</b>"}, True)
