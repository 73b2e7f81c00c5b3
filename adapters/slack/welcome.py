"""A word to who opens the app or brings us into a channel; said once."""

from __future__ import annotations

import logging
from functools import partial

from adapters.slack.decode import in_lines
from adapters.slack.events import Json
from adapters.slack.outlet import Workspace
from adapters.slack.paced import insisted, paced, paced_once
from adapters.slack.posts import HISTORY, POST
from adapters.slack.socket import After
from adapters.slack.web import SlackError
from bot import wording
from bot.platform import Address, Reception

_log = logging.getLogger(__name__)


def welcomed(reception: Reception, workspace: Workspace, event: Json) -> After | None:
    """What is said after this event was acknowledged, if anything."""
    match event.get("type"):
        case "app_home_opened" if event.get("tab") == "messages":
            return partial(_greet, reception, workspace, event)
        case "member_joined_channel" if event.get("user") == workspace.us.user:
            return partial(_thank, reception, workspace, event) if event.get("inviter") else None
        case _:
            return None


async def whisper(workspace: Workspace, address: Address, text: str) -> None:
    """Tell one person only. It is not promised to arrive, by Slack either."""
    channel = address["channel"]
    call = partial(
        workspace.client.chat_postEphemeral,
        channel=channel,
        user=address["user"],
        thread_ts=address["thread"] or None,
        text=in_lines(text),
    )
    try:
        await paced(workspace.posts.governor, "chat.postEphemeral", channel, call)
    except SlackError as error:
        _log.warning("Not whispered: %s", error, extra={"action": "slack.not_whispered"})


async def _greet(reception: Reception, workspace: Workspace, event: Json) -> None:
    """Only where nothing was ever said: the event comes each time that somebody looks."""
    if not await reception.is_news("welcome", workspace.us.person(event["user"])):
        return
    text = in_lines(wording.welcome(reception.name))
    try:
        await insisted(
            workspace.posts.governor, partial(_open_talk, workspace, event["channel"], text)
        )
    except SlackError as error:
        _log.warning("Not welcomed: %s", error, extra={"action": "slack.not_welcomed"})


async def _open_talk(workspace: Workspace, channel: str, text: str) -> None:
    """Done twice it says it once."""
    governor, client = workspace.posts.governor, workspace.client
    look = partial(client.conversations_history, channel=channel, limit=1)
    if not (await paced_once(governor, HISTORY, channel, look))["messages"]:
        post = partial(client.chat_postMessage, channel=channel, text=text)
        await paced_once(governor, POST, channel, post)


async def _thank(reception: Reception, workspace: Workspace, event: Json) -> None:
    inviter, channel = event["inviter"], event["channel"]
    what = f"invited {channel} {event.get('event_ts', '')}"
    if await reception.is_news(what, workspace.us.person(inviter)):
        address = {"channel": channel, "user": inviter, "thread": ""}
        await whisper(workspace, address, wording.invited(reception.name))
