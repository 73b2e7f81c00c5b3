"""Looking through everything that the app sends for what no person may ever read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_TOKENS = re.compile(r"\bx(?:ox[a-z]|app|oxe\.xox[a-z])-[\w-]{6,}")
_EXCEPTIONS = re.compile(
    r"Traceback \(most recent call last\)|\b[A-Z]\w+(?:Error|Exception)\b|request to the Slack API"
)
_PINGS = re.compile(r"<!(?:channel|here|everyone|subteam)|(?<![\w`])@(?:channel|here|everyone)\b")
_MENTIONS = re.compile(r"<[@#][^>]*>")


def problems(text: str, secrets: Iterable[str], ids: Iterable[str]) -> Iterator[str]:
    """A sentence for each thing in a text that does not belong there."""
    if found := _TOKENS.search(text):
        yield f"a token ({found[0][:9]}…)"
    if any(secret in text for secret in secrets):
        yield "a secret"
    if found := _EXCEPTIONS.search(text):
        yield f"an exception's text ({found[0]})"
    if found := _PINGS.search(text):
        yield f"a ping of many ({found[0]})"
    bare = _MENTIONS.sub("", text)
    for each in ids:
        if each in bare:
            yield f"a raw id ({each})"
