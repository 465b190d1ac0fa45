"""Words by which a text takes back what it has just said; folded as `page.Page.lower` is."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.tables.cues import phrases

# Said to have been thought, and taken back by what follows: I thought it was 12, but it is 13.
THOUGHT = re.compile(
    r"\b(?:(?:i|we|he|she|they|people|many|most|everyone)(?:'d| had| have)?(?: \w+ly| first| once| long| always)* "
    r"(?:thought|believed|assumed|supposed|guessed|presumed|figured)|"
    r"(?:was|were|been)(?: \w+ly| first| once| long)* "
    r"(?:thought|believed|assumed|supposed|presumed|said|claimed|rumou?red) to|"
    r"(?:i|we) (?:first|initially|originally|previously|earlier|wrongly|mistakenly) "
    r"(?:said|wrote|stated|answered|gave)|"
    r"(?:je|on|nous|il|elle) (?:pensai(?:s|t)|croyai(?:s|t)|pensions|croyions)|(?:ich|wir|man) (?:dacht|glaubt)en?|"
    r"pensaba|creia|creiamos|pensavo|credevo|pensava|achava)\b(?! (?:in|of|about|highly)\b)"
)
# Said to have been expected, and taken back only by what came true: expected 5, but it was 6. Whom a text names as
# having expected it (analysts, the plan) did so all the same, and what is still expected may come.
EXPECTED = re.compile(
    r"(?:(?<![^\n])|(?<=[.:;(\n])|(?<=[.:;] )|(?<=\bwe )|(?<=\bi )|(?<=\bi had )|(?<=\bwe had )|(?<=\bon )|"
    r"(?<=\bnous )|(?<=ly )|"
    r"(?<=\bbeen )|(?<=\bwas )|(?<=\bwere )|(?<=\bist )|(?<=\bwar )|(?<=\bwaren )|(?<=\bwurde )|(?<=\bwurden )|"
    r"(?<=\betait )|"
    r"(?<=\betaient )|(?<=\bse )|(?<=\bera )|(?<=\berano )|(?<=\beran )|(?<=\bestaba )|(?<=\beram ))"
    r"(?:expected|forecast(?:ed)?|projected|predicted|budgeted|anticipated|planned|targeted|guided|promised|hoped|"
    r"prevu(?:e?s)?|attendait|attendaient|erwartet(?:e|en)?|geplant|prognostiziert|esperaban?|previsto|prevista|"
    r"previstos|atteso|esperado)\b"
)
EXPECTED_WORDS = phrases(
    "expected forecast forecasted projected predicted budgeted anticipated planned targeted guided promised hoped",
    "prevu prevue prevus prevues attendait attendaient erwartet erwartete erwarteten geplant prognostiziert esperaba",
    "esperaban previsto prevista previstos atteso esperado",
)
CAME_TRUE = re.compile(
    r"\b(?:but|however|yet|mais|aber|doch|tatsachlich|pero|ma|mas)\b,? (?:in (?:fact|the end|reality),? )?(?:"
    r"(?:it|they|he|she|we|that|this|there|revenues?|sales|results?|actuals?|(?:the|its) (?:(?:actual|final|real|true|"
    r"reported|result\w*) ?){1,2}(?:\w+ )?)"
    r"(?: (?:actual|figure|number|result|total|value|amount))? ?(?:actually |only |instead |in fact |finally )?"
    r"(?:was|were|is|are|came|reached|got|turned|ended|delivered|posted|reported|made|earned|stood|had|sold|hit|fell|"
    r"\w{3,}ed|"
    r"rose|grew)\b|"
    r"(?:actually |only |instead |finally )?(?:got|reported|posted|delivered|earned|received|reached|was|were|made|"
    r"sold|came|became)\b|"
    r"actual \w+(?: \w+)? (?:was|were|came|reached)\b|(?:\w+ ){1,3}(?:came in|turned out|ended up|was actually|"
    r"were actually|actually)\b|"
    r"(?:ce fut|c'etait|ce sont|le resultat|le chiffre|il y en (?:a eu|avait))\b|"
    r"(?:es|sie) (?:\w+ )?(?:war|waren|wurde|wurden|betrug)\b|tatsachlich (?:war|waren|wurden|betrug)|(?:waren|war|"
    r"wurden|betrug) es\b|"
    r"(?:fue|fueron|en realidad|in realta|e stato|sono stati|foi|foram|na verdade)\b)"
)
INSTEAD = re.compile(
    r"\b(?:but|however|actually|in (?:fact|reality|truth)|turn(?:s|ed) out|mais|en (?:fait|realite|realidad)|aber|"
    r"tatsachlich|pero|resulto|in realta|na verdade)\b"
)
THOUGHT_WORDS = phrases(
    "thought believed assumed supposed guessed presumed figured said claimed rumored rumoured",
    "first initially originally previously earlier wrongly",
    "mistakenly pensais pensait croyais croyait pensions croyions dachte dachten glaubte glaubten pensaba creia",
    "creiamos pensavo credevo pensava achava erroneously incorrectly falsely tort falschlich falschlicherweise",
    "erroneamente",
)
# Directly before: it was wrongly reported as 12.
WRONGLY = re.compile(
    r"\b(?:wrongly|mistakenly|erroneously|incorrectly|falsely|a tort|falschlich(?:erweise)?|erroneamente)"
    r" (?:reported|stated|said|listed|given|quoted|recorded|described|put|attributed|claimed|cited|credited|called|"
    r"named|identified|dated|counted|calculated|published|written|noted|printed|shown|indiquee?|attribuee?|angegeben|"
    r"indicad[oa])"
    r"(?: [a-z]+){0,4} \Z"
)
# After the figure: 12, no, 13; 12. Correction: it is 13.
CORRECTED = re.compile(
    r"(?: [a-z]+){0,3} ?[,.;(-]+ ?(?:(?:no|oh no|non|nein)(?:,| wait,?| sorry,?| pardon,?)|wait,|oops,|sorry,|pardon,|"
    r"correction:|i (?:mean|meant)|or rather|(?:no,? )?make that|scratch that,?|strike that,?|ou plutot(?! que)|"
    r"erratum:|korrektur:|besser gesagt|mejor dicho|ou melhor|o meglio),? "
    r"(?:(?:it|that|there|the \w+)(?: is| are| was| were|'s| should be) |c'est |es sind |es ist |son |sono |sao )?"
    r"[$€£]?(?=\w)"
)
CORRECTED_WORDS = phrases(
    "no non nein wait oops sorry pardon correction mean meant rather make scratch strike plutot erratum korrektur",
    "besser mejor melhor meglio",
)
