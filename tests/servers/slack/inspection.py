"""What no person on Slack may ever read."""

from __future__ import annotations

import re

from tests.servers.inspection import Inspector, Marks
from tests.servers.slack.world import Json, texts_of

MARKS = Marks(
    tokens=re.compile(r"\bx(?:ox[a-z]|app|oxe\.xox[a-z])-[\w-]{6,}"),
    exceptions=re.compile(
        r"Traceback \(most recent call last\)|\b[A-Z]\w+(?:Error|Exception)\b"
        r"|request to the Slack API"
    ),
    hides_ids=re.compile(r"<[@#][^>]*>"),
    pings=re.compile(r"<!(?:channel|here|everyone|subteam)|(?<![\w`])@(?:channel|here|everyone)\b"),
)


def look(inspector: Inspector, where: str, sent: Json) -> None:
    for name in ("text", "markdown_text", "status", "loading_messages", "blocks"):
        inspector.read(where, texts_of(sent.get(name)))
