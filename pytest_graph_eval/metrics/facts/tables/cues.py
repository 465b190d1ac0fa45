"""Words around a figure or a date that change what it says: rise and fall, labels, bounds, denials, small words.

All words are folded as `page.Page.lower` is.
"""

from __future__ import annotations

from typing import Literal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import fold


def phrases(*lines: str, between: str | None = None) -> frozenset[str]:
    """Return the words of some lines, or the phrases that `between` separates, folded."""
    return frozenset(fold(word) for line in lines for word in line.split(between))


# --- directly after a figure --------------------------------------------------------------------------------------

PERCENT = phrases(
    "percent,per cent,pct,pour cent,p. cent,p.cent,prozent,por ciento,por cento,per cento,procent,procento,процент,"
    "процента,процентов,بالمئة,بالمائة,في المئة,في المائة,درصد,प्रतिशत,phần trăm,yüzde",
    between=",",
)
# Points of a percentage, and how many of them make one point.
POINTS: dict[str, int] = {
    **dict.fromkeys(
        phrases(
            "percentage point,percentage points,percent point,percent points,pp,pps,p.p,ppt,ppts,pt,pts,point,points,"
            "percentage-point,points de pourcentage,point de pourcentage,prozentpunkt,prozentpunkte,prozentpunkten,"
            "punto porcentual,puntos porcentuales,punti percentuali,punto percentuale,pontos percentuais,"
            "ponto percentual,procentpunten,процентных пункта,процентных пунктов,п.п",
            between=",",
        ),
        1,
    ),
    **dict.fromkeys(
        phrases(
            "bp,bps,basis point,basis points,basispunt,basispunten,point de base,points de "
            "base,pb,pdb,basispunkt,basispunkte,basispunkten,"
            "punto basico,puntos basicos,punti base,pontos base,pontos-base",
            between=",",
        ),
        100,
    ),
}
# The same words in scripts without spaces: what they make of a figure, and how many of them make one point.
CJK_MARKS: dict[str, tuple[Literal["percent", "points"], int]] = {
    **dict.fromkeys(phrases("パーセント 퍼센트"), ("percent", 1)),
    **dict.fromkeys(phrases("パーセントポイント ポイント 个百分点 個百分點 百分点 百分點 포인트"), ("points", 1)),
    **dict.fromkeys(phrases("ベーシスポイント 个基点 個基點 基点 基點 베이시스포인트"), ("points", 100)),
}

ORDINAL_SUFFIXES = phrases("st nd rd th er re ere ers eres e eme emes ieme nde de ste º ª o a й я")

# --- directly before a figure -------------------------------------------------------------------------------------

