"""A call is refused for what Slack refuses, in its words, to its own client."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from slack_sdk.errors import SlackApiError

from tests.fakes import FakeClock
from tests.servers.slack.rates import REAL, Tier
from tests.servers.slack.world import Json
from tests.wire.slack_app import web_client
from tests.wire.slack_server.scene import Scene

pytestmark = pytest.mark.slow

Asks = Callable[[Scene], tuple[str, Json]]

CALLS: dict[str, tuple[str, Asks]] = {
    "an unknown method": ("unknown_method", lambda _s: ("chat.shout", {})),
    "a reply to a reply": (
        "cannot_reply_to_message",
        lambda s: ("chat.postMessage", {"text": "a", "thread_ts": s.reply.ts}),
    ),
    "an update of 4,001 characters": (
        "msg_too_long",
        lambda s: ("chat.update", {"ts": s.own.ts, "text": "x" * 4_001}),
    ),
    "an update without text": ("no_text", lambda s: ("chat.update", {"ts": s.own.ts})),
    "an update of nothing": (
        "message_not_found",
        lambda _s: ("chat.update", {"ts": "1", "text": "a"}),
    ),
    "an update of Ann's words": (
        "cant_update_message",
        lambda s: ("chat.update", {"ts": s.root.ts, "text": "a"}),
    ),
    "deleting Ann's words": ("cant_delete_message", lambda s: ("chat.delete", {"ts": s.root.ts})),
    "deleting nothing": ("message_not_found", lambda _s: ("chat.delete", {"ts": "1"})),
    "whispering to nobody": (
        "user_not_found",
        lambda _s: ("chat.postEphemeral", {"user": "U0", "text": "a"}),
    ),
    "whispering to somebody elsewhere": (
        "user_not_in_channel",
        lambda s: ("chat.postEphemeral", {"user": s.home.person("Bob").id, "text": "a"}),
    ),
    "a status under nothing": (
        "invalid_thread_ts",
        lambda s: _status(s, thread_ts="1", status="thinks"),
    ),
    "a status under a reply": (
        "invalid_thread_ts",
        lambda s: _status(s, thread_ts=s.reply.ts, status="thinks"),
    ),
    "no status": ("invalid_arguments", lambda s: _status(s, thread_ts=s.root.ts)),
    "a thread of nothing": ("thread_not_found", lambda _s: ("conversations.replies", {"ts": "1"})),
    "a page of nothing": (
        "invalid_limit",
        lambda s: ("conversations.replies", {"ts": s.root.ts, "limit": -1}),
    ),
    "an unknown page": ("invalid_cursor", lambda _s: ("conversations.history", {"cursor": "x"})),
    "an unknown person": ("user_not_found", lambda _s: ("users.info", {"user": "U0"})),
    "an unknown bot": ("bot_not_found", lambda _s: ("bots.info", {"bot": "B0"})),
    "opening a talk with nobody": (
        "user_not_found",
        lambda _s: ("conversations.open", {"users": "U0"}),
    ),
    "a reaction with colons": (
        "invalid_name",
        lambda s: ("reactions.add", {"timestamp": s.root.ts, "name": ":eyes:"}),
    ),
    "no reaction to remove": (
        "no_reaction",
        lambda s: ("reactions.remove", {"timestamp": s.root.ts, "name": "eyes"}),
    ),
    "opening sockets with the bot's token": (
        "not_allowed_token_type",
        lambda _s: ("apps.connections.open", {}),
    ),
}


def _status(scene: Scene, **arguments: object) -> tuple[str, Json]:
    return "assistant.threads.setStatus", {"channel_id": scene.channel.id, **arguments}


@pytest.mark.parametrize("what", CALLS)
async def test_a_call_is_refused(scene: Scene, what: str) -> None:
    error, asks = CALLS[what]
    method, arguments = asks(scene)

    assert await scene.refusal(method, **arguments) == error


SCOPES: dict[str, tuple[str, Asks]] = {
    "posting": ("chat:write", lambda _s: ("chat.postMessage", {"text": "a"})),
    "editing": ("chat:write", lambda s: ("chat.update", {"ts": s.own.ts, "text": "a"})),
    "a status": ("chat:write", lambda s: _status(s, thread_ts=s.root.ts, status="thinks")),
    "a thread": ("channels:history", lambda s: ("conversations.replies", {"ts": s.root.ts})),
    "a channel's facts": ("channels:read", lambda _s: ("conversations.info", {})),
    "a private channel's facts": (
        "groups:read",
        lambda s: ("conversations.info", {"channel": s.home.channel("x", kind="private").id}),
    ),
    "a group's history": (
        "mpim:history",
        lambda s: ("conversations.history", {"channel": s.home.group(s.ann).id}),
    ),
    "a direct message's history": (
        "im:history",
        lambda s: ("conversations.history", {"channel": s.home.direct(s.ann).id}),
    ),
    "opening one": ("im:write", lambda s: ("conversations.open", {"users": s.ann.id})),
    "a person": ("users:read", lambda s: ("users.info", {"user": s.ann.id})),
    "a reaction": (
        "reactions:write",
        lambda s: ("reactions.add", {"timestamp": s.root.ts, "name": "eyes"}),
    ),
}


@pytest.mark.parametrize("what", SCOPES)
async def test_each_scope_is_asked_for(scene: Scene, what: str) -> None:
    scope, asks = SCOPES[what]
    method, arguments = asks(scene)
    assert await scene.refusal(method, **arguments) == ""
    scene.home.scopes.remove(scope)

    with pytest.raises(SlackApiError) as refused:
        await scene.client.api_call(method, json={"channel": scene.channel.id, **arguments})

    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == scope
    assert refused.value.response["provided"] == ",".join(sorted(scene.home.scopes))


async def test_an_app_sees_and_writes_only_where_it_is(scene: Scene) -> None:
    public = scene.home.channel("random", scene.ann, bot=False)
    private = scene.home.channel("secret", scene.ann, kind="private", bot=False)

    for channel, error in ((public, "not_in_channel"), (private, "channel_not_found")):
        here = {"channel": channel.id}
        assert await scene.refusal("chat.postMessage", **here, text="a") == error
        assert await scene.refusal("conversations.history", **here) == error
    scene.home.scopes.add("chat:write.public")
    assert await scene.refusal("chat.postMessage", channel=public.id, text="a") == ""


async def test_an_archived_channel_is_only_read(scene: Scene) -> None:
    scene.channel.archived = True

    assert await scene.refusal("chat.postMessage", text="a") == "is_archived"
    assert await scene.refusal("chat.update", ts=scene.own.ts, text="a") == "is_archived"
    assert await scene.refusal("conversations.history") == ""


async def test_tokens_are_looked_at_first(scene: Scene) -> None:
    for token, error in (("", "not_authed"), ("xoxb-wrong", "invalid_auth")):
        async with web_client(scene.slack, token) as client:
            with pytest.raises(SlackApiError, match=error):
                await client.auth_test()
    scene.home.token_error = "token_revoked"
    assert await scene.refusal("auth.test") == "token_revoked"


async def test_an_app_token_opens_sockets_and_nothing_else(scene: Scene) -> None:
    token = scene.home.app_token

    async with web_client(scene.slack, token) as client:
        assert (await client.auth_test())["app_id"] == scene.home.hub.app_id
        assert (await client.apps_connections_open(app_token=token))["url"]
        with pytest.raises(SlackApiError, match="not_allowed_token_type"):
            await client.chat_postMessage(channel=scene.channel.id, text="a")
        scene.home.app_token_connects = False
        with pytest.raises(SlackApiError, match="connections:write"):
            await client.apps_connections_open(app_token=token)


async def test_old_messages_are_not_edited_any_more(scene: Scene, time: FakeClock) -> None:
    scene.home.edit_window = 60
    time.advance(61_000)

    assert await scene.refusal("chat.update", ts=scene.own.ts, text="a") == "edit_window_closed"


async def test_a_rate_is_kept_in_each_workspace_and_each_channel(
    scene: Scene, time: FakeClock
) -> None:
    scene.slack.limit({"chat.postMessage": Tier(3), "chat.postMessage/channel": Tier(2, 5)})
    elsewhere = scene.home.channel("random").id
    posts = [await scene.refusal("chat.postMessage", text="a") for _ in range(3)]
    others = [
        await scene.refusal("chat.postMessage", text="a", channel=elsewhere) for _ in range(2)
    ]

    assert posts == ["", "", "ratelimited"]
    assert others == ["", "ratelimited"]
    with pytest.raises(SlackApiError) as limited:
        await scene.client.chat_postMessage(channel=scene.channel.id, text="a")
    assert limited.value.response.status_code == 429
    assert limited.value.response.headers["Retry-After"] == "60"
    time.advance(60_000)
    assert await scene.refusal("chat.postMessage", text="a") == ""


async def test_the_real_tiers_are_settable(scene: Scene) -> None:
    scene.slack.limit(REAL)
    edits = [await scene.refusal("chat.update", ts=scene.own.ts, text="a") for _ in range(51)]

    assert edits == [""] * 50 + ["ratelimited"]
