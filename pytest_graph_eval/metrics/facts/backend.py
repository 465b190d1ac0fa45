"""Replies that are errors of the machinery: an error body, a traceback, an HTTP error page; never an answer."""

from __future__ import annotations

import json

from pytest_graph_eval import lazy_re as re

_ERROR_START = re.compile(
    r"\s*(?:\[(?:error|fatal|exception)\]|"
    r"\[?(?:agent|tool|server|api|backend|system|llm|model) error\b|traceback \(most recent call last\)|"
    r"(?:http(?:/[\d.]+)?[ /]+)?(?:error )?(?:code:? ?)?[45]\d\d\b[ :-]*(?:bad request|unauthorized|forbidden|"
    r"not found|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out|"
    r"client error|server error)|"
    r"(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|"
    r"too many requests)\W*$|"
    r"http(?:/[\d.]+)?[ /:]+(?:status[ :]+)?[45]\d\d\b|error code: ?\d{3}|"
    r"(?:request|connection|read|operation|gateway) (?:has )?(?:timed out|time-?out|refused|reset|aborted)\b.{0,60}$|"
    r"(?:request|call|query|connection) failed (?:with|due|because|after|to)\b|timeout of \d+ ?m?s\b|"
    r"e(?:conn(?:refused|reset|aborted)|timedout|notfound)\b|(?:an? )?(?:\w+ )?error (?:has )?occurred\b|"
    r"something went wrong\b|the (?:server|api|service|backend) (?:returned|responded with) (?:an? )?(?:\w+ )?"
    r"(?:error|[45]\d\d)\b|"
    r"(?:rate limit|quota) (?:exceeded|reached)|"
    r"upstream (?:connect|request|model)\b.{0,40}\b(?:error|timeout|failed|unreachable)|"
    r"(?:[a-z_]\w*\.)*\w*(?:error|exception)(?:\(|: |:$)|error: |fatal: |exception: |"
    r"<(?:!doctype )?html\b)",
    re.IGNORECASE | re.DOTALL,
)
_ERROR_KEYS = ("error", "errors", "exception", "traceback", "detail", "error_message", "error_code")


def is_backend_error(raw: str) -> bool:
    """Tell whether a text is an error of the machinery rather than an answer."""
    text = raw.strip()
    if text[:1] == "{" and text[-1:] == "}":
        return _is_error_body(text)
    return bool(_ERROR_START.match(text[:4000]))


def _is_error_body(text: str) -> bool:
    try:
        body = json.loads(text)
    except ValueError:
        return False
    if not isinstance(body, dict) or body.get("answer") or body.get("response"):
        return False
    if any(body.get(key) for key in _ERROR_KEYS) or body.get("success") is False:
        return True
    if isinstance(message := body.get("message"), str) and _ERROR_START.match(message):
        return True
    codes = (body.get("status"), body.get("code"), body.get("statusCode"))
    return any(
        code.lower() in ("error", "failed") if isinstance(code, str) else isinstance(code, int) and code >= 400
        for code in codes
    )