MINUS = phrases("minus negative moins negatif menos negativo meno")
PLUS = phrases("positive")
# At least, at the least: what follows is no sign.
NO_SIGN_AFTER = phrases("au du le de al lo el los as pelo ao o not or par")
APPROXIMATE = phrases(
    "about approximately approx approx. around roughly some nearly almost circa ca ca. c. environ presque quelque",
    "etwa rund ungefähr fast knapp unos unas aproximadamente casi alrededor quase cerca quasi all'incirca ~ ≈ over",
)
# A word that makes the figure after it a label.
LABELS = phrases(
    "section sections sec sec. § §§ article articles art art. chapter chapters chap ch. chapitre note notes footnote",
    "item items slide slides folie diapositive",
    "page pages p. pp. seite s. figure figures fig fig. table tableau tabelle exhibit appendix annex",
    "annexe form version versions v. ver ver. rev release build no. nos. nr nr. n° nº № numéro num. # step steps étape",
    "schritt clause paragraph para para. paragraphe volume vol vol. issue part phase level tier question q. chunk",
    "stage grade http",
    "chunks line ligne zeile rule port room route flight model type class category id id: ids id. ref ref. reference",
    "entity entities relationship relationships report reports source sources doc document isbn issn iso rfc windows",
    "asc ifrs ias asu sfas basel cusip isin cik zip zipcode postcode plz code codes war",
    "python abschnitt artikel kapitel sección artículo página capítulo sezione articolo seção artigo",
)
# Of these, the ones that are verbs as well (they form 12 teams): with a noun after the figure they need a capital.
VERBS_TOO = phrases(
    "para form note report reports issue release build model source line exhibit page type class question step stage "
    "grade"
)
# A word that makes four digits after it a year.
YEAR_BEFORE = phrases(
    "in since during by until till of year years fiscal fy cy before after circa mid early late from to and for",
    "through between or than vs versus summer winter spring autumn calendar ending ended copyright © quarter half",
    "end january february march april may june july august september october november december jan feb mar apr jun",
    "jul aug sep sept oct nov dec q1 q2 q3 q4 h1 h2 en depuis avant après année exercice fin début courant im seit",
    "jahr jahre bis ab vor nach ende anfang desde año nel dal del anno dopo prima em antes depois de em au vers um",
)
# A word that makes four digits after it the number or the name of something else.
NO_YEAR_AFTER = phrases(
    "room page pages p. pp. seite route flight line rule section sections § article art. no. nr. nº n° № number suite",
    "iso iec din rfc zimmer raum chambre salle server windows studio port id id: ticket asu sku cve",
)
# Of these, the ones that introduce a count as well: a total of 2023 stores.
YEAR_OR_COUNT_BEFORE = phrases("of and or to from than for by through between with vs versus de del a")
# Before two digits: H1 23, FY 23.
PERIODS = phrases("fy cy q1 q2 q3 q4 h1 h2 s1 s2 t1 t2 t3 t4")
# Open ranges: the figure after them is a limit, not the value.
BOUNDS = re.compile(
    r"(?:more|fewer|less|(?:great|high|low|larg|small|tall|long|short|old|young|heavi|deep|wid|fast|slow|lat|earli|"
    r"rich|cheap)er)"
    r" than|at (?:least|most)|no (?:more|fewer|less) than|"
    r"(?<!went )(?<!rose )(?<!grew )(?<!gone )(?<!goes )(?<!climbed )(?<!jumped )(?<!moved )(?<!risen )up to|"
    r"\b(?:(?:plus|moins) d[e']|au (?:moins|plus|maximum|minimum)|jusqu'a|mehr als|weniger als|mindestens|hochstens|"
    r"maximal|wenigstens|bis zu|(?<!verfugt )(?<!verfugen )(?<!verfugte )(?<!berichtet )(?<!informiert )uber|"
    r"(?:mas|menos) de|como (?:maximo|minimo)|por lo menos|"
    r"(?<!crecio )(?<!subio )(?<!llego )(?<!aumento )(?<!bajo )(?<!cayo )hasta|"
    r"(?<!salito )(?<!salita )(?<!saliti )(?<!sceso )(?<!scesa )(?<!cresciuto )(?<!arrivato )fino a|al massimo|oltre|"
    r"no (?:maximo|minimo)|meer dan|minder dan|minstens|hoogstens|maximaal|minimaal|ten minste|"
    r"(?<!steeg )(?<!daalde )(?<!gestegen )(?<!gedaald )(?<!groeide )tot|более|менее|больше|меньше|свыше|ponad|"
    r"(?:mniej|wiecej) niz|co najmniej|(?:maximum|minimum|max|min) of|north of|south of)|"
    r"超过|超過|不到|不足|至少|至多|最多|最少|少于|多于|少なくとも|最大で?|최소|최대|"
    r"al menos|piu di|meno di|almeno|mais (?:de|que|do que)|pelo menos|exceed(?:s|ed|ing)?|[<>≥≤]=?|"
    r"(?:\A|[.:;,(|\n] ?|\b(?:and|are|had|has|have|is|just|of|operates?|employs?|owns?|runs?|slightly|was|well|were|"
    r"with) )(?:over|under|above|below)|in excess of|upwards? of"
)
# Of these, the ones that say it of shares and amounts as well. `24 %, less than 25 % in 2022` compares two values,
# `just under 5 %` and `more than $5 million` are roundings, `up to` and `at least` name limits that may be asked for.
BELOW = (
    r"(?<!, )\b(?<!no )(?<!not )(?<!just )(?<!slightly )(?<!little )(?:(?:less|fewer) than|under|below|moins de|"
    r"weniger als|"
    r"unter|menos (?:del?|que|do que)|meno (?:di|del)|minder dan|onder|менее|меньше|mniej niz|ponizej)|(?<![\w<-])<|"
    r"不到|不足|少于|低于|小于"
)
ABOVE = (
    r"(?<!, )\b(?<!no )(?<!not )(?<!just )(?<!slightly )(?<!little )(?:more than|above|exceed(?:s|ed|ing)?|plus de|"
    r"mehr als|(?<!verfugt )(?<!verfugen )(?<!verfugte )uber|"
    r"mas del?|piu (?:di|del)|mais (?:de|que|do que)|meer dan|boven|более|больше|свыше|ponad|wiecej niz)|"
    r"(?<=[^\n>=-])>|超过|超過|多于|高于|大于"
)
BOUND_AFTER = re.compile(
    r"\+|-plus\b| or (?:more|fewer|less)\b| ou (?:plus|moins)\b| plus(?=[.,; ]|\Z)| at (?:least|most)\b|"
    r" (?:more|fewer|less)(?: [a-z]+){1,3} than\b| oder (?:mehr|weniger)\b| o (?:mas|menos|piu|meno)\b| ou (?:mais|"
    r"menos)\b|"
    r" of (?:meer|minder)\b| [a-z]+ or (?:more|fewer|less)\b(?! (?:than\b|[a-z]+s\b))| [a-z]+ at (?:most|"
    r"least)(?=[.,;!)]|\Z)|"
    r"[^\d\s、。，,%]{0,3}?(?:以上|以下|未満|未满|を?超え|を上回|を下回|以内|이상|이하|미만|초과)"
)

