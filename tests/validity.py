"""What every provider asks of a request, checked in one place."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from bot.model import ModelRequest
from memory.messages import Image, Message, Text, ToolCall, ToolResult

ALLOWED: dict[str, tuple[type, ...]] = {
    "user": (Text, Image),
    "assistant": (Text, ToolCall),
    "tool": (ToolResult,),
}


def problems(request: ModelRequest) -> list[str]:
    """Why a provider would refuse the request, in sentences; empty when it would not."""
    return [
        *_ends(request.messages),
        *_contents(request.messages),
        *_pairs(request.messages),
        *_ids(request.messages),
        *_tools(request),
    ]


def _ends(messages: Sequence[Message]) -> Iterator[str]:
    if not messages:
        yield "There is no message."
        return
    if messages[0].role != "user":
        yield f"It begins with a message of role {messages[0].role}."
    if messages[-1].role == "assistant":
        yield "It ends with an assistant message."


def _contents(messages: Iterable[Message]) -> Iterator[str]:
    for index, message in enumerate(messages):
        if not any(_says_something(part) for part in message.parts):
            yield f"Message {index} is empty."
        if not all(isinstance(part, ALLOWED[message.role]) for part in message.parts):
            yield f"Message {index} has a part that the role {message.role} cannot have."
        if not _is_unicode(message):
            yield f"Message {index} has half a character, which is not sent as UTF-8."


def _says_something(part: Text | Image | ToolCall | ToolResult) -> bool:
    return not isinstance(part, Text) or bool(part.text.strip())


def _is_unicode(message: Message) -> bool:
    try:
        "\n".join(map(_written, message.parts)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _written(part: Text | Image | ToolCall | ToolResult) -> str:
    match part:
        case Text():
            return part.text
        case Image():
            return part.reference
        case ToolCall():
            return part.id + part.name + part.arguments
        case ToolResult():
            return part.call_id + part.name + part.text


def _pairs(messages: Iterable[Message]) -> Iterator[str]:
    """Each call is answered once, directly after its message and before anything else."""
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.role != "tool":
            yield from _unanswered(waiting)
            waiting = [call.id for call in message.calls]
        for result in message.results:
            if result.call_id in waiting:
                waiting.remove(result.call_id)
            else:
                yield f"Message {index} answers {result.call_id!r}, which nobody waits for."
    yield from _unanswered(waiting)


def _unanswered(waiting: Iterable[str]) -> Iterator[str]:
    for call_id in waiting:
        yield f"The call {call_id!r} has no result directly after it."


def _ids(messages: Iterable[Message]) -> Iterator[str]:
    counts = Counter(call.id for message in messages for call in message.calls)
    for call_id, count in counts.items():
        if not call_id:
            yield "A call has no id."
        elif count > 1:
            yield f"{count} calls have the id {call_id!r}."


def _tools(request: ModelRequest) -> Iterator[str]:
    names = Counter(spec.name for spec in request.tools)
    yield from (f"{count} tools are named {name!r}." for name, count in names.items() if count > 1)
    if request.tool_choice == "none" and not request.tools:
        yield "Tool choice is none, but the tools are gone."
