# ruff: noqa: E501 - one phrase a line
"""The phrases by which a text denies, as patterns for `phrases`: English and French, the usual ones of six others.

A table has one phrase a line; a line that starts with `#` names the language of those below it. All read text that
is folded, with single spaces and with short forms written out (`don't` is `do not`, `n'est` is `ne est`).
"""

from __future__ import annotations

_ADVERB = r"(?:(?:yet|currently|actually|really|even|ever|still|then|also|otherwise|at all|explicitly|\w+ly|been|be) )*"
_NOT = r"(?:not|never|no longer)(?! (?:only|just|merely|simply)\b)"
_AUX = r"(?:do|does|did|has|have|had|is|are|was|were|be|been|can|could|would|will|may|might)"
STORE = (
    r"(?:(?:current|available|provided|given|supplied|retrieved) )?(?:catalog(?:ue)?|graph|database|data ?sets?|data|"
    r"records?|index|registry|store|knowledge (?:base|graph)|documents?|contexts?|sources?|list|filings?|reports?|texts?|"
    r"handbooks?|manuals?|archives?|registers?|minutes|transcripts?|papers?)"
)
# What may follow `data` and the like where they mean what is known; with any other noun they name a thing (data center).
OF_KNOWLEDGE = (
    r"(?:available|whatsoever|yet|here|there|now|then|today|either|points?|sources?|sets?|items?|entr(?:y|ies)|rows?|fields?|"
    r"values?|types?|names?|base|store|graph|shown|given|known|seen|left|present|relevant|specific|found|held|"
    r"\w+(?:ed|ing|able|ible|ly))"
)
_LINKS = (
    r"(?:about|on|for|of|regarding|concerning|in|to|that|which|who|what|where|when|how|why|whether|as|at|from|with|within|"
    r"between|among|by|beyond|besides|after|before|since|until|or|and|but|nor|so|is|are|was|were|i|we|it|you|he|she|they|"
    r"the|this|because|if|can|could|may|might|will|would|should|has|have|had|does|do|did|exists?|existed|appears?)"
)
AFTER_KNOWLEDGE = rf"(?:{OF_KNOWLEDGE}|{_LINKS})"
_NO_THING = rf"(?! (?!{AFTER_KNOWLEDGE}\b)[a-z]+)"
_DONE = (
    r"(?:registered|found(?! (?:to be|guilty|liable|wanting)\b)|available|listed|recorded|documented|present|defined|located|mentioned|specified|disclosed|"
    r"provided|included|reported|stated|given(?! (?:an?|the|any|his|her|its|their)\b)|indicated|identified(?! with\b)|recogni[sz]ed|catalogu?ed|indexed|retrieved|"
    r"determined|answered|established|created|introduced|published|traceable|made (?:public|available|known)|named|shown|cited|detailed|revealed|known(?! (?:for|to|as)\b)|"
    rf"(?:in|part of|among|within) (?:the|this|my|our|any)? ?{STORE})"
)
_INFO = (
    r"(?:records?|trace|mention|evidence|sign|entry|entries|information|info|data|details?|results?|match(?:es)?|"
    r"documents?|knowledge|answers?|references?|context|documentation|definitions?|indication|figures?|relationships?|edges?|paths?)"
)
_ABOUT = (
    r"(?= to (?!be (?!found|had|seen|given|located|retrieved)\w+)| (?:of|for|about|on|between|regarding|concerning|matching|that|in|related|relating|with|available|found|provided|"
    r"exists?|existed)\b| (?:is|are|was|were|has been|can be|could be) (?:\w+ly )?(?:available|found|provided|given|"
    r"known|recorded|mentioned|present|returned|included)\b|\W*$)"
)
_TELL = (
    r"(?:know|find|locate|answer|provide|determine|say|tell|identify|retrieve|access|give|help|assist|"
    r"recall|recogni[sz]e|establish|calculate|compute|comment|see|detect|respond|share|offer|supply|look up|discern)"
)
_IS = r"(?:is|are|was|were|am|remains?|remained)"
_THERE = r"(?:is|are|was|were|has been|have been|had been|exists?|existed|(?:seem|appear)s? to be)"
_SPEAKER = r"(?:i|we|system|assistant|agent|model|tool|search|query)"
_CAN = r"(?:do|does|did|can|could|would|will)"
_SPEAK = r"(?:know|answer|say|tell|help|assist|respond)"
_SAY = (
    r"(?:contain|mention|include|provide|specify|say|state|have|list|disclose|cover|indicate|give|show|report|reveal|"
    r"describe|explain|address|discuss|offer|answer|name|identify|hold|record|tell|clarify|confirm|detail|note)"
)
_SOURCE = (
    r"(?:documents?|contexts?|sources?|data(?:base|sets?)?|graph|catalog(?:ue)?|records?|texts?|passages?|filings?|"
    r"reports?|knowledge(?: (?:base|graph))?|information|materials?|chunks?|excerpts?|articles?|corpus|evidence|results?|files?|"
    r"handbooks?|manuals?|archives?|registers?|minutes|transcripts?|papers?|tables?|books?|pages?|guides?|"
    r"10-[kq]|8-k|20-f|proxy(?: statement)?|press releases?|prospectus|website|footnotes?|statements?)"
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
_ROMANCE_SOURCE = (
    r"(?:document[oi]s?|base|dat[oi]s?|dados|fuentes?|font[ei]s?|text[oi]s?|informes?|relatorios?|rapport[oi]|registros?|catalogo|"
    r"grafo|context[oi]|archivos?)"
)
_NL_SOURCE = (
    r"(?:document(?:en)?|bron(?:nen)?|context|gegevens|rapport(?:en)?|verslag(?:en)?|tekst(?:en)?|catalogus|database|graaf|"
    r"bestand(?:en)?|lijst|register)"
)
_FR_INFO = (
    r"(?:informations?|donnees?|traces?|mentions?|reponses?|resultats?|correspondances?|enregistrements?|entrees?)"
)
_FR_TELL = r"(?:repondre|trouver|determiner|fournir|donner|dire|confirmer|identifier|acceder|aider|localiser|preciser|verifier)"
FR_SOURCE = (
    r"(?:documents?|contextes?|sources?|donnees|graphe|catalogue|base|rapports?|textes?|passages?|extraits?|"
    r"informations?|fichiers?)"
)

# Counts when what stands before it is asked about:
SUBJECT = rf"""
# English
(?:{_AUX} )?{_NOT} {_ADVERB}(?:exist(?:s|ed|ing)?(?! (?:only|just|merely|solely)\b)|{_DONE})\b
\b{_IS} not {_ADVERB}(?:covered|addressed|discussed|dealt with|touched (?:on|upon)) (?:in|by|within|anywhere in) (?:the|this|these|those|my|our|any of the) (?:\w+ ){{0,2}}(?:{_SOURCE}|guidelines?|provided|passages?)\b
\b(?:is|are|was|were) (?:not yet there|not there (?:yet|then|at (?:that|the) time))\W*$
\b(?:do|does|did) not {_ADVERB}appear\b(?! to\b)
\b(?:do|does|did) not {_ADVERB}(?:seem|appear) to (?:exist|be {_DONE})\b
{_IS} not {_ADVERB}clear\b(?!-)
nowhere to be found\b
(?::|(?<= )-) ?(?:n/?a|unknown|not applicable|no (?:data|information|answer|value))\W*$
non-?existent\b
\b(?:is|are|was|were) (?:n/?a|not applicable)\b
yet to be (?:registered|created|added|defined|disclosed)\b
{_IS} (?:\w+ly )?(?:unknown(?! (?:territory|terrain|ground|quantit\w+|soldier|waters)\b)(?! to (?!me\b|us\b|this\b|the (?:graph|catalog\w*|database|system|sources?)\b))|unavailable|undefined|unregistered|missing|absent|undisclosed|unspecified|unclear)\b
\bcan not be (?:answered|determined|found|located|identified|provided|established|confirmed|verified)\b
\bcan not be (?:computed|calculated|retrieved|derived|inferred)\b
# French
\b{_FR_IS} {_FR_ADVERB}(?:pas|plus|jamais|point) {_FR_ADVERB}(?:pu )?(?:ete |etre )?{_FR_ADVERB}{_FR_DONE}\b
\b{_FR_IS} {_FR_ADVERB}(?:pas|plus|jamais) {_FR_ADVERB}(?:dans|parmi) (?:le|la|les|ce|cette|ces|nos|mes) {FR_SOURCE}\b
\b(?:introuvables?|inexistante?s?|indisponibles?|inconnue?s?|non {_FR_DONE})\b
\bnulle part\b
\b(?:est|sont|etait|etaient) absente?s? d(?:e|u|es)\b
# German
\bnicht (?:\w+ )?(?:gefunden|bekannt|verfugbar|registriert|vorhanden|angegeben|enthalten|aufgefuhrt|erwahnt|genannt|benannt|offengelegt|veroffentlicht|ausgewiesen|dokumentiert|belegt|ersichtlich)\b
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
OBJECT = rf"""
# English
\bthere {_THERE} {_ADVERB}(?:no|not any|not an?|never any|nothing(?: (?:about|on|regarding|concerning))?)\b(?! (?:longer|doubt|question|need|reason|guarantee)\b)(?! (?:more|less|other|better|worse|greater|higher|lower|larger|smaller|older|newer)\b[^.;]{{0,60}}? than\b)
\bno such\b
\bno (?=(?:\w+ ){{0,3}}{_INFO}\b{_ABOUT})
\bnone of (?:the|my|our|these|those) (?:\w+ ){{0,2}}{_SOURCE}(?: \w+){{0,4}}? (?:{_SAY}s?|(?:have|has) (?:any|an?))\b
\b(?:neither|no) {_SOURCE}(?! (?!{OF_KNOWLEDGE}\b)\w+ to\b)(?: \w+){{0,4}}? {_SAY}s?\b
\bno (?!(?:\w+ ){{1,3}}(?:other than|except|besides|but)\b)(?=(?:[\w'-]+ ){{1,8}}?(?:(?:{_IS}|has been|had been|have been|c(?:an|ould) be) {_ADVERB}{_DONE}|exist(?:s|ed)?)\b)
\b(?:i|we) do not (?:think|believe)\b(?= .*\bexist(?:s|ed)?\b)
\bnothing (?:is known|was found|could be found|found|known|is available)\b(?: about| on| for| of)?
\b(?:found|find|finds|see|have) nothing\b(?: about| on| for| of)?
\b(?:i|we) (?:have |had )?never (?:\w+ )?(?:heard of|come across|encountered)\b
\b(?:i|we) (?:am|are) not (?:\w+ )?familiar with\b
\b{_SPEAKER} (?:{_IS} |have been |has been )?(?:\w+ly )?(?:not able|unable) to (?:\w+ly )?(?:{_TELL}|verify|confirm)\b
\b{_SPEAKER} (?:\w+ly )?{_CAN} not {_ADVERB}(?:be able to )?{_TELL}\b(?! (?:but|enough|wait|(?:of|about) any other)\b)
\b(?:i|we) (?:\w+ly )?(?:do|did|does) not (?:\w+ly )?(?:have|possess|hold)\b(?! (?:to|time|doubts?|any (?:doubts?|questions?))\b)
\b(?:i|we) (?:\w+ly )?(?:have|had|found|find|see) no\b(?! (?:doubt|problem|objection|reason|choice)\b)
\b(?:i|we|search|query|system) fail(?:ed|s)? to {_TELL}\b
\b{_SOURCE}(?: \w+){{0,6}}? (?:do|does|did) not {_ADVERB}{_SAY}\b
\b{_SOURCE}(?: \w+){{0,4}}? (?:contains?|has|have|had|provides?|offers?|includes?|makes?|gives?|lists?|states?|reports?|shows?|mentions?) no\b(?! other\b)
\b{_SOURCE}(?: \w+){{0,4}}? {_SAY}s? nothing\b(?! (?:but|except|other)\b)(?: about| on| of| regarding)?
\b(?:search(?:es)?|quer(?:y|ies)|look-?up)(?: \w+){{0,3}}? (?:found|finds?|returned|returns?|reveal(?:s|ed)|gave|yield(?:s|ed)|produced) no\b
\b(?:did|does|has|have) not (?:yet |publicly )*(?:report(?:ed)?|disclosed?|publish(?:ed)?|released?|announced?|provided?|specif(?:y|ied))\b
\bha(?:s|ve|d) no (?=(?:reported|published|disclosed|known|recorded|listed|stated|available|documented) )
# French
\bil ne y (?:a|avait|avaient|eut|aura) {_FR_ADVERB}(?:pas|plus|point|aucune?|rien)(?: encore)?(?: de| du| des)?\b
\baucune?\b(?! doute)
\b(?:je|nous|on) (?:ne )?(?:trouve|trouvons|vois|voyons|connais|connaissons|possede) (?:pas|aucune?|rien)\b
\b(?:je|nous|on) (?:ne )?{_FR_HAVE} {_FR_ADVERB}(?:pas|rien|aucune?) {_FR_ADVERB}(?:pu |reussi a )?{_FR_FIND}\b
\b{FR_SOURCE}(?: \w+){{0,6}}? ne {_FR_SAY} (?:\w+ment )?(?:pas|aucune?|rien)\b
# German
\b(?:gibt|gab)(?: es)? (?:\w+ ){{0,2}}kein(?:e|en|er)?\b
# Spanish
\bno (?:hay|habia|encontre|encontramos|encuentro)\b
\b{_ROMANCE_SOURCE}(?: \w+){{0,4}}? no (?:lo |la )?(?:contien\w+|mencion\w+|incluy\w+|especific\w+|indica\w*|ofrec\w+|dice\w*)\b
# Italian
\b{_ROMANCE_SOURCE}(?: \w+){{0,4}}? non (?:lo |la )?(?:contien\w+|contengono|menzion\w+|specific\w+|indica\w*|riporta\w*|inclu\w+|forni\w+)\b
# Portuguese
\bnao (?:ha|havia|encontrei|encontramos)\b
\b{_ROMANCE_SOURCE}(?: \w+){{0,4}}? nao (?:o |a )?(?:conte?m|contem|mencion\w+|especific\w+|indica\w*|inclu\w+|fornec\w+)\b
"""

# Counts when either is asked about:
EITHER = rf"""
# French
\b(?:ne )?(?:se |y )?{_FR_EXIST} {_FR_ADVERB}(?:pas|plus|point|jamais|nulle part)\b
# German
\bexistier(?:t|te|en|ten) (?:\w+ ){{0,2}}nicht\b
# Spanish
\bno exist(?:en?|ian?|io|ieron)\b
\bno (?:figura|consta|aparece)n?\b
\bno {_ES_IS}(?:encontr\w+|encuentra\w*|registrad[oa]s?|conocid[oa]s?|conoce\w*|disponibles?|mencion\w+|especific\w+)\b
# Italian
\bnon esist(?:e|eva|ono|evano)\b
\bnon (?:e|era|sono|erano) (?:\w+ )?(?:stat[oaie] )?(?:trovat|registrat|disponibil|present|menzionat|conosciut|riportat|indicat|specificat|elencat)\w*
# Dutch
\bbesta(?:at|an) (?:\w+ ){{0,2}}niet\b
\bbestond(?:en)? (?:\w+ ){{0,2}}niet\b
# Portuguese
\bnao exist(?:em?|iam?|iu|iram)\b
\bnao (?:foi|foram|esta|estava|estao|e|era) (?:encontrad|registr?ad|disponive|conhecid|mencionad|indicad|informad|listad)\w*
\bnao (?:consta|aparece|figura)m?\b
"""

# Without spaces, found anywhere in a clause:
UNSPACED = (
    r"不知道|未找到|不存在|没有找到|沒有找到|没有相关|沒有相關|没有(?:关于|任何)?[^，。]{0,12}(?:信息|资料|数据|记录)|无法(?:回答|确定|找到)|"
    r"無法(?:回答|確定|找到)|未提及|找不到|わかりません|分かりません|見つかりません|見つけられません|存在しません|"
    r"(?:情報|記録|記載|データ|該当)(?:は|が|も)?(?:あり|ござい)ません|記載されていません|不明です|찾을 수 없|알 수 없|모르겠|모릅니다|"
    r"没有(?:提到|提及|说明|记载)(?!的)|沒有(?:提到|提及)|(?:暂|暫|查)(?:无|無)(?:相关|相關)?(?:数据|數據|信息|資訊|资料|資料|记录|結果|结果)|"
    r"尚不(?:清楚|明确)|未(?:披露|予披露|公开)|(?:情報|データ|記載|該当)(?:は|が)?(?:なし|ない|見当たりません)|"
    r"(?:お答え|回答|確認)できません|확인할 수 없|나와 있지 않|언급되(?:어 있)?지 않|"
    r"لا (?:أعرف|أعلم|ندري|أدري)|لا (?:توجد|يوجد|تتوفر)(?: لدي| لدينا)?(?: أي| أية)? (?:معلومات|بيانات|سجل|سجلات|نتائج|ذكر)|"
    r"لم (?:يتم العثور|أجد|أعثر|نجد|نعثر)|غير (?:موجود|معروف|متوفر|متاح|مذكور)|لا (?:يمكنني|أستطيع|يمكن) (?:الإجابة|العثور|تحديد)|"
    r"لا (?:تذكر|تحتوي|تتضمن|يذكر|يحتوي)|"
    r"존재하지 않|(?:정보|기록|데이터)(?:가|는|이)? 없"
)

# Counts whatever it is about:
OPEN = rf"""
# English
\b(?:i|we) (?:\w+ly )?(?:do|did|can|could|would) not (?:\w+ly )?{_SPEAK}\b(?! (?:about you|but|enough|wait|(?:of|about) any other)\b)
^(?:\W*(?:sorry|apologies|unfortunately|regrettably)\W*)?(?:not able|unable) to (?:\w+ly )?{_TELL}\b
\b(?:i|we) (?:\w+ly )?(?:have|had) no (?!further\b|additional\b|other\b|more\b)(?:\w+ )?(?:idea|way of knowing|(?:information|data|knowledge|record)\b{_NO_THING})\b
^(?:\W*(?:sorry|apologies|unfortunately)\W*)?(?:i|we) can not (?:confirm|verify)\b
\bno idea\b
\b(?:nobody|no one) (?:\w+ )?knows\b
\bnot something (?:that )?(?:i|we) (?:can|could|know|have|am able)\b
\bnot something (?:that )?(?:the|these|my|our) (?:\w+ )?{_SOURCE} (?:covers?|mentions?|addresse?s?|discuss(?:es)?|says?)\b
\b{_SOURCE} (?:is|are|was|were|remains?) silent (?:on|about)\b
\b(?:quer(?:y|ies)|search(?:es)?|look-?up|tool|{_SOURCE}) (?:has |have )?(?:return(?:s|ed)?|yield(?:s|ed)?|gave|found|came back|turned up) (?:with )?(?:nothing|empty|an empty|(?:no|zero|0) (?:{_INFO}|rows?|hits?))
\b(?:zero|0) (?:\w+ )?{_INFO} (?:(?:was|were) )?(?:found|returned|available|retrieved)\b
\b(?:do|does|did) not (?:allow|let|permit|enable) (?:me|us|one)(?: to)? (?:\w+ )?{_TELL}\b
\bno such (?:\w+ ){{1,3}}?(?:exist(?:s|ed)?|(?:is|was|are|were|has been|could be) {_DONE})\b(?= (?:in|within|among) (?:the|my|our|this) {STORE}\b|\W*$)
\b(?:is|was|be) (?:impossible|not possible) to (?:\w+ )?{_TELL}\b
\bno such (?:\w+ ){{1,3}}?(?:appears?|appeared|occurs?|occurred) (?:in|within|on) (?:the|my|our|this|any)\b
\bnothing in (?:the|my|our|these|this|any of the) (?:\w+ ){{1,3}}(?:points? to|mentions?|refers? to|says?|indicates?|suggests?|answers?|tells?|identif(?:y|ies)|names?|states?|describes?|covers?|shows?|gives?)\b
^\W*(?:(?:sorry|apologies|unfortunately)\W+)?no (?:matching|relevant|corresponding|such) \w+(?: \w+)?\W*$
^\W*idk\b
\bnone (?:(?:was|were|is|are|could be) )?(?:found|available|registered|known|exist(?:s|ed)?)\b
\b(?:i|we) (?:am|are) (?:not (?:entirely |quite )?(?:sure|certain|aware)|unsure|uncertain)\b
\b(?:insufficient|not enough|lacks?|lacking) (?:\w+ ){{0,2}}(?:information|data|context|evidence|details?)\b
\b(?:beyond|outside|out of) (?:of )?(?:my|our|the) (?:\w+ )?(?:scope|knowledge|capabilit(?:y|ies)|expertise)\b
\b(?:must|have to|will) decline\b
\bdeclines? to answer\b
\b(?:i|we) will not (?:answer|disclose)\b
\bthere (?:is|was|are) nothing (?:\w+ )?(?:in|within) (?:the|my|our|these|this|any of the) (?:\w+ ){{0,2}}{STORE}\b
\b(?:query|search|look-?up|tool|call)(?: \w+)? did not (?:return|yield|find|produce|match) (?:any|a single) (?:\w+ )?(?:{_INFO}|rows?|hits?|matches|results?)\b
^\W*never heard of (?:it|that|him|her|them|such)\b
\bmy (?:knowledge|data|information|training data) (?:does|do) not (?:extend|cover|include|reach)\b
\b{_SOURCE}(?: \w+){{0,3}}? (?:is|are|was|were) (?:not relevant|irrelevant|unrelated) to (?:the|your|this|that) (?:question|query|request)\b
# English, an answer that is nothing but a denial
^\W*(?:0|zero|no) (?:{_INFO}|rows?|hits?|records?|results?|matches)(?: (?:found|returned))?\W*$
^\W*(?:(?:the )?(?:\w+ )?(?:value|result|answer|field|response) (?:is|was) (?:null|none|empty|blank)|null|nan)\W*$
^\W*(?:n/?a|unknown|no (?:answer|results?|data|information|match(?:es)?)(?: found| available)?|nothing found)\W*$
^\W*(?:not applicable|not {_DONE})\W*$
# French
^\W*(?:pas (?:encore )?|non ){_FR_DONE}\W*$
\bpas (?:de |assez de |suffisamment de ){_FR_INFO}\b
\b(?:je|nous|on) (?:ne )?(?:le |en )?(?:sais|savons|sait) (?:pas|rien)\b(?! seulement)
\bne permet(?:tent)? pas de (?:\w+ )?{_FR_TELL}\b
\b{FR_SOURCE} ne en (?:parlent|parle|disent|dit) (?:pas|rien)\b
\b(?:je|nous) (?:le )?ignor(?:e|ons)\b
\bne (?:peux|pouvons|peut|puis) {_FR_ADVERB}(?:pas )?{_FR_ADVERB}(?:vous |y )?{_FR_TELL}\b
\b(?:dispose|disposons|disposent) {_FR_ADVERB}(?:pas|aucune?)\b
\b(?:je|nous|on) (?:ne )?{_FR_HAVE} {_FR_ADVERB}(?:pas|aucune?) (?:de )?(?:cette |la )?{_FR_INFO}\b
\bpas (?:\w+ment )?(?:en mesure|capables?) de\b
\bimpossible (?:a |de )(?:\w+ )?{_FR_TELL}\b
\b{_FR_INFO} insuffisantes?\b
\brien (?:ne |n)?(?:a ete|est|fut) {_FR_DONE}\b
\b(?:dans le incapacite|incapables?) de {_FR_TELL}\b
\baucune idee\b
# German
\bkein(?:e|en|er|erlei)? (?:\w+ )?(?:information\w*|angabe\w*|daten|hinweis\w*|antwort\w*|eintrag\w*|treffer)\b
\bich (?:weiss|kenne|finde|kann|konnte) (?:\w+ ){{0,6}}(?:nicht|keine?n?)\b
\b(?:finde|konnte|habe) (?:ich|wir)? ?(?:\w+ ){{0,3}}nichts\W*(?:finden|gefunden)?\W*$
\b(?:weiss|kann) ich (?:\w+ ){{0,3}}nicht\b
\bgeht (?:\w+ ){{0,6}}nicht hervor\b
\b(?:dokument\w*|quellen?|daten|texte?|berichte?|kontext|katalog)(?: \w+){{0,3}}? (?:erwahn\w+|nenn\w+|enthal\w+)(?: \w+){{0,4}} nicht\b
\b(?:wurden?|konnten?) (?:\w+ ){{0,5}}nichts (?:\w+ )?(?:gefunden|finden|ermitteln|ermittelt)\b
\bkann (?:ich |man )?(?:\w+ ){{0,3}}nichts (?:\w+ )?(?:sagen|finden)\b
\b(?:liegen|liegt|sind|ist) (?:\w+ ){{0,4}}(?:keine|nichts) (?:\w+ )?(?:vor|bekannt|hinterlegt|verzeichnet)\b
# Spanish
\bno (?:lo |la )?se(?=\W*$| (?:la|el|que|cual|quien|cuando|cuanto|nada|si)\b)
\bdesconozco\b
\bno (?:puedo|podemos|es posible) (?:responder|encontrar|determinar|proporcionar|contestar)\b
\b(?:no (?:tengo|tenemos|hay|dispongo de|disponemos de)|ningun[ao]?) (?:\w+ )?(?:informacion|datos?|registros?)\b
\bno se (?:menciona|indica|especifica|dice|trata|aborda) (?:\w+ )?en (?:los?|las?|el|ningun[oa]?) (?:\w+ )?{_ROMANCE_SOURCE}\b
# Italian
\b{_ROMANCE_SOURCE} non ne (?:parlan?o?|parla|dicono|dice|fanno|fa)\b
\bnon (?:lo )?so\b
\bnon (?:posso|possiamo|riesco a|sono in grado di) (?:rispondere|trovare|fornire|determinare)\b
\b(?:non (?:ho|abbiamo|ci sono)|nessun[ao]?) (?:\w+ )?(?:trovato|informazion\w+|dat[oi]|tracci\w|risultat\w)\b
# Portuguese
\bnao sei\b
\bnao (?:posso|consigo|e possivel) (?:responder|encontrar|determinar|fornecer)\b
\b(?:nao (?:tenho|temos|ha|disponho de)|nenhuma?) (?:\w+ )?(?:informac\w+|dados?|regist?ros?)\b
# Dutch
\b(?:ik|wij|we) (?:weet|weten|vind|vinden|kan|kon|konden|kunnen) (?:\w+ ){{0,6}}(?:niet|niets|geen)\b(?! (?:alleen|slechts)\b)
\bgeen (?:\w+ )?(?:informatie|gegevens|antwoord|vermelding|resultaten|data)\b(?! (?:systeem|technologie|beveiliging))
\b(?:staat|staan|stond|komt|wordt|worden|werd) (?:\w+ ){{0,3}}niet (?:\w+ )?(?:in|voor in|door) (?:de|het|deze|dit|mijn|onze) (?:\w+ )?{_NL_SOURCE}\b
\b(?:niets|niet|geen \w+) (?:\w+ )?(?:gevonden|bekend|vermeld|beschikbaar|opgenomen|terug te vinden)\W*$
\b{_NL_SOURCE} (?:\w+ ){{0,2}}(?:zegt|zeggen|vermeldt|vermelden|bevat|bevatten|noemt|noemen) (?:\w+ ){{0,2}}(?:niets|geen|niet)\b
# Russian
\bне (?:знаю|знаем|наш(?:ел|ли|ла)|располагаю|располагаем|нашлось|существу\w+)\b
\bне (?:могу|можем|удалось|смогл?[аи]?|удается) (?:\w+ ){{0,2}}(?:ответить|сказать|найти|определить|предоставить|обнаружить|установить)\b
\bне (?:найдено|обнаружено)\b(?! (?!данн|информ|свед|запис|результ|упомин|совпад|в |так|ни )\w)
\bне (?:был[аио]? )?(?:найден(?!о)|существу|зарегистрирован|указан|упомянут|упоминает|обнаружен(?!о)|извест)\w*\b
\bнет (?:\w+ ){{0,2}}(?:данных|информации|сведений|ответа|результатов|записей|упоминаний|такой|такого|таких)\b
\b(?:данны[ех]|информаци[яию]|сведени[яий])(?: \w+){{0,4}} (?:отсутству\w+|недоступн\w+)\b
\bотсутству\w+ (?:\w+ )?(?:данные|информация|сведения)\b
\bничего не (?:найден\w*|известно|нашлось|нашел|нашли)\b
\bнеизвест\w+\b
\b(?:документ|источник|отчет|контекст|граф|баз)\w*(?: \w+){{0,3}} не (?:содерж|упомина|указыва|сообща)\w+
# Polish
\bnie (?:wiem|wiemy|znalaz\w+|znaleziono|odnaleziono|istnieje|istnieja|istnial\w*|podano|ujawniono)\b
\bnie (?:mam|mamy|ma|posiadam|zawiera) (?:\w+ ){{0,2}}(?:informacji|danych|wiedzy|wzmianki|odpowiedzi|wynikow)\b
\bnie (?:moge|mozna|jestem w stanie|udalo sie) (?:\w+ ){{0,2}}(?:odpowiedziec|znalezc|podac|ustalic|okreslic|stwierdzic)\b
\bnie (?:jest|sa|byl\w*|zostal\w*) (?:\w+ )?(?:znan|znalezion|zarejestrowan|wymienion|podan|dostepn)\w*
\bbrak (?:\w+ )?(?:danych|informacji|wynikow|odpowiedzi|wzmianki|wzmianek|rekordow)\b
\b(?:dokument|zrodl|raport|kontekst|dane)\w*(?: \w+){{0,3}} nie (?:zawier|wspomin|podaj|wymieni|mowi)\w+
# Unspaced
{UNSPACED}
"""