# --- rise and fall ------------------------------------------------------------------------------------------------

RISING = re.compile(
    r"\b(?:rose|risen?|rises|rising|grew|grown?|grows|growing|growth|increas\w*|climb\w*|gain(?:s|ed|ing)?|up|higher|"
    r"jump\w*|surg\w*|soar\w*|improv\w*|expan\w+|advanc\w*|rall(?:y|ied)|rais(?:e[sd]?|ing)|lift(?:s|ed)|hike[sd]?|"
    r"boost\w*|augment\w*|hausse|progress\w*|croissan\w*|"
    r"cru|grimp\w*|bondi|gestiegen|steig\w*|stieg\w*|zunahm\w*|zugenommen|wuchs\w*|wachs\w*|gewachsen|zuwachs\w*|"
    r"zu(?= ?(?:[.,;!]|\Z))|uber(?=\Z| (?:dem|der|den|vorjahr|plan)\b)|"
    r"steeg|stegen|stijg\w*|gestegen|groei\w*|gegroeid|toename|toegenomen|hoger|"
    r"вырос\w*|рост\w*|увелич\w*|повыс\w*|повыш\w*|прирост\w*|прибав\w*|"
    r"aument\w*|subi\w*|subieron|crec\w*|cresc\w*|salit\w*|salgono|incremento\w*|alza|rialzo|alta)\b"
)
FALLING = re.compile(
    r"\b(?:fell|falls?|fallen|falling|decreas\w*|declin\w*|drop(?:s|ped|ping)?|down|lower(?:ed)?|reduc\w*|"
    r"shr[aiu]nk\w*|"
    r"slump\w*|slid|slides?|slip(?:s|ped|ping)?|plung\w*|plummet\w*|contracted|contraction|loss(?:es)?|lost|loses?|"
    r"unter(?=\Z| (?:dem|der|den|vorjahr|plan)\b)|daling\w*|daald?e?n?|daalt|gedaald|afname|afgenomen|verlies\w*|"
    r"gekrompen|lager|"
    r"сниз\w*|сниж\w*|упал\w*|сократ\w*|сокращ\w*|паден\w*|уменьш\w*|убыт\w*|"
    r"deficit|negative(?: (?:growth|gain|return|change|progress\w*))?|"
    r"worse\w*|weaken\w*|cut|cuts|dip(?:s|ped)?|tumbl\w*|sank|sanken|sinks?|sunk|erod\w*|shortfall|"
    r"outflows?|narrow(?:s|ed|ing)?|compress\w*|less|fewer|baiss\w*|diminu\w*|recul\w*|chut\w*|perd\w+|perte\w*|repli|"
    r"retrait|decru|gesunken|sinken|sinkt|"
    r"ruckgang\w*|gefallen|fiel\w*|verlust\w*|gesenkt|abnahm\w*|abgenommen|minus|"
    r"zuruckgegangen|(?:zuruck|ab)(?= ?(?:[.,;!]|\Z))|cayo|cay\w+|caid\w*|baj\w+|descen\w*|"
    r"disminu\w*|perdida\w*|calo|calat\w*|scend\w*|sces\w*|dimin\w*|perdit\w*|queda|caiu|cairam|reduz\w*|prejuizo)\b"
)
# The same without spaces, and what makes the figure behind it the level that was reached.
RISING_UNSPACED = "増加|上昇|増収|増益|成長|伸び|増え|增长|增長|增加|上升|上涨|上漲|成长|提高|提升|증가|상승|성장"
FALLING_UNSPACED = (
    "減少|低下|下落|減収|減益|減り|下がり|下降|减少|下跌|下滑|降低|缩减|縮小|亏损|虧損|損失|赤字|감소|하락"
)
LEVELS_UNSPACED = ("至", "到", "为", "為")
# Directly before a figure: it is a level that was reached, not the change. The French one keeps its accent.
LEVELS = phrases("from to at than reach reached reaching auf von bei desde hasta fino tot naar до с")

