"""Answers of Responses, as OpenAI frames them, whole and broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain, count, zip_longest
from typing import Literal

from tests.servers.openai.rules import Json
from tests.servers.openai.wire import MODEL, Stream

USAGE: Json = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 25,
}

Status = Literal["completed", "incomplete"]

_numbers = count(1)


def message(text: str, *, phase: str | None = None) -> Json:
    """An item of text."""
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    phased = {"phase": phase} if phase else {}
    return {**_item("msg", "message"), "role": "assistant", "content": content, **phased}


def refusal(text: str) -> Json:
    return {**message(""), "content": [{"type": "refusal", "refusal": text}]}


def call(call_id: str, name: str, arguments: str = "{}") -> Json:
    """An item that asks for a tool."""
    return {
        **_item("fc", "function_call"),
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def reasoning() -> Json:
    """An item that only its maker can read."""
    item = _item("rs", "reasoning")
    return {**item, "summary": [], "encrypted_content": f"gAAAA-{item['id']}"}


def says(*pieces: str, usage: Json | None = None) -> Stream:
    """A whole answer of text."""
    return whole(message("".join(pieces)), pieces=pieces, usage=usage)


def whole(
    *output: Json, pieces: Sequence[str] = (), usage: Json | None = None, reason: str | None = None
) -> Stream:
    """An answer of these items; with a `reason` it is incomplete. `pieces`: how text is cut."""
    events = [_started(), *chain.from_iterable(map(_told, count(), output, [pieces] * len(output)))]
    status: Status = "incomplete" if reason else "completed"
    return framed(*events, _ended(status, output, usage, reason))


def interleaved(*calls: Json) -> Stream:
    """Calls whose arguments come in pieces, by turns."""
    told = [list(_told(index, item, ())) for index, item in enumerate(calls)]
    by_turns = [event for events in zip_longest(*told) for event in events if event]
    return framed(_started(), *by_turns, _ended("completed", calls, None, None))


def broken(*pieces: str, end: Literal["eof", "cut", "hang"], last: Json | None = None) -> Stream:
    """An answer that does not end, or with a `last` event that is no end."""
    item = message("".join(pieces))
    told = list(_told(0, item, pieces))[: 2 + len(pieces)] if pieces else []
    return framed(_started(), *told, *([last] if last else []), end=end)


def failed(code: str, text: str = "Oh.") -> Stream:
    """An answer that the service gives up, and says why."""
    error = {"code": code, "message": text}
    response = {**_response("failed"), "error": error}
    return framed(_started(), {"type": "response.failed", "response": response})


def error(code: str | None, text: str = "Oh.") -> Stream:
    """The event `error` in the middle of a stream."""
    return framed(_started(), {"type": "error", "code": code, "message": text, "param": None})


def framed(*events: Json, end: Literal["eof", "cut", "hang"] = "eof") -> Stream:
    """Server-sent events; Responses has no last line."""
    numbered = ({**event, "sequence_number": number} for number, event in enumerate(events))
    return Stream(
        tuple(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in numbered), end
    )


def output_of(stream: Stream) -> list[Json]:
    """The items that an answer gives out."""
    events = [json.loads(str(chunk).partition("data: ")[2]) for chunk in stream.chunks]
    return [each["item"] for each in events if each["type"] == "response.output_item.done"]


def _item(prefix: str, kind: str) -> Json:
    return {"id": f"{prefix}_{next(_numbers)}", "type": kind, "status": "completed"}


def _response(status: str) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1796040000,
        "model": MODEL,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }


def _started() -> Json:
    return {"type": "response.created", "response": _response("in_progress")}


def _ended(status: Status, output: Sequence[Json], usage: Json | None, reason: str | None) -> Json:
    response = {**_response(status), "output": list(output), "usage": usage or USAGE}
    if reason:
        response["incomplete_details"] = {"reason": reason}
    return {"type": f"response.{status}", "response": response}


def _told(index: int, item: Json, pieces: Sequence[str]) -> Iterator[Json]:
    """The events of one item. What is not yet done is not whole, reasoning least of all."""
    at = {"output_index": index, "item_id": item["id"]}
    begun = {**item, "status": "in_progress", "content": [], "arguments": ""}
    yield {"type": "response.output_item.added", **at, "item": {**begun, "encrypted_content": "g"}}
    match item["type"]:
        case "message":
            yield from _said(at, item["content"][0], pieces)
        case "function_call":
            half = len(item["arguments"]) // 2
            for piece in (item["arguments"][:half], item["arguments"][half:]):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _said(at: Json, content: Json, pieces: Sequence[str]) -> Iterator[Json]:
    kind = content["type"]
    text = content[kind.removeprefix("output_")]
    inside = {**at, "content_index": 0}
    yield {"type": "response.content_part.added", **inside, "part": {**content, "text": ""}}
    for piece in pieces or (text,):
        yield {"type": f"response.{kind}.delta", **inside, "delta": piece}
    yield {"type": f"response.{kind}.done", **inside, "text": text}
