"""Closed lists of English words that the measures of form and wording look for."""

from app.domain.wording.english_words import AUXILIARIES, CONTRACTIONS
from app.rules.tokens import word_set

_OTHER_VERBS = word_set(
    "be been am shall hadn't i'm it's "
    "that's he's she's they're we're you're i've says said say tells told goes went go gone comes came come makes "
    "made make takes took take gets got get gives gave give sees saw see knows knew know thinks thought think finds "
    "found find leaves left leave keeps kept keep begins began begin becomes became become holds held hold brings "
    "brought bring wins won win loses lost lose leads led lead meets met meet runs ran run pays paid pay sends sent "
    "send falls fell fall feels felt feel wants want needs need claims claim insists insist shows show believes "
    "believe plays play works work lives live helps help faces face hits hit puts put sets set beats beat includes "
    "include remains remain appears appear seems seem looks look likes like love loves hope hopes agree ask asks "
    "told wrote writes write read reads spoke speaks speak stood stands stand sat sits grew grows grow drew knew "
    "broke shot fought caught taught bought built cut dealt drove ate flew forgot rose struck threw wore understood "
    "use uses try tries start starts turn turns call calls mean means allow allows cause causes"
)
VERBS = AUXILIARIES | CONTRACTIONS | _OTHER_VERBS
DETERMINERS = word_set("a an the his their its our your my every")
NEVER_AFTER_DETERMINER = word_set(
    "is are was were be been has have had may might could would should must and or of to in on at by for with from "
    "the a an he she it they we his their its our your my who which that because"
)
DANGLING = word_set(
    "a an the of to and or but with from by for at as their its our my your than because which who whose may might "
    "be been into between during"
)
OPINION = word_set(
    "i me my mine we our us you your amazing awesome terrible horrible great best worst wonderful beautiful love "
    "hate unfortunately sadly hopefully obviously clearly surely honestly perhaps maybe disgraceful shameful "
    "incredible fantastic stupid lovely boring funny silly nice"
)
SUBORDINATORS = word_set(
    "because although though while when since until if unless whereas whether that which who whom whose where after "
    "before as"
)