# --- ranges -------------------------------------------------------------------------------------------------------

# Before the first of two figures, and what stands between the two then.
RANGE_OPENERS = phrases("between entre zwischen tra fra между")
RANGE_LINKS = phrases("and et und y e и -")
# What stands between the two when nothing opens them.
RANGE_WORDS = phrases("- ~ to through à bis hasta até fino tot 到 至 から")
# `from X to Y` states both where something changed, and is a range everywhere else.
FROM = phrases("from de von da desde du")
# `by $5 billion to $20 billion` states a change and where it ended.
BY = phrases("by um por")
CHANGES = re.compile(
    r"\b(?:chang\w*|went|moved|go(?:es|ing)?|swung|swing|passe\w*|evolu\w*|delta|passat[oaie]|pasaron|passaram|"
    r"revis\w*|restat\w*|corrected|"
    r"adjusted|amended|updated|mov\w*|paso|passou)\b"
)
SPREADS = re.compile(r"\b(?:rang|var|spann?)\w* (?:from|de) ?\Z")
# Right after both: from $572.8B to $611.3B (+6.7%); ..., up 6.7%; ..., a 6.7% increase.
CHANGE_AFTER = re.compile(
    r"[,:]? ?[(\[]?(?:[+-](?=[^\w\s]{0,2}\d)|(?:up|down|plus|minus|soit|en (?:hausse|baisse))\b(?! to\b))|"
    r"(?:,| ?\() ?(?:an? |une? )?(?:[^\s,;]*\d[^\s,;]* ){0,2}(?:increase|decrease|rise|drop|decline|gain|change|growth|"
    r"hausse|baisse|augmentation|diminution)\b"
)

# --- denials ------------------------------------------------------------------------------------------------------

# Walking back from a figure or date over small words (`FILLERS`): one of these means that it is stated only to be
# denied. Any other word ends the walk, so `not only 12`, `not until 1 March` and `no more than 12` deny nothing.
DENIERS = phrases(
    "not cannot never neither nor hardly scarcely pas jamais nicht kein keine keinen keiner nunca non nao niet geen "
    "не nie"
)
# These deny with their companion after them only: rather than 12, far from 12, au lieu de 12.
DENIERS_WITH = {"rather": "than", "instead": "of", "opposed": "to", "far": "from", "nowhere": "near", "plutot": "que",
                "lieu": "de", "lugar": "de", "vez": "de", "anstatt": "", "statt": "", "invece": "di"}  # fmt: skip
