"""Every error a user can meet, as one tree. Each has a hint that says what to do and, if the guide tells more, the
place there.

WorkbenchError                   base; exit status 2: what happened can be mended by the person
    ├── InputError                   the person's input: a file, a name, an option
    │   ├── FileFormatError          a file that can't be read as what it was said to be
    │   ├── NotFoundError            a project, dimension, checklist or run that isn't there
    │   ├── NotReadyError            an earlier step is missing, or the data can't carry the question asked
    │   │   └── NothingNewError      only new texts were to be scored, and there are none
    │   ├── RepeatedError            the same attribute or question is there already, word for word
    │   ├── NotAllowedError          the person's role in the project doesn't let them do this
    │   │   └── NotListedError       the provider knows them, and the list of those who may come in doesn't
    │   └── ConflictError            somebody else changed or is running this right now
    │       ├── RunLostError         a run's writer was silent for too long, and another took over
    │       ├── JobLostError         the same of other long work
    │       └── DataInUseError       what would be replaced is open elsewhere
    ├── SignInError                  the provider that people sign in with can't be reached or believed
    ├── DatabaseError                the database can't be opened, is newer than the program, or is locked
    ├── ClusterError                 the Dask scheduler or its workers can't be reached, or do something else
    ├── PromptError                  a prompt file is malformed or a variable is missing
    ├── BatchPendingError                 a request that waits for its batch; no failure
    └── ProviderError                a model did not answer as asked; `kind` is stored with the failure (exit status 3:
        │                            worth trying again, unless the key or the model's name has to change)
        ├── MissingKeyError          no key is set
        ├── MissingAddressError      no address is set for models that are nobody's in particular
        ├── WrongKeyError            the provider refuses the key
        ├── UnknownModelError        the provider or the model doesn't exist
        ├── WrongAddressError        what answers at the address isn't the provider's API
        ├── QuotaError               the account is used up; never retried
        │   └── LimitReachedError    a limit that lasts hours, or a provider that lets nothing pass for long
        ├── UnsupportedError         the model can't do what the method needs
        │   ├── NoLogprobsError      the model gives no log-probabilities, whatever it is asked
        │   ├── EffortError          the model doesn't reason, or not with this effort
        │   └── TierError            the model isn't sold in this service tier
        ├── TooLongError             the text with its instructions is longer than the model takes
        ├── RefusedError             the model declined to answer
        ├── OversizedReplyError      the reply is larger than any answer; it is not read to its end
        ├── CutOffError              the answer ended at the token limit
        ├── NoAnswerError            the reply ended without an answer, also after asking again; the provider's reason
        ├── WrongSchemaError         the answer isn't what the schema asks for, also after re-asking
        ├── UnreadableScoreError     a judge's free text gives no score, several, or one off the scale
        ├── AbstainedError           a judge said that it can't tell, or that it doesn't apply; no failure
        ├── BudgetError              the run's budget is reached
        ├── ConnectionLostError      the model's server could not be reached for too long; the run ends as interrupted
        ├── StoppedError             the run is ending; what wasn't asked yet stays open
        └── TransientError           worth trying again; `retry_after` in seconds where the provider says it
            ├── RateLimitError       too many requests at a time
            │   └── NoCapacityError      the slower tier has nothing to spare at the moment
            ├── OverloadedError      the provider has more to do than it can
            ├── ModelTimeoutError    no answer in the time that a request may take
            ├── UnreadableReplyError what came back has not the form of the provider's API
            └── ConnectionFailedError the provider can't be reached

Messages never hold a key, a prompt or a text: they are shown, logged and stored.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple


class Paragraph(NamedTuple):
    """A place in the guide: the page's file name without its extension, the page's title, and the heading."""

    page: str
    title: str
    heading: str

    @property
    def address(self) -> str:
        return f"{self.page}.html#{self.heading.lower().replace(' ', '-')}"

    @property
    def name(self) -> str:
        """Return title and heading, for readers without a link."""
        return f"{self.title}, {self.heading}"


_OF_ADMINISTRATORS = ("administrators", "For administrators")
_OF_FACILITATORS = ("facilitators", "For facilitators")


class WorkbenchError(Exception):
    """Base of all. `message` says what happened and where, `hint` what to do, `paragraph` where the guide tells more;
    None if the causes differ too much for one place in the guide."""

    exit_status: ClassVar[int] = 2
    default_hint: ClassVar[str] = ""
    paragraph: ClassVar[Paragraph | None] = None

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.default_hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    @property
    def in_full(self) -> str:
        """Return message, hint and the guide's paragraph, for places without links: a terminal, stored errors, fields
        of a screen."""
        return f"{self} See: guide, {self.paragraph.name}." if self.paragraph else str(self)


class InputError(WorkbenchError):
    pass


class FileFormatError(InputError):
    default_hint = "Choose another format, or map the columns by hand."
    paragraph = Paragraph("reference/formats", "Reference, File formats", "Files that come in")


class NotFoundError(InputError):
    default_hint = "Check the name."


class NotReadyError(InputError):
    pass


class NothingNewError(NotReadyError):
    pass


class RepeatedError(InputError):
    pass


class NotAllowedError(InputError):
    default_hint = "Ask the project's facilitator."
    paragraph = Paragraph(*_OF_FACILITATORS, "Run a team")


class NotListedError(NotAllowedError):
    pass


class ConflictError(InputError):
    default_hint = "Reload to see the newest state, then try again."
    paragraph = Paragraph(*_OF_FACILITATORS, "Several at a time")


class RunLostError(ConflictError):
    default_hint = "Nothing more was asked or saved here; what it had asked is kept and isn't paid again."


class JobLostError(ConflictError):
    default_hint = "What was done here is kept."


class DataInUseError(ConflictError):
    paragraph = Paragraph(*_OF_ADMINISTRATORS, "Backups")


class SignInError(WorkbenchError):
    paragraph = Paragraph(*_OF_ADMINISTRATORS, "A team")


class DatabaseError(WorkbenchError):
    paragraph = Paragraph(*_OF_ADMINISTRATORS, "Where the data are")


class ClusterError(WorkbenchError):
    paragraph = Paragraph(*_OF_ADMINISTRATORS, "Several computers")


class PromptError(WorkbenchError):
    paragraph = Paragraph("researchers", "For researchers", "Prompts")


def paragraph_of_kind(kind: str) -> Paragraph:
    """Return the guide's paragraph on a kind of model failure; each kind has a heading on that page."""
    return Paragraph("reference/failures", "Reference, When a model doesn't answer", kind)


