"""A dialogue and the fact given for the next reply, as one source that people and judges read, and apart again."""

_HISTORY = "Dialogue so far:\n"
_FACT = "\n\nFact to talk about:\n"


def dialogue_source(history: str, fact: str = "") -> str:
    """What the writer of the reply saw: the dialogue so far and, where one was given, the fact to talk about."""
    return f"{_HISTORY}{history}" + (f"{_FACT}{fact}" if fact else "")


def dialogue_history(source: str) -> str:
    """The dialogue alone; a source that was not put together so is one."""
    if not source.startswith(_HISTORY):
        return source
    dialogue = source.removeprefix(_HISTORY)
    return dialogue.rpartition(_FACT)[0] if _FACT in dialogue else dialogue
