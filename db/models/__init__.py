"""The tables. Importing this package registers them all."""

from db.models.anchors import AnchorLookRow, AnchorSetRow
from db.models.assignment import AnswerShareRow, AssignmentRow
from db.models.build import BuildRevisionRow, BuildRow
from db.models.checklist import (
    ChecklistChangeRow,
    ChecklistRow,
    ComponentAttributeRow,
    ComponentRow,
    CopiedQuestionRow,
    DroppedAttributeRow,
    ProposalRow,
    QuestionAttributeRow,
    QuestionCommentRow,
    QuestionRow,
)
from db.models.decision import DecisionRow
from db.models.expert_answer import (
    AnswerChanceRow,
    AnswerDrawRow,
    AnswerDrawTextRow,
    AnswerWaveRow,
    ExpertAnswerRow,
)
from db.models.improvement import DocumentHalfRow, ImprovementRow
from db.models.job import JobRow, WorkerRow
from db.models.locked_split import LockedDocumentRow, LockedLookRow, LockedSplitRow
from db.models.person import InvitationRow, MembershipRow, PersonRow, SignInRow
from db.models.project import DimensionRow, ProjectRow, RatingRow, TextRow
from db.models.prompt import OwnPromptRow
from db.models.provider_batch import ProviderBatchRow
from db.models.run import (
    CallIntentRow,
    CallUseRow,
    JudgmentRow,
    ModelCallRow,
    RunDimensionRow,
    ScoreRow,
    ScoringRunRow,
    StageRunRow,
)
from db.models.side_by_side import SideBySideAnswerRow, SideBySideRow
from db.models.text_import import StagedRatingRow, StagedTextRow, TextImportRow
from db.models.think_aloud import AttributeRow, ContributorRow, ThinkAloudDoneRow, ThinkAloudSampleRow
from db.models.trail import TrailRow
from db.models.transcript import ProposedAttributeRow, TranscriptRow
from db.models.upload import CountedUploadRow, ImportReportRow, JobFileBlockRow, JobFileRow

__all__ = [
    "AnchorLookRow",
    "AnchorSetRow",
    "AnswerChanceRow",
    "AnswerDrawRow",
    "AnswerDrawTextRow",
    "AnswerShareRow",
    "AnswerWaveRow",
    "AssignmentRow",
    "AttributeRow",
    "BuildRevisionRow",
    "BuildRow",
    "CallIntentRow",
    "CallUseRow",
    "ChecklistChangeRow",
    "ChecklistRow",
    "ComponentAttributeRow",
    "ComponentRow",
    "ContributorRow",
    "CopiedQuestionRow",
    "CountedUploadRow",
    "DecisionRow",
    "DimensionRow",
    "DocumentHalfRow",
    "DroppedAttributeRow",
    "ExpertAnswerRow",
    "ImportReportRow",
    "ImprovementRow",
    "InvitationRow",
    "JobFileBlockRow",
    "JobFileRow",
    "JobRow",
    "JudgmentRow",
    "LockedDocumentRow",
    "LockedLookRow",
    "LockedSplitRow",
    "MembershipRow",
    "ModelCallRow",
    "OwnPromptRow",
    "PersonRow",
    "ProjectRow",
    "ProposalRow",
    "ProposedAttributeRow",
    "ProviderBatchRow",
    "QuestionAttributeRow",
    "QuestionCommentRow",
    "QuestionRow",
    "RatingRow",
    "RunDimensionRow",
    "ScoreRow",
    "ScoringRunRow",
    "SideBySideAnswerRow",
    "SideBySideRow",
    "SignInRow",
    "StageRunRow",
    "StagedRatingRow",
    "StagedTextRow",
    "TextImportRow",
    "TextRow",
    "ThinkAloudDoneRow",
    "ThinkAloudSampleRow",
    "TrailRow",
    "TranscriptRow",
    "WorkerRow",
]