class ProviderError(WorkbenchError):
    """A model did not answer as asked. `usage` is what the failed request was billed (app.providers.base.Usage), None
    if nothing: it was never sent, or the provider refused it. The cost of a lost reply is unknown."""

    kind: ClassVar[str] = "provider"
    exit_status = 3
    usage: object | None = None
    paragraph = paragraph_of_kind(kind)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.paragraph = paragraph_of_kind(cls.kind)


class MissingKeyError(ProviderError):
    kind = "no-key"
    exit_status = 2
    default_hint = "Set it in the environment, or type it on Settings."


class MissingAddressError(ProviderError):
    kind = "no-address"
    exit_status = 2
    default_hint = "Set it in the environment."


class WrongKeyError(ProviderError):
    kind = "wrong-key"
    exit_status = 2
    default_hint = "Check the key on the provider's console and set it again."


class UnknownModelError(ProviderError):
    kind = "unknown-model"
    exit_status = 2
    default_hint = "Models are written provider:name, for example openai:gpt-6-luna, or rules."


class WrongAddressError(ProviderError):
    kind = "wrong-address"
    exit_status = 2
    default_hint = "Check the base URL."


class QuotaError(ProviderError):
    kind = "quota"
    default_hint = "Add credit or raise the limit on the provider's console, then resume."


