"""Words of attributes: tokens, stop words by language, and counts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

Scheme = Literal["rouge-score", "unicode"]

NOT_A_WORD = re.compile(r"[^a-z0-9]+")

# Scripts written without spaces between words: every character counts as a word of its own.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
)

FALLBACK_NOTE = (
    "Attributes mostly in letters the rouge-score package does not read: {n} of {all}. All words were therefore split "
    "by Unicode rules (each character on its own in scripts without spaces). These values cannot be compared with "
    "that package's."
)


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Words per text in order; `note` is a sentence for the reader, "" where nothing needs saying."""

    words: tuple[tuple[str, ...], ...]
    scheme: Scheme
    note: str = ""


def rouge_tokens(text: str) -> list[str]:
    """Lower case, everything but a-z and 0-9 is a space; no stemming."""
    return NOT_A_WORD.sub(" ", text.lower()).split()


def unicode_tokens(text: str) -> list[str]:
    """Lower-case runs of letters, marks and digits of any script; equal to rouge_tokens on ASCII texts."""
    tokens: list[str] = []
    open_word = False
    for character in unicodedata.normalize("NFC", text).lower():
        category = unicodedata.category(character)[0]
        if category == "M":
            if open_word:
                tokens[-1] += character
        elif category not in "LN":
            open_word = False
        elif open_word and not UNSPACED.match(character) and not UNSPACED.match(tokens[-1]):
            tokens[-1] += character
        else:
            tokens.append(character)
            open_word = True
    return tokens


def unread_by_rouge(text: str) -> bool:
    """More than half of the text's letters lie outside a-z, so that rouge-score would lose most of it."""
    letters = [character for character in text if character.isalpha()]
    return sum(not character.isascii() for character in letters) > len(letters) / 2


def tokenize(texts: Sequence[str]) -> TokenizedTexts:
    """One scheme for all texts, so that they stay comparable: rouge-score's wherever it reads every text."""
    unread = sum(unread_by_rouge(text) for text in texts)
    if not unread:
        return TokenizedTexts(tuple(tuple(rouge_tokens(text)) for text in texts), "rouge-score")
    note = FALLBACK_NOTE.format(n=unread, all=len(texts))
    return TokenizedTexts(tuple(tuple(unicode_tokens(text)) for text in texts), "unicode", note)


