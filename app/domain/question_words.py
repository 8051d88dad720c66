"""English words that questions are made of, and words that make them vague or ask for a fault."""

BE = frozenset(["is", "are", "was", "were"])
HAVE = frozenset(["has", "have", "had"])
# They open yes/no questions.
AUXILIARIES = (
    BE | HAVE | frozenset(["do", "does", "did", "can", "could", "will", "would", "should", "may", "might", "must"])
)
CONTRACTIONS = frozenset(
    f"{word}n't" for word in (*BE, "has", "have", "do", "does", "did", "ca", "could", "wo", "would")
)
# They open questions that ask for more than yes or no.
OPEN_WORDS = ("what", "which", "who", "why", "how", "where", "when")

QUOTES = "fit this:"
"""The words in a question before an attribute that it quotes unchanged."""

FAULTS = (
    r"errors?|mistakes?|typos?|missing|distort\w*|incorrect\w*|awkward\w*|omit(?:s|ted)?|omissions?|repeat(?:s|ed)?",
    r"repetiti\w*|redundan\w*|unnecessary|vague|incomplete|hallucinat\w*|fabricat\w*|invent(?:s|ed)?|misrepresent\w*",
    r"irrelevant|contradict\w*|bias(?:ed|es)?|fragments?|misleading|unclear|ambiguous|unsupported|lacks?|fails?|broken",
    r"poor(?:ly)?|incoheren\w*|clichés?|inconsisten\w*|misspell\w*|offensive|jargon|unrelated|run-ons?|wrong",
    r"confus(?:ing|ion|es?)",
)
# What denies.
DENIALS = (r"avoid\w*", "without", "no", "not", "never", "none")
# What turns a fault into its absence.
TURNS = (*DENIALS, r"free (?:from|of)", r"keeps? .+ from")
CONTRASTS = ("neither", "rather than", "instead of", r"leaves? out")

# They mean something else to everybody.
VAGUE = (r"good|well|proper(?:ly)?|appropriate(?:ly)?|effective(?:ly)?|adequate(?:ly)?|sufficient(?:ly)?",)

HANDLED = (
    *("admit", "acknowledg", "own", "correct", "fix", "mend", "repair", "solv", "resolv", "point", "warn", "explain"),
    *("nam(?:e|ing)", "stat(?:e|ing)", "say", "tell", "apologi[sz]", "excus", "forgiv", "handl", "treat", "report"),
    *("mention", "describ", "discuss", "not(?:e|ing)", "address", "recogni[sz]", "identif", "find", "spot", "show"),
    *("reduc", "remov", "confess", "accept", "tak(?:e|ing)", "answer", "offer", "flag", "catch", "learn", "recover"),
)
"""Stems of verbs that handle a fault, such as admitting it, for which nobody is blamed."""
