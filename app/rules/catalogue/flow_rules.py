"""Rules about how sentences hang together."""

from app.rules.catalogue.phrases import AT_LEAST, PER_SENTENCE, UP_TO
from app.rules.measures import flow, grounding
from app.rules.rule import Better, Rule, Unit

FLOW_RULES = (
    Rule(
        id="order",
        theme="order",
        description="Steps from sentence to sentence that follow the order in which the source tells its content.",
        strong=(
            "order; logical*; organiz*; organis*; sequenc*; chronolog*; hierarchy; structured; jump*; sensible "
            "order; builds; build; elsewhere; progress*; structure or flow"
        ),
        weak="structure; flow; clear structure; disjointed; fragmented; coheren*; arrange*; heap",
        measure=grounding.order_agreement,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.67, 0.8, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} present its content in a logical order?",
            "Does the {text} follow a sequence that is easy to follow from start to end?",
        ),
        considerations=(
            "Check whether the content is presented in a logical order.",
            "The {text} should build up from sentence to sentence instead of jumping back and forth.",
            "Consider whether moving a sentence elsewhere would make the {text} easier to follow.",
        ),
    ),
    Rule(
        id="opening",
        theme="frame",
        description="Words of the first sentence that also open the source: whether readers are shown in.",
        strong=(
            "introduction; introduces its subject; beginning and middle; beginning and end; first sentence; "
            "clear beginning; opening; conclusion; ending; final thought; abruptly; read alone; "
            "standalone; stand alone"
        ),
        weak="start*; open*; beginning; context",
        measure=grounding.opening,
        better=Better.MORE,
        limits=(0.2, 0.45, 0.7, 0.85, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} open with a sentence that introduces its subject?",
            "Does the {text} have a recognisable beginning and end?",
        ),
        considerations=(
            "Check whether the first sentence tells the reader what the {text} is about.",
            "The {text} should have a recognisable beginning and end.",
            "Consider whether the {text} can stand alone.",
        ),
    ),
    Rule(
        id="links",
        theme="links",
        description="Sentences that take up a word of the sentence before, or refer back to it.",
        strong=(
            "connected; connect; connects; connection*; linked; well-linked; related to each other; sentence to "
            "sentence; cohesi*; previous one; sentence-level; one before; flow; smooth*; naturally; hang "
            "together"
        ),
        weak=("sentences; each sentence; coheren*; next; logically connected; disjointed; loosely; fluen*"),
        measure=flow.linked_sentences,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.6, 0.75, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Is each sentence of the {text} connected to the one before it?",
            "Does the {text} flow smoothly from sentence to sentence?",
        ),
        considerations=(
            "Check whether each sentence is connected to the one before it.",
            "Consider whether the {text} flows smoothly instead of reading like a list of separate statements.",
            "Neighbouring sentences should share a person, a thing or an event, so that they hang together.",
        ),
    ),
    Rule(
        id="connectives",
        theme="transitions",
        description="Connecting words such as because, however, then.",
        strong=("transition*; connective*; joining word*; linking word*; conjunction*; connecting word*"),
        weak="words or phrases; relationship between; flow; cohesi*",
        measure=flow.connectives,
        better=Better.MORE,
        limits=(1.0, 2.5, 4.0, 5.5, 7.0),
        unit=Unit.NUMBER,
        allowed="at least {limit} in 100 words are asked for",
        questions=(
            "Are transitions between the sentences of the {text} marked by connecting words?",
            "Does the {text} use connecting words to show how its statements relate?",
        ),
        considerations=(
            "Look for connecting words that show how one statement relates to the next.",
            "Check whether transitions between sentences are marked rather than left to the reader.",
            "Consider whether connecting words make cause, contrast and time explicit.",
        ),
    ),
    Rule(
        id="reference",
        theme="reference",
        description="Pronouns per sentence, above all one at the start of the text, before anything it could refer to.",
        strong=("pronoun*; refer back; referring; reference*; refers; refers back; antecedent*; identifiable"),
        weak="he; she; who; clear subject; ambiguous; ambiguity",
        measure=flow.unclear_reference,
        better=Better.LESS,
        limits=(2.0, 1.3, 0.9, 0.6, 0.3),
        unit=Unit.NUMBER,
        allowed=PER_SENTENCE,
        questions=(
            "Is it clear what each pronoun in the {text} refers to?",
            "Does the {text} name people and things before it refers back to them?",
        ),
        considerations=(
            "Check whether it is clear what each pronoun refers to.",
            "People and things should be named before the {text} refers back to them.",
            "Consider whether a reader could mix up who is meant.",
        ),
    ),
    Rule(
        id="unity",
        theme="unity",
        description="Sentences that name at least two of the ten terms the whole is about.",
        strong=(
            "unified; unity; whole; single topic; one topic; contribute to the same; could be removed; coherent "
            "body; heap of related; collection of; shift in focus; abrupt shifts; same subject; disconnected; "
            "body of information; organically"
        ),
        weak=("topic; central focus; contribut*; coheren*; collectively; focus; together; supporting details"),
        measure=flow.unity,
        better=Better.MORE,
        limits=(0.34, 0.5, 0.67, 0.8, 1.0),
        unit=Unit.SHARE,
        allowed=AT_LEAST,
        questions=(
            "Does the {text} read as a unified whole?",
            "Do all sentences of the {text} contribute to the same topic?",
        ),
        considerations=(
            "Consider whether the {text} reads as a unified whole rather than as a collection of facts.",
            "All sentences should contribute to the same topic.",
            "Look for sentences that could be removed without anybody missing them.",
        ),
    ),
    Rule(
        id="repetition",
        theme="repetition",
        description="Three-word sequences that the text uses again.",
        strong="repetit*; same phrase; more than once; repeat*; redundan*; duplicat*",
        weak="twice; again; same information; same sentence",
        measure=flow.repetition,
        better=Better.LESS,
        limits=(0.12, 0.07, 0.04, 0.015, 0.0),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does the {text} avoid repeating itself?",
            "Does the {text} avoid using the same phrase again and again?",
        ),
        considerations=(
            "Check for phrases or sentences that occur more than once.",
            "The {text} should not repeat itself.",
            "Consider whether every repetition is needed.",
        ),
    ),
    Rule(
        id="restatement",
        theme="repetition",
        description="Content of a sentence that the sentence before has already, at its highest.",
        strong=(
            "same information; restat*; in different sentences; redundancies; already said; something new; "
            "could be merged; in other words"
        ),
        weak="redundan*; repetit*; again; differently; overlap*",
        measure=flow.repeated_content,
        better=Better.LESS,
        limits=(0.8, 0.55, 0.4, 0.28, 0.18),
        unit=Unit.SHARE,
        allowed=UP_TO,
        questions=(
            "Does each sentence of the {text} say something new?",
            "Does the {text} avoid giving the same information in different sentences?",
        ),
        considerations=(
            "Check whether each sentence says something new.",
            "The same information should not come back in other words.",
            "Look for neighbouring sentences that could be merged without losing anything.",
        ),
    ),
)