ENGLISH = "English"
# Of a set, the share of texts in a language from which on it counts as one of the set's languages.
LEAST_SHARE = 0.1


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    ENGLISH: frozenset(ENGLISH_STOP_WORDS) | _words("does did doing don doesn isn aren didn won wouldn shouldn just"),
    "German": _words(
        "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch "
        "auf aus bei beim bin bis bist da damit dann das dass daß dasselbe dazu dein dem den denn der des "
        "dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer "
        "eines einige einigen er es etwas euch euer für gegen gewesen hab habe haben hat hatte hatten hier "
        "hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden "
        "jeder jedes jene jetzt kann kein keine keinem keinen keiner können könnte man manche mehr mein mich "
        "mir mit muss musste müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen "
        "seiner selbst sich sie sind so solche soll sollen sollte sollten sondern sonst statt über um und uns "
        "unser unter viel vom von vor während war waren was wegen weil weiter welche welchem welchen welcher "
        "welches wenn wer werde werden wie wieder will wir wird wo wobei wollen wurde wurden würde zu zum zur "
        "zwar zwischen"
    ),
    "French": _words(
        "ai aient au aucun aucune aussi aux avec avoir avons c car ce cela celle celui ces cet cette ceux "
        "chaque comme d dans de des donc dont du elle elles en encore entre est et été être eu eux fait faut "
        "il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous on ont "
        "ou où par pas peu peut plus pour qu quand que quel quelle quelles quels qui s sa sans se sera ses si "
        "soit son sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vos votre vous y"
    ),
    "Spanish": _words(
        "a al algo ante antes aquel así aun aunque cada como con cual cuando de del desde donde dos el él "
        "ella ellas ellos en entre era es esa ese eso esta está están estas este esto estos fue ha han hasta "
        "hay la las le les lo los más me mi mientras muy nada ni no nos o otra otras otro otros para pero "
        "poco por porque pues que qué quien se según ser si sí sido sin sobre son su sus también tan tanto te "
        "tiene tienen todas todo todos tu un una unas uno unos y ya yo"
    ),
    "Italian": _words(
        "a ad agli ai al alla alle allo anche c che chi ci come con cui da dagli dai dal dalla dalle dello "
        "dei del della delle di dove e è ed era essere fra gli ha hanno i il in io la le lei li lo loro lui "
        "ma mi mia molto ne negli nei nel nella nelle nello no noi non nostro o ogni ognuno per perché più "
        "poi qual quale quali quando quanto quella quelle quello questa queste questi questo se sei sempre "
        "senza si sia siano sono sta stato su sua sue sugli sui sul sulla suo suoi tra tu tutti tutto un una "
        "uno vi"
    ),
    "Dutch": _words(
        "aan al alle alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een "
        "elk er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je "
        "kan kon kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder "
        "ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat we wel werd "
        "wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou zoals"
    ),
    "Portuguese": _words(
        "a ao aos aquela aquele as às até com como da das de dela dele deles do dos e é ela elas ele eles em "
        "entre era essa esse esta está este eu foi for há isso isto já lhe mais mas me mesmo meu minha muito "
        "na não nas nem no nos nós num numa o os ou para pela pelas pelo pelos por qual quando que quem são "
        "se seja sem ser seu seus só sua suas também te tem têm tu tudo um uma você vos"
    ),
}
# Verbs that tell a reader what to do with a text. They say nothing about what to look for.
INSTRUCTIONS: dict[str, frozenset[str]] = {
    ENGLISH: _words(
        "analyse analyses analysing analyze analyzes analyzing ascertain assess assesses assessed assessing "
        "check checks checked checking confirm confirms confirming consider considers considering determine "
        "determines determining ensure ensures ensured ensuring evaluate evaluates evaluated evaluating "
        "examine examines examining identify identifies identifying inspect judge judges judging look looks "
        "looking make makes making sure must need needs please rate rates rating review reviews reviewing see "
        "seek seeing should verify verifies verified verifying watch"
    ),
    "German": _words(
        "achte achten beachte beachten beurteile beurteilen bewerte bewerten ermittle ermitteln prüfe prüfen "
        "schaue schauen siehe stelle stellen sicher überprüfe überprüfen untersuche untersuchen vergewissere"
    ),
    "French": _words(
        "assurez assurer assure évaluez évaluer évalue examinez examiner regardez vérifier vérifie vérifiez contrôler"
    ),
    "Spanish": _words(
        "asegúrate asegurar asegure comprobar comprueba evaluar evalúa evalúe examinar verifica verificar"
    ),
    "Italian": _words("assicurarsi assicurati assicurare controlla controllare esaminare valuta valutare verifica"),
    "Dutch": _words("beoordeel beoordelen bekijk controleer controleren kijk let zorg"),
    "Portuguese": _words("assegure avaliar avalie certifique confira garanta verificar verifique"),
}
# Where no task says what the texts are: what attributes call them.
KINDS_OF_TEXT = _words(
    "answer answers article articles essay essays reply replies response responses "
    "story stories summary summaries text texts artikel aufsatz text texte texten "
    "textes zusammenfassung résumé texto textos resumen testo testi samenvatting tekst resumo"
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The words left out of a set's topics, and the languages found: language -> texts, the most first."""

    words: frozenset[str]
    languages: dict[str, int]

    @property
    def note(self) -> str:
        """A sentence where the set mixes languages, else ""."""
        if len(self.languages) < 2:
            return ""
        found = ", ".join(f"{language} ({count})" for language, count in self.languages.items())
        return (
            f"The attributes are in several languages: {found}. Topics group words, so they can follow the languages "
            "instead of what is said."
        )


def language_of(text: str) -> str:
    """The language with most of its stop words in the text; "" where two have as many, or none has any."""
    words = Counter(unicode_tokens(text))
    hits = {language: sum(words[word] for word in listed) for language, listed in STOP_WORDS.items()}
    first, second = sorted(hits.values(), reverse=True)[:2]
    return max(hits, key=lambda language: hits[language]) if first > second else ""


def left_out(texts: Sequence[str], names: Iterable[str] = ()) -> LeftOut:
    """names: those of the dimension and the texts of the task; without any the usual kinds of text are left out."""
    counts = Counter(filter(None, map(language_of, texts)))
    enough = max(2, LEAST_SHARE * counts.total())
    found = {language: count for language, count in counts.most_common() if count >= enough}
    languages = found or dict(counts.most_common(1))
    words: set[str] = {token for name in names for token in unicode_tokens(name)} or set(KINDS_OF_TEXT)
    for language in languages or (ENGLISH,):
        words |= STOP_WORDS[language] | INSTRUCTIONS[language]
    return LeftOut(frozenset(words), languages)


SIMPLE_WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True, slots=True)
class WordCounts:
    """counts: (texts, words), rows as the texts were given; vocabulary sorted; sparse rows have sorted indices."""

    counts: sparse.csr_array
    vocabulary: tuple[str, ...]

    @property
    def with_words(self) -> NDArray[np.intp]:
        """Positions of the texts that have at least one word."""
        return np.flatnonzero(np.diff(self.counts.indptr))

    @property
    def different_texts(self) -> int:
        """How many texts are left when those with the same words the same number of times count once."""
        rows = np.split(np.arange(len(self.counts.data)), self.counts.indptr[1:-1])
        return len({(self.counts.indices[row].tobytes(), self.counts.data[row].tobytes()) for row in rows})

    def rows(self, positions: NDArray[np.intp]) -> "WordCounts":
        """Only these texts, with only the words they use."""
        picked = self.counts[positions]
        used = np.flatnonzero(np.asarray(picked.sum(axis=0)).ravel())
        return WordCounts(_sorted(picked[:, used]), tuple(self.vocabulary[i] for i in used))

    def in_several_texts(self) -> "WordCounts":
        """Only words that occur in two texts or more; all words where there is no such word."""
        texts_with = np.bincount(self.counts.indices, minlength=len(self.vocabulary))
        kept = np.flatnonzero(texts_with >= 2)
        if not len(kept):
            return self
        return WordCounts(_sorted(self.counts[:, kept]), tuple(self.vocabulary[i] for i in kept))

    def shuffled(self, rng: np.random.Generator) -> "WordCounts":
        """The words dealt anew at random: each text keeps its number of words, each word how often it occurs."""
        coordinates = self.counts.tocoo()
        times = coordinates.data.astype(np.intp)
        texts, words = np.repeat(coordinates.row, times), np.repeat(coordinates.col, times)
        dealt = sparse.coo_array((np.ones(len(words)), (texts, rng.permutation(words))), shape=self.counts.shape)
        return WordCounts(_sorted(sparse.csr_array(dealt)), self.vocabulary)

    def tf_idf(self) -> sparse.csr_array:
        """Counts times smoothed inverse document frequency, rows of length 1 (scikit-learn's definition)."""
        return sparse.csr_array(TfidfTransformer().fit_transform(self.counts))


