# ruff: noqa: SIM905, E501 - tables of words read better as text, one phrase a line
"""The phrases by which a text denies: English and French, the usual ones of five others.

All patterns read text that is folded (small letters, no diacritics), with single spaces and with short forms
written out by `expand`: `don't` is `do not`, `can't` and `cannot` are `can not`, `n'est` is `ne est`.

`denial_patterns` gives one pattern per policy of a language. The policy says what must be asked about for the phrase to count:
`subject` what stands before it, `object` what stands after it, `either` one of the two, `open` nothing.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.tables.denials import (
    AFTER_KNOWLEDGE,
    EITHER,
    FR_SOURCE,
    OBJECT,
    OPEN,
    STORE,
    SUBJECT,
)
from pytest_graph_eval.metrics.facts.tables.denials import UNSPACED as _UNSPACED

Policy = Literal["subject", "object", "either", "open"]

_SHORT = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(?<=\w) ?n't\b", " not"),
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
    small = text.lower()
    if ("'" in small or "nt" in small or "cannot" in small) and _HAS_SHORT.search(text):
        for pattern, new in _SHORT:
            text = pattern.sub(new, text)
    return text


# The words without which nothing is denied, by language; `fail*` stands for all words that begin so.
_CUES = {
    "English": "not no never n't cannot unable unsure uncertain nothing none nowhere unknown unavailable undefined unregistered undisclosed "
    "unspecified unclear missing absent non* insufficient decline declines lack* beyond outside out fail* n/a na yet dont "
    "impossible idk neither nobody silent irrelevant unrelated empty null nan zero 0 doesnt didnt isnt arent wasnt werent couldnt wouldnt havent hasnt hadnt",
    "French": "ne n' pas plus point jamais aucun aucune rien nulle introuvable* inexistant* indisponible* inconnu* non "
    "impossible insuffisant* incap* ignor* absent*",
    "German": "nicht nichts kein* unbekannt",
    "Spanish": "no ningun* descono*",
    "Italian": "non nessun* sconosc*",
    "Portuguese": "nao nenhum* desconhec*",
    "Dutch": "niet niets geen",
    "Russian": "не нет ничего неизвест* отсутств*",
    "Polish": "nie brak",
}
_LANGUAGES: dict[str, tuple[str, ...]] = {}
for _language, _words in _CUES.items():
    for _word in _words.split():
        _LANGUAGES[_word] = (*_LANGUAGES.get(_word, ()), _language)


_BEGINNINGS = tuple(cue[:-1] for cue in _LANGUAGES if cue[-1] == "*")


@lru_cache(maxsize=16384)
def languages_of(word: str) -> tuple[str, ...]:
    """Return the languages in which a folded word is one that denials are made of, or begins like one."""
    exact = _LANGUAGES.get(word, ())
    if word.startswith(_BEGINNINGS):
        return (*exact, *(lang for cue in _BEGINNINGS if word.startswith(cue) for lang in _LANGUAGES[f"{cue}*"]))
    return exact


UNSPACED = re.compile(_UNSPACED)
CONDITION = re.compile(r"\b(?:if|when(?:ever)?|unless|whether|in case|si|lorsque|quand|wenn|falls|cuando)\b")
RELATIVE = re.compile(r"(?<=\w )(?:that|which|who|whom|whose|qui|dont|che|quien)(?: \w+ly| have| has| had)?\W*\Z")
REPORTED = re.compile(
    r"\b(?:false|untrue|incorrect|wrong|mistaken|not true|not the case|faux|inexact|falso|falsch) (?:that|to say|to claim|"
    r"to think|que|de dire|di dire|dass)\b|\b(?:contrary to|contrairement a)\b|"
    r"\b(?:do|does|did|would) not (?:think|believe|suppose)\b(?! so\b)|\bi doubt\b|"
    r"\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|inquired?|gefragt|demande[rz]?) (?:me |us |mich )?(?:whether|if|ob|si)\b"
)
NEGATION = re.compile(r"\b(?:not|never|no|pas|jamais|aucune?)\b")
# What stands after it is the one that does: nobody but, no feature other than.
EXCEPTED = re.compile(
    r"\b(?:no|none|nobody|nothing|never|not any\w*|aucune?|personne|rien)\b[^.;:]*?\b(?:but|except(?: for)?|other than|"
    r"besides|apart from|sauf|excepte|hormis|autre que|a part)(?: the| la| le| les)? \Z"
)
CONTRAST = re.compile(
    r"\b(?:but|however|though|although|still|that said|nevertheless|nonetheless|yet|maybe|perhaps|possibly|probably|mais|cependant|toutefois|pourtant|"
    r"neanmoins|aber|jedoch|pero|ma|tuttavia|mas|porem)\b"
)
GUESS = re.compile(
    r"\W*(?:but|however|still|that said|nevertheless|probably|likely|perhaps|maybe|possibly|presumably|roughly|approximately|about|"
    r"(?:from|based on|to) (?:my|general|prior|common) knowledge|i (?:would )?(?:think|believe|guess|estimate|assume|suspect)|my (?:best )?guess|it (?:is|was) (?:probably|likely)|"
    r"(?:it|he|she|they) (?:was|were|is|are) \w+(?:ed|t|n) (?:in|on|since|by)(?= .*\d)|it (?:may|might|could) be|"
    r"mais|cependant|toutefois|probablement|environ|peut-etre|je (?:pense|crois)|aber|pero)\b"
)
HELPFUL = re.compile(
    r"\b(?:you (?:can|could|may|might|should)|i (?:can|could) (?:help|look|try|search|offer)|please|try|ask|let me|vous pouvez|"
    r"je peux|veuillez|for example|such as|see|consult|refer|check|covers?|contains?|includes?)\b"
)
WEAK = re.compile(
    r"\b(?:available|included|present|listed|mentioned|given|shown|stated|reported|indicated|recorded|defined|provided|"
    r"specified|named|disponibles?|mentionnee?s?|indiquee?s?|precisee?s?|fournie?s?|presente?s?|definie?s?|listee?s?|"
    r"renseignee?s?)$"
)
LIMIT = re.compile(r" (?:in|on|for|by|with|when|where|if|to|dans|en|pour|sur|par|quand|si)\b")
PLACE_OR_TIME = re.compile(
    rf"\b(?:{STORE}|{FR_SOURCE}|knowledge|chunks?|passages?|excerpts?|materials?|information|answer|time|then|date|day|"
    r"moment|yet|period|year|now|instant|epoque|temps|jour|question|query|request|me|us|here|this|that|these|those|it|cette?|"
    r"ces|\d{4}|january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
LATER = re.compile(
    r"\b(?:later|afterwards?|subsequently|since then|not until|(?<!not )only (?:after|since|from|in|on|then|later|added|created|"
    r"introduced|registered|launched)|not \w+ until|(?:added|created|introduced|registered|launched|appeared|came|joined|arrived) (?:only|"
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
    "quello quella esse essa isto isso dat dit deze die".split()
)
GENERIC = frozenset(
    "relationship relationships edge edges path paths feature features object objects entity entities entry entries record records table column view metric metrics "
    "information info data detail details answer answers question questions query name item element field variable asset "
    "dataset document documents node concept term reference mention trace evidence result results match matches knowledge "
    "context documentation definition indication access figure figures value response anything nothing something "
    "objet entite entree entrees enregistrement enregistrements colonne vue metrique information informations donnee donnees "
    "reponse reponses nom champ resultat resultats correspondance mention reference element document documents chose "
    "objekt eintrag information informationen antwort daten tabelle spalte merkmal "
    "objeto entidad registro informacion respuesta datos dato tabla columna "
    "oggetto entita informazione informazioni risposta dati tabella colonna risultato risultati documento registro "
    "entidade informacao informacoes resposta dados tabela coluna resultado resultados registros informaciones".split()
)
_AFTER_KNOWLEDGE = re.compile(AFTER_KNOWLEDGE)


def names_thing(head: str) -> bool:
    """Tell whether an English noun phrase with a generic word in it names a thing of another kind: information desk."""
    words = head.split()
    last = max((i for i, word in enumerate(words) if word in GENERIC), default=len(words))
    following = words[last + 1 : last + 2]
    return bool(following and following[0].isalpha() and not _AFTER_KNOWLEDGE.fullmatch(following[0]))


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
        ("open", OPEN),
        ("subject", SUBJECT),
        ("object", OBJECT),
        ("either", EITHER),
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


_ROLE = (
    r"(?:ceo|cfo|coo|cto|chair\w*|president|director|owner|founder|manager|head|member|partner|author|part|among|listed|"
    r"employed|involved|geschaftsfuhrer\w*|vorstand\w*|direktor\w*|presidente|direttore|diretor|voorzitter)"
)


@cache
def negated_name(name: str) -> re.Pattern[str]:
    """Return the pattern of a name that is denied by what stands right before or after it; `name` as in the text."""
    articles = r"(?: (?:the|a|an|any|by|from|of|in|with|to|called|named|yet|even|le|la|les|de|du|des|un|une|par|der|die|das|den|dem|ein|eine|el|los|las|il|lo))*"
    deny = (
        r"(?:not|no|never|neither|nor|without|instead of|rather than|unlike|excluding|except(?: for)?|other than|pas|aucune?|"
        r"ni|sans|au lieu de|plutot que|hormis|sauf|nicht|kein\w*|niet|geen|zonder|ohne|statt|sin|senza|sem)"
    )
    nobody = r"(?:nobody|(?<!with )no (?:one|\w+)|nothing|none|personne|rien|niemand|kein\w* \w+|nadie|ningun[oa]? \w+|nessun[oa]?(?: \w+)?|ninguem|nenhum[a]? \w+)"
    called = r"(?:(?:is |was |are |were )?(?:named|called|titled|labell?ed)|(?:by|of|with) the name(?: of)?|nommee?|appelee?|du nom de|namens|genaamd|llamad[oa]|chiamat[oa]|chamad[oa])"
    verb = r"(?:do|does|did|has|have|had|is|are|was|were|can|could|will|would)"
    return re.compile(
        rf"\b(?:{deny}|no longer){articles} {name}\b"
        rf"|\b(?:no|non|nao) (?:es|fue|era|son|fueron|e|sono|erano|foi|foram|sao|eram)(?: stat[oaie])?{articles} {name}\b"
        rf"|\b(?:no|not|neither|nor|without|ni|aucune?|sans)\b[^.;:]*,? (?:or|nor|ou|ni)(?: the| a| an| le| la)? {name}\b"
        rf"|\b{nobody} {called} {name}\b"
        rf"|\b{verb} (?:not|never)(?! (?:only|just|merely))(?: \w+){{1,3}}? {name}\b"
        rf"|\b{name} (?:is|was|are|were) (?:not|never|no longer) (?:the|an?|its?|our|their|his|her|my|your|among|one of|part of|included|involved|"
        r"in|at|on|with|from|yet|there|here)\b"
        rf"|\b{name} never (?:was|were|is|has been|had been|became) (?:the|an?|its?|our|their|his|her|my|your|among|one of|part of|in|at|on)\b"
        rf"|\b{name} (?:ne |n)?(?:en )?(?:est|etait|sont|etaient) (?:pas|plus|jamais) (?:le|la|les|un|une|des|son|sa|ses|"
        r"leurs?|encore|dans|parmi)\b"
        rf"|\b(?:nothing to do with|unrelated to|no (?:link|connection|relation|relationship)s? (?:to|with|between)) {name}\b"
        rf"|\b{name} (?:(?:has|had) (?:no|nothing) (?:role|part|link|connection|relation|involvement|to do)|(?:is|was) unrelated)\b"
        rf"|\b(?:you|user|vous) (?:\w+ ){{0,2}}?(?:ask(?:ed)?|inquired?|demand(?:ez|e)|mention(?:ed|nez)?)(?: \w+){{0,3}}? {name}\W*\Z"
        rf"|\b(?:your|the|votre|la) question (?:is |was )?(?:about|on|regarding|concerning|sur|concernant) {name}\W*\Z"
        rf"|\b{name} (?:is|was) (?:not|never|no longer) {_ROLE}\b"
        rf"|\b{name} (?:does|did) not (?:work|belong|own|run|lead|serve|appear|head|manage)\b"
        rf"|\b{name} (?:ist|war|sind|waren|is|was) (?:nicht|nie|niemals|kein\w*|niet|nooit|geen) (?:mehr )?(?:de[rsn]?|die|das|het|ein\w*|een|{_ROLE})\b"
        rf"|\b{name} (?:no|non|nao) (?:es|fue|era|e|fu|foi)(?: stat[oa]| mas| piu| mais)? (?:el|la|il|lo|l|o|a|un[oa]?|uma?|{_ROLE})\b"
        rf"|{name} ?(?:は|が)[^、。]{{0,20}}(?:では|じゃ)(?:ありません|ない)|{name} ?[并並]?不是|不是 ?{name}"
        rf"|\b(?:all|everything|everyone|anything|anyone) but(?: the)? {name}\b"
        rf"|\bno longer(?: \w+){{1,2}}? {name}\b"
        rf"|\b{name} {verb} (?:not|never|no longer)(?: been)? (?:\w+ed|held|run|led|made|built|written|sold|bought) by\b"
        rf"|\b(?:whether|ob)\b(?! or not)[^.;:,]* {name}\b"
        rf"|\b{name} (?:nicht|niet)\W*\Z"
        rf"|\b(?:non|nao) (?!solo|so|soltanto|apenas|somente)(?:\w+ ){{1,2}}?(?:(?:a|o|al|la|il|lo|le|i|os|as|de|di|da|do|con|com) )?{name}\b"
        rf"|\bno (?:posee|tiene|compro|adquirio|vende|pertenece a|incluye|opera|controla|menciona|contiene)(?: (?:a|al|el|la))? {name}\b"
        rf"|\bне (?!только )(?:\w+ ){{1,2}}?{name}\b"
        rf"|{name} ?を[^、。]{{0,12}}(?:ません|ない|なかった)|(?:不|未|没有|沒有)(?:拥有|擁有|持有|包括|包含|收购|收購|生产|控股|控制|提及) ?{name}"
        rf"|\bbefore (?:the )?{name} (?:was|were|existed|came|had|is)\b|\bavant que (?:le |la )?{name}\b"
    )