FILLERS = phrases(
    "exactly about approximately at on in of de d du a au the an to than from as que is was were be been being equal",
    "have has had having contain contains include includes reach reached total totalled totaled amount amounted",
    "compte compter contient le la les l en der die das den am el il o actually really simply there are any worth",
    "also stand stood end ended close closed start started happen happened occur occurred employ employs run own",
    "hold report reported earn earned post posted generate record recorded pay paid cost costs mean equals even it",
    "its es fue era son fueron hay tiene e di foi tem avere y est sont sind ist war by mit von zu s'élève élève",
    "opened launch launched merge merged sign signed die begin arrive join leave expire",
    "expected planned forecast predicted promised projected budgeted claimed previous usual",
    "quite nearly near close means measures measure measured weigh weighs tall high long wide deep old mesure mesurent",
    "mesurait pèse vaut coûte dure misst beträgt betrug wiegt kostet dauert hoch lang breit mide miden pesa pesan vale",
    "cuesta dura alta alto alti alte largo larga lungo lunga tem têm",
    "sono são zijn waren werden het nel nell em im",
    "yet élevait s sales revenue revenues n ne rise fall grow increase decrease decline drop gain lose exceed surpass",
)
FALSE_THAT = re.compile(
    r"(?:(?:(?:n't|\bnot) (?:true|correct|right|accurate)|\b(?:false|untrue|incorrect|wrong|a mistake|faux|inexact|"
    r"falsch|falso)) (?:that|to say|qu[e']|dass|che|de)|"
    r"(?:n't|\bnot) the case that|\b(?:whether|(?:asked?|wonder(?:s|ed)?) (?:me |us )?if|"
    r"(?:do|does|did|would)(?:n't| not) (?:think|believe|suppose)|i doubt|"
    r"no (?:evidence|indication|proof|sign|record) that|"
    r"(?:can(?:not|'t| not)|could(?:n't| not)) (?:confirm|verify|say|tell|prove|establish)(?: you)? "
    r"(?:that|whether|if)|"
    r"not (?:to be )?confused? (?:\w+ )?with|contrary to (?:the |a |any )?(?:\w+ ){1,3}of|"
    r"would have (?:been|reached|totall?ed|made|earned|had)|aurait (?:ete|atteint)|waren? es gewesen|habria sido|"
    r"(?:nobody|no one|no-one) (?:claim|say|said|think|thought|believe|suggest)(?:s|d|ed)?|"
    r"if [^,;:.]{1,40} (?:were|had)|si [^,;:.]{1,40} (?:etait|etaient|avait|avaient|mesurait)|"
    r"(?:je|nous|on) ne (?:pense|crois|pensons|croyons) pas qu[e']))(?=[^,;:]*\Z)"
)
FALSE_WORDS = phrases(
    "would aurait waren ware habria contrary confuse confused whether ask asked wonder wonders wondered",
    "if si nobody one no-one evidence indication proof sign record confirm verify say tell prove establish",
    "false true untrue incorrect wrong mistake correct right accurate faux fausse inexact inexacte incorrecte falsch",
    "falso incorrecto not case think believe suppose doubt pense crois pensons croyons",
)
# Without spaces: 12ではなく13, 不是12.
DENIED_AFTER_UNSPACED = re.compile(
    r"[^\d\s、。，,；：:]{0,6}?(?<!だけ)(?<!のみ)(?:では|じゃ|で)(?:なく|ない|あり?ません)|"
    r"[^\d、。，,；：:]{0,5}?[이가] 아니"
)
DENIED_BEFORE_UNSPACED = re.compile(r"(?<!是)(?:不是|并非|並非|而非|不足) ?[约約]? ?\Z")
# After the figure: 12 is wrong.
FALSE_AFTER = re.compile(
    r"(?:[^.;,\n]{0,24}?|, (?:but|which|though|and)(?: that| this| it)? )\b"
    r"(?:is|are|was|were|would be|est|serait|ist|es) (?:not (?:correct|right|true|accurate|"
    r"the (?:\w+ )?(?:number|figure|answer|value|count|total|amount))|"
    r"incorrecte?|wrong|false|untrue|faux|fausse|inexacte?|falsch|falso|incorrecto)\b| ?\((?:incorrect|wrong|false)\b"
)

