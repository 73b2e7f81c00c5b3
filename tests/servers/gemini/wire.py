"""Answers of Gemini, as Google frames them, whole and broken."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.model import ModelRequest
from tests.servers.gemini.form import Json

SIGN = "sign me"  # in a part's thoughtSignature: the server signs it when it is sent
SIGNED: Json = {"text": "", "thoughtSignature": SIGN}  # how a streamed text ends
USAGE: Json = {"promptTokenCount": 20, "candidatesTokenCount": 5, "totalTokenCount": 25}

End = Literal["done", "cut", "hang"]


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer as server-sent events; a `str` is sent as it is, to break something.

    It ends as the real one does, in the middle of the connection (`cut`), or never (`hang`).
    """

    chunks: tuple[Json | str, ...]
    end: End = "done"


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error."""

    code: int
    status: str = "INVALID_ARGUMENT"
    message: str = "Something is wrong."
    details: tuple[Json, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> Json:
        error: Json = {"code": self.code, "message": self.message, "status": self.status}
        return {"error": {**error, "details": list(self.details)} if self.details else error}


Answer = Stream | Failure
Brain = Callable[[ModelRequest], Answer]


def says(*pieces: str, finish: str = "STOP", usage: Json | None = None) -> Stream:
    """A whole answer of text; the last chunk has its signature."""
    texts = ({"text": piece} for piece in pieces)
    return whole(*texts, *([SIGNED] if pieces else []), finish=finish, usage=usage)


def calls(*wanted: Json, text: str = "", usage: Json | None = None) -> Stream:
    """A whole answer of function calls, in one chunk; the first has the signature."""
    spoken = [{"text": text}] if text else []
    signed = ({"thoughtSignature": SIGN}, *({} for _ in wanted[1:]))
    asked = ({"functionCall": call, **sign} for call, sign in zip(wanted, signed, strict=True))
    return Stream((chunk(*spoken, *asked, finish="STOP", usage=usage or USAGE),))


def call(name: str, args: Json | None = None, call_id: str | None = None) -> Json:
    bare: Json = {"name": name, "args": args or {}}
    return {**bare, "id": call_id} if call_id else bare


def whole(*parts: Json, finish: str = "STOP", usage: Json | None = None) -> Stream:
    """An answer of these parts, one chunk each; the last one has the finish reason."""
    *before, last = parts or ({},)
    final = chunk(*([last] if last else []), finish=finish, usage=usage or USAGE)
    return Stream((*map(chunk, before), final))


def broken(*parts: Json, end: End) -> Stream:
    """An answer that has no finish reason."""
    return Stream(tuple(map(chunk, parts)), end)


def blocked(reason: str = "PROHIBITED_CONTENT") -> Stream:
    """The question was not even given to the model."""
    return Stream(({"promptFeedback": {"blockReason": reason}, "usageMetadata": USAGE},))


def chunk(*parts: Json, finish: str | None = None, usage: Json | None = None) -> Json:
    candidate: Json = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": usage or {"promptTokenCount": 20},
        "modelVersion": "gemini-test-001",
        "responseId": "r1",
    }


class Script:
    """Answers in order, as a brain."""

    def __init__(self, *answers: Answer) -> None:
        self.left = deque(answers)

    def __call__(self, _request: ModelRequest) -> Answer:
        if not self.left:
            return Failure(400, message="The script has no answer left.")
        return self.left.popleft()