class LimitReachedError(QuotaError):
    kind = "limit"
    default_hint = "Resume later; nothing done is paid again."


class UnsupportedError(ProviderError):
    kind = "unsupported"
    exit_status = 2
    default_hint = "Choose another model for this method."


class NoLogprobsError(UnsupportedError):
    kind = "no-logprobs"


class EffortError(UnsupportedError):
    kind = "effort"

    @classmethod
    def of(cls, model: str, effort: str, taken: Sequence[str]) -> "EffortError":
        """Return the error for this model. taken: the efforts it accepts, empty for none."""
        if not taken:
            return cls(f"{model} takes no reasoning effort.", "Leave the effort out.")
        return cls(f"{model} doesn't take the effort “{effort}”.", f"It takes {', '.join(taken)}.")


class TierError(UnsupportedError):
    kind = "tier"
    default_hint = "Leave the tier out."


class TooLongError(ProviderError):
    kind = "too-long"
    default_hint = "Choose a model with a longer context, or shorten the text."


class RefusedError(ProviderError):
    kind = "refused"
    default_hint = "Read the text it refused, or retry these with another model."


class OversizedReplyError(ProviderError):
    kind = "oversized-reply"


class CutOffError(ProviderError):
    kind = "cut-off"
    default_hint = "Give its answers more room (--max-output-tokens; More options on its screen), then try again."


class NoAnswerError(ProviderError):
    kind = "no-answer"
    default_hint = "Retry the failures; if they stay, read those texts, or choose another model."


class WrongSchemaError(ProviderError):
    kind = "wrong-schema"
    default_hint = "Retry the failures, or choose a model that supports structured output."


class UnreadableScoreError(ProviderError):
    kind = "unreadable-score"
    default_hint = "Retry the failures, or choose another judge."


class AbstainedError(ProviderError):
    """The judge said that it can't tell, or that the question doesn't apply. This is no failure: evaluators return
    `app.domain.checklist_score.abstained_evaluation`. `why`: CANNOT_TELL or Answer.NOT_APPLICABLE."""

    kind = "abstained"
    default_hint = "Look at the text: what it says is on record with the reply."

    def __init__(self, why: str) -> None:
        super().__init__(f"The judge said: {why}.")
        self.why = why


class BudgetError(ProviderError):
    kind = "budget"
    default_hint = "Raise the budget, then resume; nothing done is paid again."


class BatchPendingError(WorkbenchError):
    """A request without an answer that waits for a batch instead of being sent on its own. No failure."""

    kind = "awaited"


class ConnectionLostError(ProviderError):
    """The model's server could not be reached for so long that the run ends as interrupted."""

    kind = "connection-lost"
    default_hint = "Check that the server runs and the network; then resume: only what is missing is asked."


class StoppedError(ProviderError):
    kind = "stopped"
    default_hint = "Resume the run to go on."


class TransientError(ProviderError):
    """Worth trying again. `retry_after` is in seconds, None where the provider doesn't say."""

    kind = "transient"

    def __init__(self, message: str, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class RateLimitError(TransientError):
    kind = "rate-limit"
    default_hint = "Ask less at a time (--concurrency), or wait, then resume."


class NoCapacityError(RateLimitError):
    """The slower tier has no capacity at the moment; nothing was billed."""

    kind = "no-room"
    default_hint = "Resume later, or ask at the standard price where there is no room (--tier flex-or-standard)."


class OverloadedError(TransientError):
    kind = "overloaded"
    default_hint = "Wait and resume."


class ModelTimeoutError(TransientError):
    kind = "timeout"
    default_hint = "Give each request more time (--timeout; More options on its screen), then try again."


class UnreadableReplyError(TransientError):
    kind = "unreadable-reply"


class ConnectionFailedError(TransientError):
    kind = "connection"
    default_hint = "Check the network and the base URL, then resume."
