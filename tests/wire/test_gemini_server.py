"""The server on the loopback refuses what the real one refuses."""

import base64
from collections.abc import Iterator

import pytest

from memory.messages import Message, Text, ToolCall, ToolResult, assistant, tool, user
from tests.servers.gemini.form import Json, Part
from tests.servers.gemini.rules import Refused, check, signature

pytestmark = pytest.mark.slow

MODEL = "gemini-test"


def signed(part: Json, model: str = MODEL) -> Json:
    made = signature(Part.model_validate(part), model)
    return {**part, "thoughtSignature": base64.b64encode(made).decode()}


QUESTION: Json = {"role": "user", "parts": [{"text": "Hello?"}]}
ANSWER: Json = {"role": "model", "parts": [{"text": "Hi."}]}
CALL: Json = {"functionCall": {"name": "look_up", "args": {}, "id": "a"}}
OTHER: Json = {"functionCall": {"name": "look_up", "args": {"id": 2}}}
RESPONSE: Json = {"functionResponse": {"name": "look_up", "id": "a", "response": {"output": "yes"}}}
OTHER_RESPONSE: Json = {"functionResponse": {"name": "look_up", "response": {"output": 2}}}
TOOL: Json = {"functionDeclarations": [{"name": "look_up", "parametersJsonSchema": {}}]}


def body(*contents: Json, **more: object) -> Json:
    return {"contents": list(contents), **more}


def asks(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def answers(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def response(**changed: object) -> Json:
    return {"functionResponse": {**RESPONSE["functionResponse"], **changed}}


SIGNED = signed(CALL)
ALTERED = {**CALL, "thoughtSignature": signed(OTHER)["thoughtSignature"]}


def refused_forms() -> Iterator[tuple[str, Json]]:
    yield "no contents", body()
    yield "an unknown field", body(QUESTION, top_k=4)
    yield "an unknown field of a part", body(answers({"text": "Hello?", "id": "m1"}))
    yield "a role of others", body({**QUESTION, "role": "assistant"})
    yield "a system prompt among the contents", body({**QUESTION, "role": "system"}, QUESTION)
    yield "no parts", body(answers())
    yield "an empty part", body(answers({}))
    yield "an empty text", body(answers({"text": ""}))
    yield "an empty text beside another", body(QUESTION, asks({"text": ""}), QUESTION)
    yield "two things in one part", body(answers({"text": "Hello?", **RESPONSE}))
    yield "an empty list of tools", body(QUESTION, tools=[])
    yield "a mode without tools", body(QUESTION, toolConfig={})


def refused_histories() -> Iterator[tuple[str, Json]]:
    yield "the model first", body(ANSWER, QUESTION)
    yield "the model last", body(QUESTION, ANSWER)
    yield "two of one side in a row", body(QUESTION, QUESTION)
    yield "a call of the user", body(answers({"text": "Hello?"}, CALL))
    yield "an image of the model", body(QUESTION, asks({"inlineData": {"mimeType": "image/png"}}))
    yield "a response nobody asked for", body(QUESTION, ANSWER, answers(RESPONSE))
    yield "a response first", body(answers(RESPONSE))
    yield "a call without response", body(QUESTION, asks(SIGNED), QUESTION)
    yield "a call at the end", body(QUESTION, asks(SIGNED))
    yield "too few responses", body(QUESTION, asks(SIGNED, OTHER), answers(RESPONSE))
    yield "too many responses", body(QUESTION, asks(SIGNED), answers(RESPONSE, OTHER_RESPONSE))
    yield "another order", body(QUESTION, asks(SIGNED, OTHER), answers(OTHER_RESPONSE, RESPONSE))
    yield "another name", body(QUESTION, asks(SIGNED), answers(response(name="b")))
    yield "another id", body(QUESTION, asks(SIGNED), answers(response(id="b")))
    yield "an id of somebody else", body(QUESTION, asks(signed(OTHER)), answers(RESPONSE))
    yield "no id", body(QUESTION, asks(SIGNED), answers(OTHER_RESPONSE))
    yield "a response of plain text", body(QUESTION, asks(SIGNED), answers(response(response="x")))
    yield "a response of neither", body(QUESTION, asks(SIGNED), answers(response(response={})))
    yield "no signature", body(QUESTION, asks(CALL), answers(RESPONSE))
    yield "an altered signature", body(QUESTION, asks(ALTERED), answers(RESPONSE))
    yield "another model's", body(QUESTION, asks(signed(CALL, "other")), answers(RESPONSE))
    yield "a moved signature", body(QUESTION, asks(CALL, SIGNED), answers(RESPONSE, RESPONSE))
    earlier = (QUESTION, asks(ALTERED), answers(RESPONSE), ANSWER)
    yield "an altered signature of an earlier turn", body(*earlier, QUESTION)


REFUSED = dict([*refused_forms(), *refused_histories()])


@pytest.mark.parametrize("what", REFUSED)
def test_the_server_refuses(what: str) -> None:
    with pytest.raises(Refused):
        check(REFUSED[what], MODEL)


def test_the_server_takes_a_whole_history_and_knows_its_neutral_form() -> None:
    turn = (QUESTION, asks(SIGNED, OTHER), answers(RESPONSE, OTHER_RESPONSE), ANSWER)
    taken = check(body(*turn, QUESTION, systemInstruction=QUESTION, tools=[TOOL]), MODEL)

    assert taken.system == "Hello?"
    assert taken.messages == (
        user("Hello?"),
        assistant(
            "", ToolCall("call_1_0", "look_up", "{}"), ToolCall("call_1_1", "look_up", '{"id": 2}')
        ),
        tool(ToolResult("call_1_0", "look_up", "yes")),
        tool(ToolResult("call_1_1", "look_up", "2")),
        assistant("Hi."),
        user("Hello?"),
    )
    assert [spec.name for spec in taken.tools] == ["look_up"]


def test_a_signature_may_come_in_both_alphabets() -> None:
    other = base64.urlsafe_b64encode(base64.b64decode(SIGNED["thoughtSignature"])).decode()
    again = {**CALL, "thoughtSignature": other}

    assert other != SIGNED["thoughtSignature"]
    assert check(body(QUESTION, asks(again), answers(RESPONSE)), MODEL).messages[1].calls


def test_calls_of_earlier_turns_need_no_signature() -> None:
    taken = check(body(QUESTION, asks(CALL), answers(RESPONSE), ANSWER, QUESTION), MODEL)

    assert len(taken.messages) == 5


def test_both_spellings_of_a_key_are_taken() -> None:
    image = {"inline_data": {"mime_type": "image/png", "data": "iVBO"}}

    assert check(body(answers({"text": "What?"}, image)), MODEL).messages[0].parts[0] == Text(
        "What?"
    )


def test_thoughts_are_nobodys_words() -> None:
    thinks = asks({"text": "Hm.", "thought": True}, {"text": "Hi."})

    assert check(body(QUESTION, thinks, QUESTION), MODEL).messages[1] == Message(
        "assistant", (Text("Hi."),)
    )
