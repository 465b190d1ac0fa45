# ruff: noqa: SIM905 - tables of words read better as text
"""Currency signs, codes and words; each stands for a code, or for a group of codes where it does not say which."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import fold

# What a sign may mean when it stands in an answer. In a gold value a bare `$` is the US dollar.
GROUPS: dict[str, frozenset[str]] = {
    "$": frozenset(("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "JMD", "BBD")),
    "¥": frozenset(("JPY", "CNY")),
    "kr": frozenset(("SEK", "NOK", "DKK", "ISK")),
    "Rs": frozenset(("INR", "PKR", "LKR", "NPR", "MUR")),
    "franc": frozenset(("CHF", "XAF", "XOF", "FRF", "BEF")),
    "peso": frozenset(("MXN", "ARS", "CLP", "COP", "PHP", "UYU", "DOP", "CUP")),
    "cent": frozenset(("USD", "EUR", "CAD", "AUD", "NZD", "ZAR", "SGD", "HKD")),
    "Bs": frozenset(("VES", "BOB")),
    "kwacha": frozenset(("ZMW", "MWK", "PGK")),
    "pula": frozenset(("BWP", "PHP")),
    "penny": frozenset(("GBP",)),
    "centime": frozenset(("EUR", "CHF", "MAD", "DZD", "XAF", "XOF", "CRC", "VES")),
    "centavo": frozenset(("BRL", "MXN", "PHP", "ARS", "COP", "CUP")),
    "paisa": frozenset(("INR", "PKR", "NPR", "BDT")),
    "kopeck": frozenset(("RUB", "UAH")),
    "dinar": frozenset(("KWD", "JOD", "BHD", "TND", "DZD", "IQD", "RSD")),
    "rial": frozenset(("IRR", "OMR", "YER", "SAR", "QAR")),
    "dirham": frozenset(("AED", "MAD")),
    "shilling": frozenset(("KES", "TZS", "UGX")),
}

SYMBOLS: dict[str, str] = {"$": "$", "€": "EUR", "£": "GBP", "¥": "¥", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY",
                           "₴": "UAH", "₪": "ILS", "₫": "VND", "₱": "PHP", "฿": "THB", "₦": "NGN", "₵": "GHS",
                           "₡": "CRC", "₲": "PYG", "₸": "KZT", "₼": "AZN", "₾": "GEL", "₨": "Rs", "₿": "BTC",
                           "¢": "cent", "﷼": "rial"}  # fmt: skip
# Every other sign of the Unicode block is a currency of its own.
SYMBOLS |= {sign: sign for sign in map(chr, (*range(0x20A0, 0x20C1), 0x058F, 0x060B, 0x09F3, 0x17DB))
            if sign not in SYMBOLS}  # fmt: skip

# Letters glued to a `$`.
PREFIXES: dict[str, str] = {"US": "USD", "U.S.": "USD", "A": "AUD", "AU": "AUD", "C": "CAD", "CA": "CAD", "CAD": "CAD",
                            "CDN": "CAD", "NZ": "NZD", "HK": "HKD", "S": "SGD", "SG": "SGD", "NT": "TWD", "R": "BRL",
                            "MX": "MXN", "USD": "USD", "AUD": "AUD", "J": "JMD", "JA": "JMD", "TT": "TTD", "EC": "XCD",
                            "N": "NAD", "Z": "ZWL", "FJ": "FJD", "BZ": "BZD", "BDS": "BBD", "GY": "GYD", "B": "BSD",
                            "CLP": "CLP", "COL": "COP", "AR": "ARS"}  # fmt: skip
# One letter before an amount: R5 million, R1,234.50. Alone, or before a lone figure, it is a name (Canon R5).
LETTER_SIGNS: dict[str, str] = {"R": "ZAR", "K": "kwacha", "P": "pula", "N": "NGN", "Q": "GTQ", "L": "HNL"}
AMOUNT = re.compile(
    r"\d{1,3}(?:[ ,]\d{3})+(?![\d/-])|\d+(?:[.,]\d+)? ?(?:thousand|[mb]illion|trillion|miljoen|miljard|bn|mn|k|m|b)\b|"
    r"(?<! )\d+[.,]\d\d(?![\d.,/-])"
)

# Codes and letter signs, in their own case: `ALL`, `TRY` and `TOP` are words in small letters.
CODES: dict[str, str] = {
    **{
        code: code
        for code in (
            "USD EUR GBP JPY CNY INR CHF CAD AUD NZD HKD SGD TWD KRW RUB BRL MXN ZAR TRY PLN CZK HUF ILS AED SAR QAR "
            "KWD BHD OMR THB IDR MYR PHP VND ARS CLP COP PEN EGP NGN KES GHS MAD TND DZD PKR BDT LKR NPR UAH RON BGN "
            "SEK NOK DKK ISK BTC ETH XAF XOF AFN AOA AWG AZN BAM BBD BIF BMD BND BOB BSD BTN BWP BYN BZD CDF "
            "CVE DJF DOP ERN ETB FJD GEL GMD GNF GTQ GYD HNL HTG IQD JMD JOD KGS KHR KMF KPW KYD KZT LAK LBP LRD "
            "LSL LYD MDL MGA MKD MMK MNT MRU MUR MVR MWK MZN NAD PAB PGK PYG RSD RWF SBD SCR SLE SRD SSP SYP "
            "SZL TJS TTD TZS UGX UYU UZS VES VUV WST XCD XPF YER ZMW ZWL"
        ).split()
    },
    "RMB": "CNY", "Rs": "Rs", "kr": "kr", "Kr": "kr", "zł": "PLN", "Rp": "IDR", "RM": "MYR", "Fr": "franc",
    "SFr": "CHF",     "Bs": "Bs", "CN": "CNY", "JP": "JPY", "Kč": "CZK", "KSh": "KES", "Ksh": "KES",
}  # fmt: skip

# 5 MEUR, 3 kUSD: a scale glued to the code.
SCALE_OF = {"k": 3, "t": 3, "m": 6, "mn": 6, "mio": 6, "b": 9, "bn": 9, "md": 9, "mrd": 9}
SCALED_CODE = re.compile(rf"([kKTmMbB]|[mM]n|[mM]io|[bB]n|[mM]r?d)({'|'.join(filter(str.isupper, CODES))})(?![A-Za-z])")

# A scale in front of the figure, beside the currency: €m 611.3, USD bn 611.3, ₹ crore 52, Mio. EUR 5.
SCALES_BEFORE = {"k": 3, "tsd": 3, "thousand": 3, "thousands": 3, "000": 3, "'000": 3, "000s": 3, "lakh": 5, "m": 6,
                 "mn": 6, "mm": 6, "mio": 6, "mln": 6, "million": 6, "millions": 6, "cr": 7, "crore": 7, "b": 9,
                 "bn": 9, "mrd": 9, "mld": 9, "billion": 9, "billions": 9, "tn": 12, "trillion": 12}  # fmt: skip
_SIGN = r"(?:US|[A-Z]{1,2})?\$|[€£¥₹]|Rs\.?|[A-Z]{3}"
_SCALE = "|".join(sorted(SCALES_BEFORE, key=len, reverse=True))
SCALE_BEFORE = re.compile(
    rf"(?<![^\W_])(?:({_SIGN}) ?({_SCALE})|(?:(mio|mrd|mln|tsd)\.? ?|([kmtb]|mn|bn))({_SIGN}))[.:]? \Z", re.IGNORECASE
)
# The words that such a pair may be, so that every other word is passed over.
SCALED_WORDS = frozenset(
    {*SCALES_BEFORE, *(code.lower() for code in CODES)}
    | {
        word
        for scale in ("k", "m", "mn", "bn", "b", "mio", "mrd", "t")
        for sign in ("usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "sek", "nok", "dkk", "aud", "cad")
        for word in (f"{sign}{scale}", f"{scale}{sign}")
    }
    | {f"{sign.lower()}${scale}" for sign in PREFIXES for scale in ("k", "m", "mn", "bn", "b")}
)

# Code or group -> the words for it, singular and plural.
_WORDS: dict[str, str] = {
    "$": "dollar dollars bucks dólar dólares dollaro dollari dolar dolares доллар доллара долларов دولار دولارا "
    "دولارات دلار डॉलर ดอลลาร์ דולר",
    "EUR": "euro euros eurot евро يورو یورو यूरो יורו",
    "GBP": "pound pounds sterling quid livre-sterling pfund sterlina sterline libra libras фунт фунта фунтов",
    "JPY": "yen yens yenes iene ienes иена иены иен",
    "CNY": "yuan yuans renminbi юань юаня юаней",
    "INR": "rupee rupees roupie roupies rupie rupien rupia rupias рупия रुपये रुपए रुपया",
    "franc": "franc francs franken franco francos franchi",
    "peso": "peso pesos",
    "BRL": "reais",
    "ZAR": "rand rands",
    "RUB": "ruble rubles rouble roubles rubel rublo rublos рубль рубля рублей руб",
    "KRW": "won",
    "TRY": "lira liras",
    "PLN": "zloty zlotys złotych złoty zł",
    "ILS": "shekel shekels",
    "dirham": "dirham dirhams درهم",
    "SAR": "riyal riyals ريال",
    "rial": "rial rials ریال",
    "dinar": "dinar dinars دينار",
    "kr": "krona kronor krone kroner kronen krónur",
    "THB": "baht บาท",
    "IDR": "rupiah",
    "MYR": "ringgit",
    "NGN": "naira",
    "VND": "dong",
    "UAH": "hryvnia hryvnias",
    "shilling": "shilling shillings",
    "RON": "leu lei",
    "HUF": "forint forints",
    "CZK": "koruna koruny korun Kč",
    "BGN": "leva",
    "KZT": "tenge",
    "GEL": "lari",
    "BDT": "taka",
    "ETB": "birr",
    "GHS": "cedi cedis",
    "GTQ": "quetzal quetzales quetzals",
    "HNL": "lempira lempiras",
    "PEN": "soles",
    "PYG": "guarani guaranies guaranis",
    "MKD": "denar denars denari",
    "BWP": "pula",
    "AMD": "dram drams",
    "KHR": "riel riels",
    "LAK": "kip",
    "MNT": "tugrik tugriks",
    "MMK": "kyat kyats",
    "AFN": "afghani afghanis",
    "GMD": "dalasi dalasis",
    "BOB": "boliviano bolivianos",
    "CRC": "colones",
    "PAB": "balboa balboas",
    "BTC": "bitcoin bitcoins",
    "kwacha": "kwacha kina",
    "AZN": "manat",
    "VES": "bolivar bolivars bolivares",
    "cent": "cent cents eurocent eurocents",
    "penny": "pence penny",
    "centime": "centime centimes céntimo céntimos cêntimo cêntimos centesimo centesimi rappen",
    "centavo": "centavo centavos",
    "paisa": "paisa paise",
    "kopeck": "kopeck kopecks kopek kopeks копейка копейки копеек",
}
WORDS: dict[str, str] = {fold(word): code for code, words in _WORDS.items() for word in words.split()}

# What they count is one hundredth of the unit.
HUNDREDTHS = frozenset(("cent", "penny", "centime", "centavo", "paisa", "kopeck"))

# A word between the figure and the currency word, and what it says.
ADJECTIVES: dict[str, str] = {"us": "USD", "u.s": "USD", "american": "USD", "usd": "USD", "canadian": "CAD",
                              "australian": "AUD", "swiss": "CHF", "british": "GBP", "japanese": "JPY",
                              "chinese": "CNY", "indian": "INR", "singapore": "SGD", "mexican": "MXN",
                              "turkish": "TRY", "brazilian": "BRL",
                              "hong": "HKD", "schweizer": "CHF", "cfa": "XOF", "livre": "GBP", "livres": "GBP",
                              "kanadische": "CAD", "kanadischen": "CAD"}  # fmt: skip
# The same, after the currency word.
ADJECTIVES |= {"americains": "USD", "americain": "USD", "canadiens": "CAD", "canadien": "CAD", "australiens": "AUD",
               "suisses": "CHF", "suisse": "CHF", "estadounidenses": "USD", "americanos": "USD", "americani": "USD",
               "statunitensi": "USD", "canadienses": "CAD", "suizos": "CHF", "svizzeri": "CHF", "mexicanos": "MXN",
               "sterling": "GBP", "esterlinas": "GBP", "сша": "USD", "أمريكي": "USD", "امریکا": "USD"}  # fmt: skip
ADJECTIVES = {fold(word): code for word, code in ADJECTIVES.items()}
LINKS = frozenset(("of", "de", "d", "di", "in", "en", "do", "von", "van", "da"))

# Scripts without spaces: matched from the left, longest first.
CJK_WORDS: dict[str, str] = {
    "米ドル": "USD", "美元": "USD", "美金": "USD", "ドル": "$", "ユーロ": "EUR", "欧元": "EUR", "歐元": "EUR",
    "円": "JPY", "日元": "JPY", "日圆": "JPY", "日圓": "JPY", "人民币": "CNY", "人民幣": "CNY", "元人民币": "CNY",
    "元": "CNY", "英镑": "GBP", "英鎊": "GBP", "ポンド": "GBP", "港元": "HKD", "港币": "HKD", "港幣": "HKD",
    "卢比": "INR", "ルピー": "INR", "卢布": "RUB", "ルーブル": "RUB", "韩元": "KRW", "ウォン": "KRW", "新台币": "TWD",
    "台币": "TWD", "法郎": "franc", "フラン": "franc", "加元": "CAD", "澳元": "AUD", "달러": "$", "유로": "EUR",
    "엔": "JPY", "원": "KRW", "위안": "CNY",
}  # fmt: skip
