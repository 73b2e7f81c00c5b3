"""`/nimbus <word>`: answered to one person only, with a question back where much would go."""

from __future__ import annotations

import json
import logging
import re
from functools import partial
from http import HTTPStatus
from typing import Any

import aiohttp
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack import files
from adapters.slack.decode import in_lines
from adapters.slack.events import Json
from adapters.slack.outlet import Workspace
from adapters.slack.paced import insisted
from adapters.slack.socket import After
from adapters.slack.web import SlackError, refusal
from bot import wording
from bot.commands import OF_ONE_PLACE
from bot.platform import Answer, Called, Reception
from memory.keys import PersonKey, PlaceKey, Surface

CONFIRM, CANCEL = "nimbus_confirm", "nimbus_cancel"

_REFUSED = re.compile(r'"error":\s*"(\w+)"')
_log = logging.getLogger(__name__)


async def commanded(reception: Reception, workspace: Workspace, body: Json) -> After:
    """A forget is carried out before it is acknowledged, everything else after."""
    called = read_command(workspace, body)
    url = body["response_url"]
    if called.words == "forget":
        return partial(_respond, workspace, url, _told(await reception.command(called), called))
    return partial(_run, reception, workspace, called, url)


async def clicked(reception: Reception, workspace: Workspace, body: Json) -> After | None:
    """Confirm is pressed once, by who was asked; what it says is in the button itself."""
    action: Json = next(iter(body.get("actions") or ()), {})
    url = body.get("response_url") or ""
    if action.get("action_id") == CANCEL:
        return partial(_respond, workspace, url, _instead(wording.KEPT))
    if action.get("action_id") != CONFIRM:
        return None
    called = read_button(action["value"])
    clicker = workspace.us.person(body["user"]["id"])
    if clicker != called.person or called.place.workspace != workspace.us.workspace:
        return None
    answer = await reception.command(called, confirmed=True)  # a `forget me` is committed, too
    # Only then: one that failed can be pressed again, and one that is pressed twice does no more.
    is_first = await reception.is_news(f"confirmed {called.place} {called.said_at}", clicker)
    return partial(_done, workspace, url, answer if is_first else Answer(wording.ASKED_ALREADY))


def read_command(workspace: Workspace, body: Json) -> Called:
    """Slash commands cannot be typed in threads, and Slack does not tell when one was typed."""
    channel, user = body["channel_id"], body["user_id"]
    words = " ".join(body.get("text", "").lower().strip(" \t\n.!/").split())
    return Called(
        words=words or "help",
        person=workspace.us.person(user),
        place=PlaceKey("slack", workspace.us.workspace, channel, ""),
        surface=_surface(workspace, channel),
        said_at=workspace.time.now(),
        address={
            "workspace": workspace.us.workspace,
            "channel": channel,
            "thread": "",
            "message": "",
            "user": user,
        },
    )


def _surface(workspace: Workspace, channel: str) -> Surface:
    """By its id: what Slack calls a direct message, anybody may call a channel."""
    if channel.startswith("D"):
        return "direct"
    return workspace.surfaces.get(channel, "private")


def button_value(called: Called) -> str:
    """All that a click needs, also in a process that never saw the command."""
    return json.dumps(
        {
            "words": called.words,
            "person": str(called.person),
            "place": str(called.place),
            "surface": called.surface,
            "said_at": called.said_at,
            "address": dict(called.address),
        }
    )


def read_button(value: str) -> Called:
    told: dict[str, Any] = json.loads(value)
    person, place = PersonKey.parse(told.pop("person")), PlaceKey.parse(told.pop("place"))
    return Called(person=person, place=place, **told)


async def _run(reception: Reception, workspace: Workspace, called: Called, url: str) -> None:
    is_one_place = called.surface == "direct" and workspace.reader.dm == "flat"
    if called.words in OF_ONE_PLACE and not is_one_place:
        answer = Answer(wording.only_in_threads(reception.name, called.words))
    else:
        answer = await reception.command(called)
    if answer.files is not None:
        answer = Answer(await files.send(workspace, called.person.user, answer.text, answer.files))
    await _respond(workspace, url, _told(answer, called))


async def _done(workspace: Workspace, url: str, answer: Answer) -> None:
    await _respond(workspace, url, _instead(await answer.tell()))


def _told(answer: Answer, called: Called) -> Json:
    body = {"response_type": "ephemeral", "text": in_lines(answer.text)}
    return {**body, "blocks": _question(answer.text, called)} if answer.asks else body


def _instead(text: str) -> Json:
    return {"replace_original": True, "text": in_lines(text)}


def _question(text: str, called: Called) -> list[dict[str, Any]]:
    confirm = {**_button(wording.CONFIRM, CONFIRM, button_value(called)), "style": "danger"}
    return [
        {"type": "section", "text": {"type": "plain_text", "text": text}},
        {"type": "actions", "elements": [confirm, _button(wording.CANCEL, CANCEL, "-")]},
    ]


def _button(text: str, action: str, value: str) -> dict[str, Any]:
    label = {"type": "plain_text", "text": text}
    return {"type": "button", "text": label, "action_id": action, "value": value}


async def _respond(workspace: Workspace, url: str, body: Json) -> None:
    """To where Slack said that an answer goes. It is not promised to arrive."""
    try:
        await insisted(workspace.posts.governor, partial(_send, url, body))
    except SlackError as error:
        _log.warning("Not answered: %s", error, extra={"action": "slack.not_answered"})


async def _send(url: str, body: Json) -> None:
    webhook = AsyncWebhookClient(url, timeout=4, trust_env_in_session=True, retry_handlers=[])
    try:
        response = await webhook.send_dict(dict(body))
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise SlackError("no answer", unknown=True) from error
    refused = _REFUSED.search(response.body)
    if refused or response.status_code != HTTPStatus.OK:
        raise refusal(response.status_code, refused[1] if refused else "", response.headers)