def content_words(text: str, left_out: Collection[str] = ENGLISH_STOP_WORDS) -> list[str]:
    """Words of one text in order, stop words left out."""
    lowered = text.lower()
    found = SIMPLE_WORD.findall(lowered) if text.isascii() else _words_of_any_script(text)
    return [word for word in found if word not in left_out]


def count_words(texts: Sequence[str], left_out: Collection[str] = ENGLISH_STOP_WORDS) -> WordCounts:
    """Counts of content words; a vocabulary of none is a matrix without columns."""
    words = [content_words(text, left_out) for text in texts]
    if not any(words):
        return WordCounts(sparse.csr_array((len(texts), 0), dtype=np.float64), ())
    vectorizer = CountVectorizer(analyzer=list, dtype=np.float64)
    counts = _sorted(sparse.csr_array(vectorizer.fit_transform(words)))
    return WordCounts(counts, tuple(vectorizer.get_feature_names_out().tolist()))


def _words_of_any_script(text: str) -> list[str]:
    words: list[str] = []
    for unspaced, run in groupby(unicode_tokens(text), key=lambda token: bool(UNSPACED.match(token))):
        tokens = list(run)
        words.extend(_neighbours(tokens) if unspaced else [token for token in tokens if len(token) > 1])
    return words


def _neighbours(characters: Sequence[str]) -> list[str]:
    """Pairs of neighbours; a character that stands alone is a word of its own."""
    return [a + b for a, b in pairwise(characters)] or list(characters)


def _sorted(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sort_indices()
    return matrix
