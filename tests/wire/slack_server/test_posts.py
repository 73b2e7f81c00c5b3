"""A post is refused for what Slack refuses, in its words."""

from __future__ import annotations

import pytest

from tests.servers.slack.world import Json
from tests.wire.slack_server.scene import Scene

pytestmark = pytest.mark.slow


def button(**changed: object) -> Json:
    text = {"type": "plain_text", "text": "Go"}
    return {"type": "button", "action_id": "go", "text": text, **changed}


def actions(*elements: Json) -> list[Json]:
    return [{"type": "actions", "elements": list(elements)}]


def section(size: int) -> list[Json]:
    return [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * size}}]


def mark(**changed: object) -> Json:
    return {"event_type": "nimbus", "event_payload": {"turn": "1"}, **changed}


POSTS: dict[str, tuple[str, Json]] = {
    "nothing to say": ("no_text", {}),
    "an empty text": ("no_text", {"text": ""}),
    "text and Markdown": ("markdown_text_conflict", {"text": "a", "markdown_text": "b"}),
    "blocks and Markdown": (
        "markdown_text_conflict",
        {"blocks": section(3), "markdown_text": "b"},
    ),
    "Markdown of 12,001 characters": ("msg_too_long", {"markdown_text": "x" * 12_001}),
    "51 blocks": ("invalid_blocks", {"blocks": section(1) * 51}),
    "a section of 3,001 characters": ("invalid_blocks", {"blocks": section(3_001)}),
    "no blocks at all": ("invalid_blocks_format", {"blocks": "{"}),
    "blocks that are none": ("invalid_blocks_format", {"blocks": ["x"]}),
    "a block without a type": ("invalid_blocks", {"blocks": [{"text": "x"}]}),
    "actions without any": ("invalid_blocks", {"blocks": actions()}),
    "26 buttons": ("invalid_blocks", {"blocks": actions(*[button()] * 26)}),
    "a button of 76 characters": (
        "invalid_blocks",
        {"blocks": actions(button(text={"type": "plain_text", "text": "x" * 76}))},
    ),
    "a value of 2,001 characters": (
        "invalid_blocks",
        {"blocks": actions(button(value="x" * 2_001))},
    ),
    "Markdown blocks of 12,001 characters": (
        "msg_blocks_too_long",
        {"blocks": [{"type": "markdown", "text": "x" * 6_001}] * 2},
    ),
    "metadata that is none": ("invalid_metadata_format", {"text": "a", "metadata": "nimbus"}),
    "metadata without a payload": (
        "invalid_metadata_format",
        {"text": "a", "metadata": {"event_type": "nimbus"}},
    ),
    "metadata with a payload of text": (
        "invalid_metadata_format",
        {"text": "a", "metadata": mark(event_payload="1")},
    ),
    "metadata of no name": (
        "invalid_metadata_format",
        {"text": "a", "metadata": mark(event_type="")},
    ),
    "metadata of 16 kB": (
        "metadata_too_large",
        {"text": "a", "metadata": mark(event_payload={"turn": "x" * 16_000})},
    ),
    "an unknown channel": ("channel_not_found", {"text": "a", "channel": "C0"}),
    "an unknown thread": ("thread_not_found", {"text": "a", "thread_ts": "1.000000"}),
}


@pytest.mark.parametrize("what", POSTS)
async def test_a_post_is_refused(scene: Scene, what: str) -> None:
    error, arguments = POSTS[what]

    assert await scene.refusal("chat.postMessage", **arguments) == error
    assert len(scene.channel.messages) == 3
