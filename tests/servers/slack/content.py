"""What a message may be made of: text or Markdown, blocks, metadata, each with its limit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.world import Json

TEXT_IS_CUT = 40_000
MARKDOWN = 12_000
BLOCKS = 50
METADATA = 16_000

_EVENT_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Content:
    text: str
    blocks: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    warning: str = ""


def content_of(call: Call) -> Content:
    """Raise Refused for what Slack does not take."""
    text, markdown = call.get("text"), call.get("markdown_text")
    blocks = _blocks(call)
    if markdown and (text or blocks):
        raise Refused("markdown_text_conflict")
    if len(markdown) > MARKDOWN:
        raise Refused("msg_too_long")
    if not (text or markdown or blocks):
        raise Refused("no_text")
    cut = text[:TEXT_IS_CUT]
    warning = "message_truncated" if cut != text else ""
    return Content(cut or markdown, blocks, _metadata(call), warning)


def _blocks(call: Call) -> list[Json]:
    blocks = call.structure("blocks", "invalid_blocks_format")
    if blocks is None:
        return []
    if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
        raise Refused("invalid_blocks_format")
    if len(blocks) > BLOCKS:
        raise Refused("invalid_blocks")
    for problem in _problems(blocks):
        raise Refused("invalid_blocks", response_metadata={"messages": [f"[ERROR] {problem}"]})
    if sum(len(each.get("text", "")) for each in blocks if each["type"] == "markdown") > MARKDOWN:
        raise Refused("msg_blocks_too_long")
    return blocks


def _problems(blocks: Iterable[Json]) -> Iterable[str]:
    for block in blocks:
        match block.get("type"):
            case "section":
                yield from _too_long("section", block.get("text", {}).get("text", ""), 3_000)
            case "header":
                yield from _too_long("header", block["text"]["text"], 150)
            case "actions":
                yield from _too_many("actions", block["elements"], 25)
                for element in block["elements"]:
                    yield from _button_problems(element)
            case "context":
                yield from _too_many("context", block["elements"], 10)
            case None:
                yield "a block without a type"


def _button_problems(element: Json) -> Iterable[str]:
    if element.get("type") == "button":
        yield from _too_long("a button", element["text"]["text"], 75)
        yield from _too_long("a value", element.get("value", ""), 2_000)
        yield from _too_long("an action_id", element.get("action_id", ""), 255)


def _too_long(what: str, text: str, most: int) -> Iterable[str]:
    if len(text) > most:
        yield f"{what} of more than {most} characters"


def _too_many(what: str, elements: list[Json], most: int) -> Iterable[str]:
    if not 0 < len(elements) <= most:
        yield f"{what} with {len(elements)} elements"


def _metadata(call: Call) -> Json | None:
    metadata = call.structure("metadata", "invalid_metadata_format")
    if metadata is None:
        return None
    if not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}:
        raise Refused("invalid_metadata_format")
    kind, payload = metadata["event_type"], metadata["event_payload"]
    if not isinstance(kind, str) or not _EVENT_TYPE.fullmatch(kind):
        raise Refused("invalid_metadata_format")
    if not isinstance(payload, dict):
        raise Refused("invalid_metadata_format")
    if len(json.dumps(payload)) > METADATA:
        raise Refused("metadata_too_large")
    return metadata
