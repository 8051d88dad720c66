"""What a job is to do survives the way through the database."""

from app.domain.build import Stage
from app.domain.checklist import Action
from app.domain.project import Dimension, Project, Task
from app.providers.model_options import ModelOptions
from app.services.attributes.checklist_coverage import CoverageJob
from app.services.attributes.pairs import ContrastJob
from app.services.background.progress import _KINDS, as_given, as_kept, kind_named, kind_of
from app.services.building.build import AgainJob, BuildsJob, StagesJob, StartedBuild
from app.services.checklists.question_proposals import ProposalJob
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import StudyJob
from app.services.data.imports import HandedImportJob, ImportJob
from app.services.data.uploads import ImportPlan, MappedColumns
from app.services.demo import DemoJob
from app.services.drift.drift_checks import AnchoredScoringJob, AnchorsJob, Asking
from app.services.improvement.improve import ImprovementJob
from app.services.job_kinds import load_job_kinds
from app.services.scoring.asking_runs import AskingJob
from app.services.scoring.scoring_jobs import CancellingJob, ScoringJob
from app.services.think_aloud.think_aloud_jobs import CollectingJob, ThinkAloudJob
from db.models.columns import now


def test_what_a_job_is_to_do_comes_back_from_the_database_as_it_was() -> None:
    load_job_kinds()
    for params in examples():
        kept = as_kept(params)
        assert as_given(kind_named(kind_of(params).name), kept) == params


def examples() -> list[object]:

    dimension, asked = Dimension("flow", "How it flows.", 1, 10, 2, 7), ModelOptions(900, 30.5, "low")
    project = Project(1, "P", Task("essay", "prompt"), "made up", True, now())
    asking = Asking("openai:gpt-4o", "rules", 2.5)
    mapped = MappedColumns({"text": "Essay"}, (("flow", "Flow 1"),), (("flow", "1..5"),))
    return [
        StagesJob(3, (Stage.COMPONENTS, Stage.SUB_QUESTIONS), asked, "Ana"),
        AgainJob(3, Stage.KEY_QUESTIONS, 2, asked, "Ana"),
        BuildsJob((StartedBuild("flow", 3), StartedBuild("ease", None, "Nobody has said yet.")), asked, ""),
        ProposalJob(4, Action.MERGE, (1, 2), "rules"),
        ProposalJob(4, None, (), "rules"),
        StudyJob(project, StudyOptions((dimension,), "rules", "rules", budget=1.5, draw=(40, 4), asking=asked)),
        ImportJob("abc", "P", ImportPlan("table", "Sheet1", mapped, "learner essays")),
        HandedImportJob(7, "P", ImportPlan("table", "Sheet1", mapped, "learner essays")),
        DemoJob(),
        AnchorsJob(1, dimension, asking, None),
        AnchorsJob(1, dimension, None, asking),
        AnchorsJob(1, dimension, asking.of_reference(), asking),
        AnchoredScoringJob(1, (1, 2), ((dimension, asking),)),
        ImprovementJob(3, "rules", None, "Ana"),
        AskingJob((1, 2, 3), None),
        ScoringJob(1, (5,)),
        CancellingJob(1, 5),
        ThinkAloudJob(project, (dimension,), ("rules",), asked, {"7 rules": 2}, "again"),
        CollectingJob(project, True),
        CoverageJob(1, 5, "rules", asked),
        ContrastJob(project, dimension, ("rules", "openai:gpt-4o"), asked),
    ]


def test_every_kind_of_job_has_an_example_here() -> None:
    load_job_kinds()

    assert set(_KINDS) - {"TrialJob"} == {type(one).__name__ for one in examples()}
