"""Job kinds: every module of the services with background jobs."""

from importlib import import_module

MODULES = (
    "attributes.checklist_coverage",
    "attributes.pairs",
    "building.build",
    "checklists.question_proposals",
    "conditions.study_worker",
    "data.imports",
    "demo",
    "drift.drift_checks",
    "improvement.improve",
    "scoring.asking_runs",
    "scoring.scoring_jobs",
    "think_aloud.think_aloud_jobs",
)


def load_job_kinds() -> None:
    """Import every module with job kinds, for a process without screens."""
    for module in MODULES:
        import_module(f"app.services.{module}")
