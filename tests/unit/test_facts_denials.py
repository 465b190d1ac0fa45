"""Denials: which sentences deny what was asked about, and which only sound like it."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts.backend import is_backend_error
from pytest_graph_eval.metrics.facts.denials import Asked, find, is_denied
from pytest_graph_eval.metrics.facts.names import find as find_name
from pytest_graph_eval.metrics.facts.phrases import expand
from pytest_graph_eval.metrics.facts.text import normalise


@pytest.mark.parametrize(
    ("raw", "question"),
    [
        ("It does not exist.", ""),
        ("CLAIM_AGE did not exist at that date.", ""),
        ("It doesn't exist.", ""),
        ("Elle n'existait pas à cette date.", ""),
        ("Elle n’existait pas à cette date.", ""),
        ("CLAIM_AGE was not yet registered.", ""),
        ("Elle n'est pas encore enregistrée.", ""),
        ("Elle n'était pas enregistrée.", ""),
        ("CLAIM_AGE could not be found.", ""),
        ("There was no CLAIM_AGE then.", ""),
        ("NOT FOUND", ""),
        ("It was **not** registered.", ""),
        ("Ces features sont introuvables.", ""),
        ("Feature non trouvee.", ""),
        ("AVG_BASKET does not exist.", ""),
        ("AVG_BASKET doesn't exist.", ""),
        ("I'm not able to answer that from the records supplied.", ""),
        ("I don't have that figure, but revenue was roughly $611.3 billion.", ""),
        ("I don’t know the answer to that.", ""),
        ("Sorry, I'm not able to provide an answer to that question.[no-context]", ""),
        ("I cannot find CLAIM_AGE anywhere.", ""),
        ("I could not find any information about CLAIM_AGE.", ""),
        ("No information is available on this.", ""),
        ("There is no record of CLAIM_AGE in the catalog.", ""),
        ("No record of CLAIM_AGE was found.", ""),
        ("The documents do not mention the CEO.", "Who is the CEO of Walmart?"),
        ("The provided context does not contain information about layoffs.", ""),
        ("I do not know.", ""),
        ("I have no idea.", ""),
        ("Unable to determine the answer.", ""),
        ("As an AI language model, I can't answer that.", ""),
        ("I was unable to find that feature.", ""),
        ("CLAIM_AGE is unknown.", ""),
        ("The date is not specified.", "When did it open?"),
        ("That information is not available.", ""),
        ("No such feature exists.", ""),
        ("There is no such feature.", ""),
        ("No such table: CLAIM_AGE", ""),
        ("CLAIM_AGE: not found", ""),
        ("CLAIM_AGE never existed.", ""),
        ("CLAIM_AGE is not in the catalog.", ""),
        ("N/A", ""),
        ("Unknown", ""),
        ("Je ne sais pas.", ""),
        ("Je n'ai pas trouvé CLAIM_AGE dans le catalogue.", ""),
        ("Je n'ai aucune information à ce sujet.", ""),
        ("Aucune information n'est disponible.", ""),
        ("Il n'y a pas de feature CLAIM_AGE.", ""),
        ("CLAIM_AGE est introuvable.", ""),
        ("Les documents ne mentionnent pas ce point.", ""),
        ("Je ne peux pas répondre à cette question.", ""),
        ("Nous ne disposons pas de cette donnée.", ""),
        ("CLAIM_AGE n'existe pas encore.", ""),
        ("Das weiß ich nicht.", ""),
        ("CLAIM_AGE existiert nicht.", ""),
        ("Es gibt keine Informationen dazu.", ""),
        ("No existe CLAIM_AGE.", ""),
        ("No lo sé.", ""),
        ("Non lo so.", ""),
        ("CLAIM_AGE non esiste.", ""),
        ("Não sei.", ""),
        ("CLAIM_AGE não existe.", ""),
        ("不知道", ""),
        ("Nothing is known about CLAIM_AGE.", ""),
        ("AVG_BASKET is a mean of ORDERS. It does not exist in V_X.", "What is AVG_BASKET?"),
        ("Revenue was not disclosed.", "What was the revenue?"),
        ("The graph contains no entity named CLAIM_AGE.", ""),
        ("This question cannot be answered from the data.", ""),
        ("I don't see CLAIM_AGE in the graph.", ""),
        ("There are no features in this domain.", ""),
        ("Not enough information.", ""),
        ("CLAIM_AGE has not been created yet.", ""),
        ("CLAIM_AGE had not yet been introduced.", ""),
        ("That does not exist.", ""),
        ("It never existed.", ""),
        ("CLAIM_AGE n’a pas été trouvée.", ""),
        ("La feature n'a pas pu être trouvée.", ""),
        ("Nope, there isn't any CLAIM_AGE.", ""),
        ("Sorry, no results.", ""),
        ("We do not currently have data on that.", ""),
        ("Information about CLAIM_AGE was not found.", ""),
        ("Unfortunately, it could not be located.", ""),
        ("The name does not appear in the catalog", ""),
        ("I am not aware of any feature called CLAIM_AGE.", ""),
        ("Das Feature ist nicht bekannt.", ""),
        ("The CEO is not named in the sources.", "Who is the CEO?"),
        ("Il n'existe aucune feature de ce nom.", ""),
        ("La réponse est inconnue.", ""),
        ("On ne trouve aucune trace de CLAIM_AGE.", ""),
        ("AVG_BASKET is not available at that date.", ""),
        ("The revenue is not available for FY2021.", "What was the revenue for FY2021?"),
        ("We have not found CLAIM_AGE.", ""),
        ("I have not found CLAIM_AGE in the catalog.", ""),
        ("CLAIM_AGE n'a jamais existé.", ""),
        ("Il n'existe pas de feature CLAIM_AGE.", ""),
        ("CLAIM_AGE had not been registered by 2024-02-01.", ""),
        ("The feature cannot be found.", ""),
        ("I have no record of it.", ""),
        ("Aucune trace de CLAIM_AGE.", ""),
        ("CLAIM_AGE isn't part of the catalog.", ""),
        ("The date is not specified in the report.", "When was it?"),
        ("La date n'est pas précisée dans le document.", ""),
        ("AVG_BASKET was not found in ORDERS but exists in SALES.", "What is AVG_BASKET?"),
        ("CLAIM_AGE was absent.", ""),
        ("I could not retrieve it.", ""),
        ("That feature is unknown to me.", ""),
        ("I don't know of any feature named CLAIM_AGE.", ""),
        ("No feature named CLAIM_AGE is registered.", ""),
        ("No CLAIM_AGE was registered at that time.", ""),
        ("None found.", ""),
        ("No features were registered.", ""),
        ("No feature of that name existed.", ""),
        ("CLAIM_AGE didn't exist yet on that day.", ""),
        ("There wasn't any CLAIM_AGE.", ""),
        ("There isn't a CLAIM_AGE feature.", ""),
        ("CLAIM_AGE does not seem to exist.", ""),
        ("CLAIM_AGE doesn't appear to exist.", ""),
        ("It appears that CLAIM_AGE does not exist.", ""),
        ("I don't think CLAIM_AGE exists.", ""),
        ("CLAIM_AGE no longer exists.", ""),
        ("CLAIM_AGE has never been registered.", ""),
        ("Cette feature n'existait pas.", ""),
        ("Cette feature n'était pas encore créée.", ""),
        ("Je ne connais pas CLAIM_AGE.", ""),
        ("CLAIM_AGE est inconnue.", ""),
        ("CLAIM_AGE n'est pas dans le catalogue.", ""),
        ("Je ne trouve pas CLAIM_AGE.", ""),
        ("CLAIM_AGE n'y figure pas.", ""),
        ("Désolé, je ne peux pas répondre.", ""),
        ("Il n'y avait pas encore de CLAIM_AGE.", ""),
        ("Aucune feature de ce nom.", ""),
        ("pas trouvé", ""),
        ("Non trouvé", ""),
        ("It isn't clear who it is.", ""),
        ("I cannot confirm that.", ""),
    ],
)
def test_denies_what_was_asked_about(raw, question):
    assert find(normalise(raw), Asked(question))


@pytest.mark.parametrize(
    ("raw", "question"),
    [
        ("CLAIM_AGE is the age of a claim.", ""),
        ("AVG_BASKET is a mean.", ""),
        ("AVG_BASKET is a mean; rows not found in ORDERS count as zero.", ""),
        ("No such restriction applies to AVG_BASKET.", ""),
        ("AVG_BASKET is not foundational for risk.", ""),
        ("The casino such as this one uses AVG_BASKET.", ""),
        ("It is false that AVG_BASKET does not exist.", ""),
        ('If the tool says "not found", refresh; AVG_BASKET is a mean.', ""),
        ("Apologies for the wait. The store opened in 1998.", ""),
        ('"We can\'t help you today," the clerk told them, according to the memo.', ""),
        ("The report does not include VAT refunds. Revenue was $611.3 billion.", "What was revenue?"),
        ("Walmart does not have stores in Spain.", "Does Walmart operate in Spain?"),
        ("There is no doubt that revenue rose.", ""),
        ("Walmart was unable to provide guidance.", "What is revenue?"),
        ("Aucun filtre n'est appliqué à AVG_BASKET.", ""),
        ("La moyenne ne tient pas compte des lignes non trouvées.", ""),
        ("Les valeurs inconnues sont ignorées.", ""),
        ("Il est faux que AVG_BASKET n'existe pas.", ""),
        ("The values that were not found are set to zero.", ""),
        ("Customers who are not registered are excluded.", "What is AVG_BASKET?"),
        ("If it is not found, zero is used.", ""),
        ("The feature does not only exist in SALES.", ""),
        ("I could not find any errors in AVG_BASKET.", ""),
        ("ORDERS does not exist, but AVG_BASKET is a mean.", "What is AVG_BASKET?"),
        ("Walmart is known for low prices and is not known for luxury.", ""),
        ("Don't you know it?", ""),
        ("He isn't the CEO.", "Who is the CEO?"),
        ("I can't wait to tell you: 5.", ""),
        ("I know no bounds", ""),
        ("I don't think so, it was 5.", ""),
        ("rows not found", ""),
        ("AVG_BASKET exists.", ""),
        ("AVG_BASKET has no missing values.", ""),
        ("Information about ORDERS was not found; AVG_BASKET is a mean.", "What is AVG_BASKET?"),
        ("Orders without a basket are not included in AVG_BASKET.", "What is AVG_BASKET?"),
        ("Es gibt 12 Features.", ""),
        ("AVG_BASKET is not defined for customers without orders.", ""),
        ("AVG_BASKET is not included in the default export.", ""),
        ("AVG_BASKET is not available in SALES.", ""),
        ("We never found that AVG_BASKET was wrong.", ""),
        ("AVG_BASKET exists, contrary to the claim that it does not exist.", ""),
        ("It would be wrong to say AVG_BASKET does not exist.", ""),
        ("AVG_BASKET isn't missing.", ""),
        ("AVG_BASKET is not always available.", ""),
        ("AVG_BASKET n'est pas disponible dans SALES.", ""),
        ("Je n'ai pas trouvé d'erreur dans AVG_BASKET.", ""),
        ("No problem was found with AVG_BASKET.", ""),
        ("No errors were found in AVG_BASKET.", ""),
        ("Nothing is missing from AVG_BASKET.", ""),
        ("AVG_BASKET was found; N_ORDERS was not found.", "What is AVG_BASKET?"),
        ("As of that date, CLAIM_AGE was not there.", ""),
        ("We've got no CLAIM_AGE.", ""),
        ("I believe it was 1998, though I can't confirm it.", ""),
        ("The data shows no change.", ""),
        ("It has no subsidiaries.", ""),
    ],
)
def test_only_sounds_like_a_denial(raw, question):
    assert find(normalise(raw), Asked(question)) == []


def test_a_denial_says_where_it_stands_and_by_which_words():
    text = normalise("Sorry. **It** doesn't exist.")
    (denial,) = find(text)
    assert text.plain[denial.start : denial.end] == "It doesn't exist"
    assert denial.words == "does not exist"


def test_names_say_what_was_asked_about_where_there_is_no_question():
    text = normalise("V_SALES does not exist; AVG_BASKET is a mean.")
    assert find(text, Asked(names=("V_SALES",)))
    assert find(text, Asked(names=("AVG_BASKET",))) == []


@pytest.mark.parametrize(
    ("raw", "expanded"),
    [
        ("I don't, can't, cannot, won't", "I do not, can not, can not, will not"),
        ("it's n'est qu'il l'été", "it is ne est que il le été"),
        ("customers' O'Brien patient", "customers' O'Brien patient"),
        ("It doesnt", "It does not"),
    ],
)
def test_short_forms_are_written_out(raw, expanded):
    assert expand(raw) == expanded


@pytest.mark.parametrize(
    "raw",
    [
        "NEW_FEAT was not registered yet.",
        "It is not NEW_FEAT but OLD.",
        "NEW_FEAT was added later.",
        "NEW_FEAT only came after March.",
        "There was no OLD or NEW_FEAT.",
        "The following do not exist:\n- OLD\n- NEW_FEAT",
        "NEW_FEAT n'existait pas encore.",
        "Neither OLD nor NEW_FEAT existed.",
        "Use OLD instead of NEW_FEAT.",
        "Did you mean NEW_FEAT?",
        '"NEW_FEAT is not known", he said.',
        "Walmart did not acquire NEW_FEAT.",
        "The CEO is not NEW_FEAT.",
        "NEW_FEAT is not the CEO.",
        "NEW_FEAT fut ajouté plus tard.",
        "Before NEW_FEAT was created, OLD was used.",
        "NEW_FEAT: not found",
        "I could not find NEW_FEAT.",
        "NEW_FEAT and OLD did not exist.",
        "pas de NEW_FEAT",
        "*NEW_FEAT* doesn’t exist",
        "NEW_FEAT did not yet exist.",
        "| NEW_FEAT | not registered |",
        "NEW_FEAT (not yet registered)",
    ],
)
def test_a_name_that_is_denied_asserts_nothing(raw):
    text = normalise(raw)
    assert all(is_denied(text, m) for m in find_name(text, "NEW_FEAT"))
    assert find_name(text, "NEW_FEAT")


@pytest.mark.parametrize(
    "raw",
    [
        "Then there were AVG_BASKET and NEW_FEAT.",
        "I only know NEW_FEAT.",
        "The following exist:\n- OLD\n- NEW_FEAT",
        "NEW_FEAT is not null.",
        "NEW_FEAT does not include refunds.",
        "OLD does not exist; NEW_FEAT does.",
        "It isn't only NEW_FEAT.",
        "NEW_FEAT is not only a mean.",
        "OLD was not found, NEW_FEAT was.",
        "There are no nulls in NEW_FEAT.",
        "Later the CEO was NEW_FEAT.",
    ],
)
def test_a_name_beside_a_denial_of_something_else_is_asserted(raw):
    text = normalise(raw)
    assert not any(is_denied(text, m) for m in find_name(text, "NEW_FEAT"))
    assert find_name(text, "NEW_FEAT")


@pytest.mark.parametrize(
    ("raw", "is_error"),
    [
        ('{"error": "upstream model unreachable"}', True),
        ("Internal Server Error", True),
        ("HTTP 503 Service Unavailable", True),
        ("Traceback (most recent call last):\n  File", True),
        ("ValueError: x", True),
        ("openai.RateLimitError: Error code: 429", True),
        ("[agent error: boom]", True),
        ("<html><body>502 Bad Gateway</body></html>", True),
        ('{"answer": "x", "error": null}', False),
        ("The error rate is 5%", False),
        ("500 stores", False),
        ("404 Not Found", True),
        ("Error: timeout", True),
        ('{"detail":"Not Found"}', True),
        ("502 Bad Gateway", True),
        ("error was found", False),
        ("{not json}", False),
        ("upstream request timeout", True),
        ("HTTP 500", True),
        ("Request timed out after 30 s", True),
        ('{"message":"Internal Server Error"}', True),
        ('{"success": false}', True),
        ('{"status": 503}', True),
        ('{"status": "ok","value":5}', False),
        ("Rate limit exceeded, retry later", True),
        ("Connection refused", True),
        ("Read the report", False),
    ],
)
def test_errors_of_the_machinery_are_told_from_answers(raw, is_error):
    assert is_backend_error(raw) is is_error
