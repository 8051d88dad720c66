"""What can reach the texts of a held-out split is named here, with the reason."""

import re

from tests.support.repository import ROOT, name_of, python_files

ALLOWED = {
    "app/services/data/held_out_split.py": "draws the split, and shows results on it when somebody looks",
    "app/services/think_aloud/samples.py": "plans a run on the held-out split",
    "app/services/scoring/run_writer.py": "the judge reads what the run planned",
    "app/services/scoring/block_scoring.py": "the judge reads what the run planned",
    "app/services/scoring/run_worker.py": "keeps a document's texts together in what the run planned",
    "app/services/scoring/runs.py": "looks for references among what a run is to score, and at its answers",
    "app/services/scoring/reuse.py": "a run on the held-out split takes over what an earlier run asked about it",
    "app/services/scoring/forecast.py": "counts the tokens of what a run planned",
    "app/services/scoring/recordings.py": "asks the ledger again what a run asked",
    "app/services/results/results.py": "computes a look's results",
    "app/services/results/result_texts.py": "counts what a run scored",
    "app/services/data/projects.py": "counts the texts of a project",
    "app/services/data/imports.py": "counts the texts of a project",
}
REACHES = re.compile(r"\bwork\.(every_text|every_result|held_out_texts|held_out_results)\b")
TABLES = re.compile(r"\b(TextRow|RatingRow|JudgmentRow)\b")
# Samples are drawn from open documents, and these are never locked; runs write judgments; imports know all texts; who
# is renamed is renamed everywhere; preferences name their texts, within the scope; the scope's rule itself.
READERS = {
    "expert_answers.py",
    "imports.py",
    "held_out_split.py",
    "people.py",
    "results.py",
    "runs.py",
    "texts.py",
    "think_aloud.py",
}


def test_only_what_has_a_reason_reaches_locked_texts() -> None:
    found = {name_of(path) for path in python_files("app", "pages") if REACHES.search(path.read_text(encoding="utf-8"))}
    assert found == set(ALLOWED), "work.texts and work.results leave locked texts out: use those, or give a reason here"


def test_texts_ratings_and_judgments_are_read_where_the_scope_is_applied() -> None:
    folder = ROOT / "db" / "repositories"
    found = {path.name for path in folder.glob("*.py") if TABLES.search(path.read_text(encoding="utf-8"))}
    assert found <= READERS, (
        "take texts from work.texts, or apply db.repositories.held_out_split.within and add it here"
    )


def test_every_query_of_texts_and_results_names_its_scope_or_says_why_not() -> None:
    """Each public method that reads texts or scores applies the scope; the others cover all texts on purpose."""
    for_all = {
        "texts.py": {
            "ids_by_key",
            "add_many",
            "add_ratings",
            "documents_by_text",  # of `places`, which applies it
            "ratings",  # of `each_rating`, which applies it
            "rating_range",
            "rating_counts",
            "rated_elsewhere",  # a bare count
            "imported_means",  # of `mean_scores`, which applies it
            "give_verdict",  # about a text that was found within the scope
            "distinct",
        },
        # A kind and a sentence; a sum over what is in scope; `each_scored`, which applies it.
        "results.py": {"failures", "unanswered", "scored"},
    }
    for name, exempt in for_all.items():
        source = (ROOT / "db" / "repositories" / name).read_text(encoding="utf-8")
        methods = re.split(r"\n    def ", source)[1:]
        unscoped = {
            m.split("(")[0]
            for m in methods
            if "_scope" not in m and "self._scores(" not in m and "_row(" not in m and "_matches(" not in m
        }
        assert unscoped == exempt, f"{name}: every question about texts applies self._scope"