# --- subjects -----------------------------------------------------------------------------------------------------

# Where one statement of a clause ends and another begins.
BREAK = re.compile(
    r"[,;:()|→⇒·、]|\s(?:-+|/)\s|\b(?:and|while|whereas|but|et|tandis que|mais|und|wahrend|aber|y|e|pero|ma|mas)\b"
)
# A part that starts with one of these goes on about the same subject.
CONTINUATIONS = phrases(
    "up down from to in of for by at as on or about around approximately roughly nearly over under compared versus",
    "vs against a an increase decrease rise fall drop gain growth decline loss change representing i.e which that it",
    "with after before during fiscal prior previous last this respectively then now still only also increased",
    "decreased rose fell grew declined dropped climbed gained reached was were is are had has have reported posted",
    "earned recorded generated totaled totalled amounted stood came made employed employs operates operated runs ran",
    "contains holds lists counts includes en de du des au aux à par contre soit ou hausse baisse après avant",
    "augmente diminue atteint compte emploie von auf gegenüber nach vor im am oder desde",
)
# Before a name: it says when or where, and belongs to the whole statement, or to the figure before it.
PREPOSITIONS = phrases("in for of during by at on under from to en pour de du dans sur par im für von des")
RESPECTIVELY = re.compile(r"\b(?:respectively|respectivement|respectivamente|rispettivamente|beziehungsweise|resp\.)")
# Directly after a figure or `one`: no noun that is counted.
SMALL_WORDS = phrases(
    "in of for and or was is were are be been have has had to from by at on as up down than that which who with vs",
    "versus compared against during while but last this next per year-over-year year the a an its their his her our",
    "your not no only also each both all over under after before since until between about into through within",
    "without because if when where then so such these those it they he she we you i en de du des et ou au aux le la",
    "les l un une par pour sur dans avec sans mais est sont était étaient a ont contre après avant depuis que qui ce",
    "cette ces il elle im am und oder der die das den dem des ist war sind waren von zu zum zur auf für mit gegen",
    "nach vor seit y o el los las del al por para con sin es fue son fueron desde lo gli di e ed per era da do dos",
    "das em no na",
)
# What they count is time.
TIME_NOUNS = phrases(
    "second seconds minute minutes hour hours day days week weeks month months quarter quarters year years decade",
    "decades seconde secondes heure heures jour jours semaine semaines mois trimestre trimestres an ans année années",
    "sekunde sekunden stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren",
    "segundos minutos horas días semanas meses años giorni settimane mesi anni dias anos",
)
# After `one`, `no`, `a`: no count.
NOT_COUNTED = phrases(
    "small shortage lack of or and another by day thing who whom can could should must may might would will shall is "
    "was were are has",
    "had does did to more less longer fewer doubt matter one in at on for from the a an than such idea way need",
    "further later sooner other de des du le la qu que plus moins",
)

# --- questions ----------------------------------------------------------------------------------------------------

NOW = re.compile(
    r"(?<![\w-])(?:now|today|currently|at present|at the moment|right now|as of now|nowadays|these days|maintenant|"
    r"aujourd'hui|actuellement|a present|a l'heure actuelle|en ce moment|jetzt|heute|aktuell|derzeit|momentan|ahora|"
    r"hoy|actualmente|adesso|oggi|attualmente|agora|hoje|atualmente)(?![\w-])"
)
MONTH_ENDS = re.compile(
    r"(?:\bend of(?: the month of)?|\blast day of|\bmonth end(?: of)?|\bfin(?: du mois)?(?: de| d'| )?|"
    r"\bdernier jour (?:de|du mois de)|\bende|\bfinales de|\bfine|\bfinal de|\bfim de) ?\Z"
)
MONTH_STARTS = re.compile(
    r"(?:\b(?:beginning|start) of|\bfirst day of|\bdebut(?: de| d')?|\bpremier jour de|\banfang) ?\Z"
)
