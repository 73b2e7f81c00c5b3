"""Looking through everything that the app sends for what no person may ever read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.servers.slack.world import Json, texts_of

_TOKENS = re.compile(r"\bx(?:ox[a-z]|app|oxe\.xox[a-z])-[\w-]{6,}")
_EXCEPTIONS = re.compile(
    r"Traceback \(most recent call last\)|\b[A-Z]\w+(?:Error|Exception)\b|request to the Slack API"
)
_PINGS = re.compile(r"<!(?:channel|here|everyone|subteam)|(?<![\w`])@(?:channel|here|everyone)\b")
_MENTIONS = re.compile(r"<[@#][^>]*>")


@dataclass(slots=True)
class Inspector:
    """Knows every secret and every id. `found` has a sentence for each that was sent in words."""

    secrets: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    found: list[str] = field(default_factory=list)

    def look(self, where: str, sent: Json) -> None:
        for name in ("text", "markdown_text", "status", "loading_messages", "blocks"):
            for text in texts_of(sent.get(name)):
                self.found += [f"{where}: {each} in: {text[:80]}" for each in self._in(text)]

    def _in(self, text: str) -> Iterator[str]:
        if found := _TOKENS.search(text):
            yield f"a token ({found[0][:9]}…)"
        if any(secret in text for secret in self.secrets):
            yield "a secret"
        if found := _EXCEPTIONS.search(text):
            yield f"an exception's text ({found[0]})"
        if found := _PINGS.search(text):
            yield f"a ping of many ({found[0]})"
        bare = _MENTIONS.sub("", text)
        for each in self.ids:
            if each in bare:
                yield f"a raw id ({each})"
