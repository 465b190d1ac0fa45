# ruff: noqa: SIM905, E501 - tables of words read better as text, one phrase a line
"""The phrases by which a text denies: English and French, the usual ones of German, Spanish, Italian, Portuguese.

All patterns read text that is folded (small letters, no diacritics), with single spaces and with short forms
written out by `expand`: `don't` is `do not`, `can't` and `cannot` are `can not`, `n'est` is `ne est`.

`denial_patterns` gives one pattern per policy of a language. The policy says what must be asked about for the phrase to count:
`subject` what stands before it, `object` what stands after it, `either` one of the two, `open` nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

__all__ = [
    "ANSWER_NOUNS",
    "CONDITION",
    "CONTRAST",
    "DEMONSTRATIVES",
    "GENERIC",
    "GUESS",
    "HELPFUL",
    "LATER",
    "LEAD_IN",
    "LIMIT",
    "NEGATIVE",
    "PLACE_OR_TIME",
    "PRONOUNS",
    "RELATIVE",
    "REPORTED",
    "SPEAKERS",
    "STOP_WORDS",
    "WEAK",
    "Policy",
    "cues",
    "denial_patterns",
    "expand",
    "languages_of",
    "negated_name",
]

Policy = Literal["subject", "object", "either", "open"]

_SHORT = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(?<=\w)n't\b", " not"),
        (r"\b(do|does|did|is|are|was|were|could|would|have|has|had)nt\b", r"\1 not"),
        (r"(?<=\w)'m\b", " am"),
        (r"(?<=\w)'re\b", " are"),
        (r"(?<=\w)'ve\b", " have"),
        (r"\b(there|it|that|he|she|what)'s\b", r"\1 is"),
        (r"\b([djnlmstc]|qu)'(?=\w)", r"\1e "),
    )
)
_HAS_SHORT = re.compile(r"'|\bcannot\b|\b\w{2,5}nt\b", re.IGNORECASE)


def expand(text: str) -> str:
    """Write short forms out; other characters and the case stay."""
    if _HAS_SHORT.search(text):
        for pattern, new in _SHORT:
            text = pattern.sub(new, text)
    return text


# --- building blocks ----------------------------------------------------------------------------------------------

_ADVERB = r"(?:(?:yet|currently|actually|really|even|ever|still|then|also|otherwise|at all|explicitly|\w+ly|been|be) )*"
_NOT = r"(?:not|never|no longer)(?! (?:only|just|merely|simply)\b)"
_AUX = r"(?:do|does|did|has|have|had|is|are|was|were|be|been|can|could|would|will|may|might)"
_STORE = (
    r"(?:(?:current|available|provided|given|supplied|retrieved) )?(?:catalog(?:ue)?|graph|database|data ?sets?|data|"
    r"records?|index|registry|store|knowledge (?:base|graph)|documents?|contexts?|sources?|list|filings?|reports?|texts?)"
)
_DONE = (
    r"(?:registered|found|available|listed|recorded|documented|present|defined|located|mentioned|specified|disclosed|"
    r"provided|included|reported|stated|given|indicated|identified|recogni[sz]ed|catalogu?ed|indexed|retrieved|"
    r"determined|answered|established|created|introduced|published|traceable|named|shown|cited|detailed|revealed|known(?! (?:for|to|as)\b)|"
    rf"(?:in|part of|among|within) (?:the|this|my|our|any)? ?{_STORE})"
)
_INFO = (
    r"(?:records?|trace|mention|evidence|sign|entry|entries|information|info|data|details?|results?|match(?:es)?|"
    r"documents?|knowledge|answers?|references?|context|documentation|definitions?|indication|figures?)"
)
_ABOUT = (
    r"(?= (?:of|for|about|on|regarding|concerning|matching|that|in|to|related|relating|with|available|found|provided|"
    r"exists?|existed)\b| (?:is|are|was|were|has been|can be|could be) (?:\w+ly )?(?:available|found|provided|given|"
    r"known|recorded|mentioned|present|returned|included)\b|\W*$)"
)
_TELL = (
    r"(?:know|find|locate|answer|provide|determine|say|tell|identify|retrieve|access|confirm|verify|give|help|assist|"
    r"recall|establish|calculate|compute|comment|see|detect|respond|share|offer|supply|look up|discern)"
)
_IS = r"(?:is|are|was|were|am|remains?|remained)"
_THERE = r"(?:is|are|was|were|has been|have been|had been|exists?|existed|(?:seem|appear)s? to be)"
_SPEAKER = r"(?:i|we|system|assistant|agent|model|tool|search|query)"
_CAN = r"(?:do|does|did|can|could|would|will)"
_SPEAK = r"(?:know|answer|say|tell|help|assist|respond)"
_HELD = (
    r"(?:access|that|this|the|any|enough|sufficient|an answer|it|them|such|specific|details?|information|info|data|"
    r"knowledge|a record|records?|context)"
)
_SAY = (
    r"(?:contain|mention|include|provide|specify|say|state|have|list|disclose|cover|indicate|give|show|report|reveal|"
    r"describe|explain|address|discuss|offer|answer|name|identify|hold|record)"
)
_SOURCE = (
    r"(?:documents?|contexts?|sources?|data(?:base|sets?)?|graph|catalog(?:ue)?|records?|texts?|passages?|filings?|"
    r"reports?|knowledge (?:base|graph)|information|materials?|chunks?|excerpts?|articles?|corpus|evidence|results?|files?)"
)
_FR_DONE = (
    r"(?:enregistre|trouve|retrouve|connu|disponible|repertorie|reference|liste|mentionne|precise|indique|fourni|"
    r"communique|present|defini|renseigne|identifie|documente|divulgue|cree|recense|inscrit|specifie|determine|"
    r"localise|catalogue|existant|existe)(?:e|s|es)?"
)
_FR_IS = r"(?:est|etait|sont|etaient|sera|serait|fut|a|ont|avait|avaient|peut|peuvent|pouvait|pouvaient)"
_FR_HAVE = r"(?:ai|avons|a)"
_FR_FIND = r"(?:trouver?|identifier?|localiser?|acces|connaissance|retrouver?)"
_FR_EXIST = (
    r"(?:existe|existait|existent|existaient|figure|figurait|figurent|figuraient|apparait|apparaissait|apparaissent)"
)
_FR_SAY = (
    r"(?:contien(?:t|nent)|mentionne(?:nt)?|precise(?:nt)?|fourni(?:t|ssent)|indique(?:nt)?|permet(?:tent)?|"
    r"donne(?:nt)?|compren(?:d|nent)|inclu(?:t|ent)|comporte(?:nt)?|cite(?:nt)?|di(?:t|sent))"
)
_ES_IS = r"(?:(?:se|ha|han|fue|fueron|esta|estaba|estan|estaban|es|era|sido|aun) )*"
_FR_ADVERB = r"(?:(?:encore|toujours|alors|deja|actuellement|malheureusement|plus|meme|\w+ment) )*"
_FR_INFO = (
    r"(?:informations?|donnees?|traces?|mentions?|reponses?|resultats?|correspondances?|enregistrements?|entrees?)"
)
_FR_TELL = r"(?:repondre|trouver|determiner|fournir|donner|dire|confirmer|identifier|acceder|aider|localiser|preciser|verifier)"
_FR_SOURCE = (
    r"(?:documents?|contextes?|sources?|donnees|graphe|catalogue|base|rapports?|textes?|passages?|extraits?|"
    r"informations?|fichiers?)"
)

# One phrase a line; a line that starts with `#` names the language. Counts when what stands before it is asked about:
_SUBJECT = rf"""
# English
(?:{_AUX} )?{_NOT} {_ADVERB}(?:exist(?:s|ed|ing)?|{_DONE})\b
\b(?:do|does|did) not {_ADVERB}appear\b(?! to\b)
\b(?:do|does|did) not {_ADVERB}(?:seem|appear) to (?:exist|be {_DONE})\b
nowhere to be found\b
non-?existent\b
yet to be (?:registered|created|added|defined|disclosed)\b
{_IS} (?:\w+ly )?(?:unknown|unavailable|undefined|unregistered|missing|absent|undisclosed|unspecified|unclear)\b
\bcan not be (?:answered|determined|found|located|identified|provided|established|confirmed|verified)\b
\bcan not be (?:computed|calculated|retrieved|derived|inferred)\b
# French
\b{_FR_IS} {_FR_ADVERB}(?:pas|plus|jamais|point) {_FR_ADVERB}(?:pu )?(?:ete |etre )?{_FR_ADVERB}{_FR_DONE}\b
\b{_FR_IS} {_FR_ADVERB}(?:pas|plus|jamais) {_FR_ADVERB}(?:dans|parmi) (?:le|la|les|ce|cette|ces|nos|mes) {_FR_SOURCE}\b
\b(?:introuvables?|inexistante?s?|indisponibles?|inconnue?s?|non {_FR_DONE})\b
\bnulle part\b
\b(?:est|sont|etait|etaient) absente?s? d(?:e|u|es)\b
# German
\bnicht (?:\w+ )?(?:gefunden|bekannt|verfugbar|registriert|vorhanden|angegeben|enthalten|aufgefuhrt|erwahnt)\b
\bnicht (?:\w+ )?(?:definiert|verzeichnet|auffindbar|ermittelt|beantwortet)\b
\bunbekannt\b
# Spanish
\bdesconocid[oa]s?\b
# Italian
\bsconosciut[oaie]\b
# Portuguese
\bdesconhecid[oa]s?\b
"""

# Counts when what stands after it is asked about:
_OBJECT = rf"""
# English
\bthere {_THERE} {_ADVERB}(?:no|not any|not an?|never any|nothing)\b(?! (?:longer|doubt|question|need|reason|guarantee)\b)
\bno such\b
\bno (?=(?:\w+ ){{0,3}}{_INFO}\b{_ABOUT})
\bno (?=(?:[\w'-]+ ){{1,8}}?(?:(?:{_IS}|has been|had been|have been) {_ADVERB}{_DONE}|exist(?:s|ed)?)\b)
\b(?:i|we) do not (?:think|believe)\b(?= .*\bexist(?:s|ed)?\b)
\bnothing (?:is known|was found|could be found|found|known|is available)\b(?: about| on| for| of)?
\b{_SPEAKER} (?:{_IS} |have been |has been )?(?:\w+ly )?(?:not able|unable) to (?:\w+ly )?{_TELL}\b
\b{_SPEAKER} (?:\w+ly )?{_CAN} not {_ADVERB}(?:be able to )?{_TELL}\b(?! (?:but|enough|wait)\b)
\b(?:i|we) (?:\w+ly )?(?:do|did|does) not (?:\w+ly )?(?:have|possess|hold)(?= {_HELD}\b)
\b(?:i|we) (?:\w+ly )?(?:have|had|found|find|see) no\b(?! (?:doubt|problem|objection|reason|choice)\b)
\b(?:i|we|search|query|system) fail(?:ed|s)? to {_TELL}\b
\b{_SOURCE}(?: \w+){{0,6}}? (?:do|does|did) not {_ADVERB}{_SAY}\b
\b{_SOURCE}(?: \w+){{0,4}}? (?:contains?|has|have|had|provides?|offers?|includes?|makes?) no\b
# French
\bil ne y (?:a|avait|avaient|eut|aura) {_FR_ADVERB}(?:pas|plus|point|aucune?|rien)(?: encore)?(?: de| du| des)?\b
\baucune?\b(?! doute)
\b(?:je|nous|on) (?:ne )?(?:trouve|trouvons|vois|voyons|connais|connaissons|possede) (?:pas|aucune?|rien)\b
\b(?:je|nous|on) (?:ne )?{_FR_HAVE} {_FR_ADVERB}(?:pas|rien|aucune?) {_FR_ADVERB}(?:pu |reussi a )?{_FR_FIND}\b
\b{_FR_SOURCE}(?: \w+){{0,6}}? ne {_FR_SAY} (?:\w+ment )?(?:pas|aucune?|rien)\b
# German
\b(?:gibt|gab)(?: es)? (?:\w+ ){{0,2}}kein(?:e|en|er)?\b
# Spanish
\bno (?:hay|habia|encontre|encontramos|encuentro)\b
# Portuguese
\bnao (?:ha|havia|encontrei|encontramos)\b
"""

# Counts when either is asked about:
_EITHER = rf"""
# French
\b(?:ne )?(?:se |y )?{_FR_EXIST} {_FR_ADVERB}(?:pas|plus|point|jamais|nulle part)\b
# German
\bexistier(?:t|te|en|ten) (?:\w+ ){{0,2}}nicht\b
# Spanish
\bno exist(?:en?|ian?|io|ieron)\b
\bno {_ES_IS}(?:encontr\w+|encuentra\w*|registrad[oa]s?|conocid[oa]s?|conoce\w*|disponibles?|mencion\w+|especific\w+)\b
# Italian
\bnon esist(?:e|eva|ono|evano)\b
\bnon (?:e|era|sono|erano) (?:\w+ )?(?:stat[oaie] )?(?:trovat|registrat|disponibil|present|menzionat|conosciut)\w*
# Portuguese
\bnao exist(?:em?|iam?|iu|iram)\b
\bnao (?:foi|foram|esta|estava|estao|e|era) (?:encontrad|registr?ad|disponive|conhecid|mencionad)\w*
"""

# Counts whatever it is about:
_OPEN = rf"""
# English
\b(?:i|we) (?:\w+ly )?(?:do|did|can|could|would) not (?:\w+ly )?{_SPEAK}\b(?! (?:about you|but|enough|wait)\b)
^(?:\W*(?:sorry|apologies|unfortunately|regrettably)\W*)?(?:not able|unable) to (?:\w+ly )?{_TELL}\b
\b(?:i|we) (?:\w+ly )?(?:have|had) no (?:\w+ )?(?:idea|information|data|knowledge|record|way of knowing)\b
\bno idea\b
\bnone (?:(?:was|were|is|are|could be) )?(?:found|available|registered|known|exist(?:s|ed)?)\b
\b(?:i|we) (?:am|are) not (?:entirely |quite )?(?:sure|certain|aware)\b
\b(?:insufficient|not enough|lacks?|lacking) (?:\w+ ){{0,2}}(?:information|data|context|evidence|details?)\b
\b(?:beyond|outside|out of) (?:of )?(?:my|our|the) (?:\w+ )?(?:scope|knowledge|capabilit(?:y|ies)|expertise)\b
\b(?:must|have to|will) decline\b
\bdeclines? to answer\b
\b(?:i|we) will not (?:answer|disclose)\b
# English, an answer that is nothing but a denial
^\W*(?:n/?a|unknown|no (?:answer|results?|data|information|match(?:es)?)(?: found| available)?|nothing found)\W*$
^\W*(?:not applicable|not {_DONE})\W*$
# French
^\W*pas (?:encore )?{_FR_DONE}\W*$
\bpas (?:de |assez de |suffisamment de ){_FR_INFO}\b
\b(?:je|nous|on) (?:ne )?(?:le )?(?:sais|savons|sait) pas\b(?! seulement)
\b(?:je|nous) (?:le )?ignor(?:e|ons)\b
\bne (?:peux|pouvons|peut|puis) {_FR_ADVERB}(?:pas )?{_FR_ADVERB}(?:vous |y )?{_FR_TELL}\b
\b(?:dispose|disposons|disposent) {_FR_ADVERB}(?:pas|aucune?)\b
\b(?:je|nous|on) (?:ne )?{_FR_HAVE} {_FR_ADVERB}(?:pas|aucune?) (?:de )?(?:cette |la )?{_FR_INFO}\b
\bpas (?:\w+ment )?(?:en mesure|capables?) de\b
\bimpossible (?:a |de )(?:\w+ )?{_FR_TELL}\b
\b(?:dans le incapacite|incapables?) de {_FR_TELL}\b
\baucune idee\b
# German
\bkein(?:e|en|er|erlei)? (?:\w+ )?(?:information\w*|angabe\w*|daten|hinweis\w*|antwort\w*|eintrag\w*|treffer)\b
\bich (?:weiss|kenne|finde|kann|konnte) (?:\w+ ){{0,6}}(?:nicht|keine?n?)\b
\b(?:weiss|kann) ich (?:\w+ ){{0,3}}nicht\b
# Spanish
\bno (?:lo |la )?se(?=\W*$| (?:la|el|que|cual|quien|cuando|cuanto|nada|si)\b)
\bdesconozco\b
\bno (?:puedo|podemos|es posible) (?:responder|encontrar|determinar|proporcionar|contestar)\b
\b(?:no (?:tengo|tenemos|hay|dispongo de|disponemos de)|ningun[ao]?) (?:\w+ )?(?:informacion|datos?|registros?)\b
# Italian
\bnon (?:lo )?so\b
\bnon (?:posso|possiamo|riesco a|sono in grado di) (?:rispondere|trovare|fornire|determinare)\b
\b(?:non (?:ho|abbiamo|ci sono)|nessun[ao]?) (?:\w+ )?(?:trovato|informazion\w+|dat[oi]|tracci\w|risultat\w)\b
# Portuguese
\bnao sei\b
\bnao (?:posso|consigo|e possivel) (?:responder|encontrar|determinar|fornecer)\b
\b(?:nao (?:tenho|temos|ha|disponho de)|nenhuma?) (?:\w+ )?(?:informac\w+|dados?|regist?ros?)\b
# Unspaced
不知道|未找到|不存在|没有找到|没有相关|无法回答|找不到|わかりません|分かりません|見つかりません|存在しません|情報がありません
"""

# The words without which nothing is denied, by language; `fail*` stands for all words that begin so.
_CUES = {
    "English": "not no never n't cannot unable nothing none nowhere unknown unavailable undefined unregistered undisclosed "
    "unspecified unclear missing absent non* insufficient decline declines lack* beyond outside out fail* n/a na yet dont "
    "doesnt didnt isnt arent wasnt werent couldnt wouldnt havent hasnt hadnt",
    "French": "ne n' pas plus point jamais aucun aucune rien nulle introuvable* inexistant* indisponible* inconnu* non "
    "impossible incap* ignor* absent*",
    "German": "nicht kein* unbekannt",
    "Spanish": "no ningun* descono*",
    "Italian": "non nessun* sconosc*",
    "Portuguese": "nao nenhum* desconhec*",
    "Unspaced": "不* 未* 没* 无* 找不* ません*",
}
_LANGUAGES: dict[str, tuple[str, ...]] = {}
for _language, _words in _CUES.items():
    for _word in _words.split():
        _LANGUAGES[_word] = (*_LANGUAGES.get(_word, ()), _language)


_BEGINNINGS = tuple(cue[:-1] for cue in _LANGUAGES if cue[-1] == "*")


def languages_of(word: str) -> tuple[str, ...]:
    """Return the languages in which a folded word is one that denials are made of, or begins like one."""
    exact = _LANGUAGES.get(word, ())
    if word.startswith(_BEGINNINGS):
        return (*exact, *(lang for cue in _BEGINNINGS if word.startswith(cue) for lang in _LANGUAGES[f"{cue}*"]))
    return exact


def cues(folded: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return where words stand that denials are made of, and the languages whose phrases they are part of."""
    found = []
    for cue, languages in _LANGUAGES.items():
        word = cue.rstrip("*")
        at = folded.find(word)
        while at >= 0:
            end = at + len(word)
            opens = word[0] in "n'不未没无找ま" and not word.isascii()
            begins = opens or word == "n't" or not folded[at - 1 : at].isalnum()
            if begins and (cue[-1] in "*'" or not folded[end : end + 1].isalnum()):
                found.append((at, languages))
            at = folded.find(word, end)
    return found


CONDITION = re.compile(r"\b(?:if|when(?:ever)?|unless|whether|in case|si|lorsque|quand|wenn|falls|cuando)\b")
RELATIVE = re.compile(r"(?<=\w )(?:that|which|who|whom|whose|qui|dont|che|quien)(?: \w+ly| have| has| had)?\W*\Z")
REPORTED = re.compile(
    r"\b(?:false|untrue|incorrect|wrong|mistaken|not true|not the case|faux|inexact|falso|falsch) (?:that|to say|to claim|"
    r"to think|que|de dire|di dire|dass)\b|\b(?:contrary to|contrairement a)\b"
)
CONTRAST = re.compile(
    r"\b(?:but|however|though|although|still|that said|nevertheless|nonetheless|yet|mais|cependant|toutefois|pourtant|"
    r"neanmoins|aber|jedoch|pero|ma|tuttavia|mas|porem)\b"
)
GUESS = re.compile(
    r"\W*(?:but|however|still|that said|nevertheless|probably|likely|perhaps|maybe|roughly|approximately|about|"
    r"i (?:would )?(?:think|believe|guess|estimate|assume|suspect)|my (?:best )?guess|it (?:is|was) (?:probably|likely)|"
    r"mais|cependant|toutefois|probablement|environ|peut-etre|je (?:pense|crois)|aber|pero)\b"
)
HELPFUL = re.compile(
    r"\b(?:you (?:can|could|may|might|should)|i (?:can|could) (?:help|look|try|search|offer)|please|try|let me|vous pouvez|"
    r"je peux|veuillez|for example|such as|see|consult|refer|check|covers?|contains?|includes?)\b"
)
WEAK = re.compile(
    r"\b(?:available|included|present|listed|mentioned|given|shown|stated|reported|indicated|recorded|defined|provided|"
    r"specified|named|disponibles?|mentionnee?s?|indiquee?s?|precisee?s?|fournie?s?|presente?s?|definie?s?|listee?s?|"
    r"renseignee?s?)$"
)
LIMIT = re.compile(r" (?:in|on|for|by|with|when|where|if|to|dans|en|pour|sur|par|quand|si)\b")
PLACE_OR_TIME = re.compile(
    rf"\b(?:{_STORE}|{_FR_SOURCE}|knowledge|chunks?|passages?|excerpts?|materials?|information|answer|time|then|date|day|"
    r"moment|yet|period|year|now|instant|epoque|temps|jour|question|query|request|here|this|that|these|those|it|cette?|"
    r"ces|\d{4}|january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
LATER = re.compile(
    r"\b(?:later|afterwards?|subsequently|since then|not until|only (?:after|since|from|in|on|then|later|added|created|"
    r"introduced|registered|launched)|(?:added|created|introduced|registered|launched|appeared|came|joined|arrived) (?:only|"
    r"after|since)|plus tard|par la suite|ulterieurement|ensuite|seulement|apres coup|spater|erst|despues|depois|dopo)\b"
)
LEAD_IN = re.compile(
    r"^.*\b(?:seems?|appears?|says?|shows?|means?|indicates?|confirm\w*|notes?|believe|think|fear|afraid|true|semble|indique\w*|"
    r"signifie|dit|crains) (?:that|que) "
)
NEGATIVE = frozenset("nothing none nobody neither no rien aucun aucune nichts".split())
SPEAKERS = frozenset(["i", "we", "you", "je", "nous", "vous", "ich", "wir"])
PRONOUNS = frozenset(
    "it this that they these those he she him her them such il elle ils elles cela ca ce ceci celui-ci celle-ci es er sie "
    "dies das ello ella ellos ele ela esso essa lui".split()
)
DEMONSTRATIVES = frozenset(
    "this that these those such ce cet cette ces dieser diese dieses este esta estos estas ese esa questo questa quel "
    "quello quella esse essa isto isso".split()
)
GENERIC = frozenset(
    "feature features object objects entity entities entry entries record records table column view metric metrics "
    "information info data detail details answer answers question questions query name item element field variable asset "
    "dataset document documents node concept term reference mention trace evidence result results match matches knowledge "
    "context documentation definition indication access figure figures value response anything nothing something "
    "objet entite entree entrees enregistrement enregistrements colonne vue metrique information informations donnee donnees "
    "reponse reponses nom champ resultat resultats correspondance mention reference element document documents chose "
    "objekt eintrag information informationen antwort daten tabelle spalte merkmal "
    "objeto entidad registro informacion respuesta datos dato tabla columna "
    "oggetto entita informazione informazioni risposta dati tabella colonna "
    "entidade informacao informacoes resposta dados tabela coluna".split()
)
ANSWER_NOUNS = frozenset(
    "date time year day number count amount total name person location place reason cause price cost percentage rate sum "
    "annee jour nombre montant total nom personne lieu raison cause prix cout pourcentage taux datum jahr zahl grund preis".split()
)
STOP_WORDS = frozenset(
    "the a an of in on at to for from by with and or is are was were be been do does did has have had what which who whom "
    "whose when where why how much many there it its this that these those as about into than then tell me give please can "
    "could would will i we you they he she my our your their name list show find le la les l un une des du de d et ou est "
    "sont etait etaient quel quelle quels quelles qui que quoi quand combien comment dans sur pour par avec au aux en il elle "
    "der die das ein eine und oder ist sind war waren was wer wie wann wo el los las una y o es son que quien cuando cuanto "
    "e il lo gli uno che chi quando quanto os as um uma qual quem not no".split()
)


@cache
def denial_patterns(language: str) -> tuple[tuple[Policy, re.Pattern[str]], ...]:
    """Return one pattern per policy of a language, compiled on first use."""
    tables: tuple[tuple[Policy, str], ...] = (
        ("open", _OPEN),
        ("subject", _SUBJECT),
        ("object", _OBJECT),
        ("either", _EITHER),
    )
    lines = ((policy, _lines(table, language)) for policy, table in tables)
    return tuple((policy, re.compile("|".join(f"(?:{p})" for p in found))) for policy, found in lines if found)


def _lines(table: str, language: str) -> list[str]:
    found, current = [], ""
    for line in filter(None, table.splitlines()):
        if line.startswith("# "):
            current = line[2:].partition(",")[0]
        elif current == language:
            found.append(line)
    return found


@cache
def negated_name(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that is denied by what stands right before or after it; `name` as in the text."""
    articles = r"(?: (?:the|a|an|any|by|from|of|in|with|to|called|named|yet|even|le|la|les|de|du|des|un|une|par))*"
    deny = (
        r"(?:not|no|never|neither|nor|without|instead of|rather than|unlike|excluding|except(?: for)?|other than|pas|aucune?|"
        r"ni|sans|au lieu de|plutot que|hormis|sauf|nicht|kein\w*|ohne|statt|sin|senza|sem)"
    )
    verb = r"(?:do|does|did|has|have|had|is|are|was|were|can|could|will|would)"
    return re.compile(
        rf"\b{deny}{articles} {name}\b"
        rf"|\b(?:no|not|neither|nor|without|ni|aucune?|sans)\b[^.;:]*,? (?:or|nor|ou|ni)(?: the| a| an| le| la)? {name}\b"
        rf"|\b{verb} (?:not|never)(?! (?:only|just|merely))(?: \w+){{1,3}}? {name}\b"
        rf"|\b{name} (?:is|was|are|were) (?:not|never|no longer) (?:the|an?|our|their|among|one of|part of|included|involved|"
        r"in|at|on|from|yet|there|here)\b"
        rf"|\b{name} (?:ne )?(?:est|etait|sont|etaient) (?:pas|plus|jamais) (?:le|la|les|un|une|des|encore|dans|parmi)\b"
        rf"|\bbefore (?:the )?{name} (?:was|were|existed|came|had|is)\b|\bavant que (?:le |la )?{name}\b"
    )
