"""A streamed answer of Gemini, put together chunk by chunk."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from uuid import uuid4

from google.genai.types import (
    Candidate,
    Content,
    FinishReason,
    FunctionCall,
    GenerateContentResponse,
    GenerateContentResponseUsageMetadata,
    Part,
)
from pydantic import JsonValue

from adapters.gemini.contents import NAME, calls_of, text_of
from bot.errors import ModelError
from bot.model import Finish, ModelResponse, Usage
from memory.messages import Message, ToolCall, assistant

_REFUSED = {
    FinishReason.SAFETY,
    FinishReason.RECITATION,
    FinishReason.LANGUAGE,
    FinishReason.BLOCKLIST,
    FinishReason.PROHIBITED_CONTENT,
    FinishReason.SPII,
    FinishReason.IMAGE_SAFETY,
    FinishReason.IMAGE_PROHIBITED_CONTENT,
    FinishReason.IMAGE_RECITATION,
    FinishReason.MODEL_ARMOR,
}
_BROKEN = {
    FinishReason.OTHER,
    FinishReason.MALFORMED_FUNCTION_CALL,
    FinishReason.UNEXPECTED_TOOL_CALL,
    FinishReason.TOO_MANY_TOOL_CALLS,
    FinishReason.MISSING_THOUGHT_SIGNATURE,
    FinishReason.MALFORMED_RESPONSE,
    FinishReason.CONTINUATION,  # it has not ended; going on by itself is switched off
}
_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


class Incoming:
    """One answer while it comes in. `taken`: the ids of the calls before it."""

    def __init__(self, asked: str, taken: Collection[str]) -> None:
        self._asked = asked
        self._taken = set(taken)
        self._model = ""
        self._parts: list[Part] = []
        self._finish_reason: FinishReason | None = None
        self._usage = Usage()

    @property
    def is_whole(self) -> bool:
        return self._finish_reason is not None

    def take(self, chunk: GenerateContentResponse) -> str:
        """The chunk's text. Raise ModelError when the question was blocked."""
        self._model = chunk.model_version or self._model
        if chunk.usage_metadata:
            self._usage = _counted(chunk.usage_metadata)
        feedback = chunk.prompt_feedback
        if feedback and feedback.block_reason:
            why = f"{self._name}: prompt blocked, {feedback.block_reason.name}"
            raise ModelError(why, retryable=False, kind="blocked")
        return "".join(self._take(each) for each in (chunk.candidates or [])[:1])

    def response(self) -> ModelResponse:
        """Raise ModelError when the answer broke off, or broke."""
        finish = self._finish()
        parts = [part for part in self._parts if not (finish == "refused" and part.function_call)]
        calls = (self._tool_call(call) for call in calls_of(parts))
        message = assistant(text_of(parts), *calls)
        return ModelResponse(_rendered(message, parts), finish, self._usage, self._name)

    @property
    def _name(self) -> str:
        return f"{NAME}:{self._model or self._asked}"

    def _take(self, candidate: Candidate) -> str:
        self._finish_reason = candidate.finish_reason or self._finish_reason
        parts = (candidate.content and candidate.content.parts) or []
        for part in parts:
            self._keep(part)
        return "".join(part.text for part in parts if part.text and not part.thought)

    def _keep(self, part: Part) -> None:
        """Texts in a row were cut by the stream; what has a signature stays a part of its own."""
        if part in (Part(), Part(text="")):
            return
        last = self._parts[-1] if self._parts else Part()
        if _is_plain(last) and _is_plain(part):
            self._parts[-1] = Part(text=f"{last.text}{part.text}")
        else:
            self._parts.append(part)

    def _tool_call(self, call: FunctionCall) -> ToolCall:
        """Its id is ours where Gemini's does not tell it apart; what goes back is Gemini's."""
        identity = call.id or ""
        if not _ID.fullmatch(identity) or identity in self._taken:
            identity = f"call_{uuid4().hex[:24]}"
        self._taken.add(identity)
        return ToolCall(identity, call.name or "", json.dumps(call.args or {}, ensure_ascii=False))

    def _finish(self) -> Finish:
        reason = self._finish_reason
        if reason is None:
            raise ModelError(f"{self._name}: the stream ended without an answer", retryable=True)
        if reason in _REFUSED:
            return "refused"
        if reason is FinishReason.MAX_TOKENS:
            return "length"
        if reason in _BROKEN:
            raise ModelError(f"{self._name}: finished with {reason.name}", retryable=True)
        return "stop"


def _rendered(message: Message, parts: list[Part]) -> Message:
    """With the parts as they came, when they are more than the text."""
    if all(_is_plain(part) for part in parts):
        return message
    content = Content(role="model", parts=parts)
    own: JsonValue = content.model_dump(mode="json", exclude_none=True)
    return Message(message.role, message.parts, {NAME: own})


def _is_plain(part: Part) -> bool:
    """Nothing but text."""
    return part.text is not None and part == Part(text=part.text)


def _counted(usage: GenerateContentResponseUsageMetadata) -> Usage:
    thoughts = usage.thoughts_token_count or 0
    return Usage(
        input_tokens=usage.prompt_token_count or 0,
        cached_tokens=usage.cached_content_token_count or 0,
        output_tokens=(usage.candidates_token_count or 0) + thoughts,
        reasoning_tokens=thoughts,
    )
