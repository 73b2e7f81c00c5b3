"""A page on which a person is several people, and talks to the app without any workspace."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from aiohttp import web

from tests.servers.slack.people import NotPossible, Person, buttons
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel, Json, Message, Whisper

PAGE = Path(__file__).with_name("page.html").read_text()
POLL_SECONDS = 25


def furnish(slack: Slack) -> None:
    """One workspace with Ann, Bob and a guest, two channels, and everybody's direct messages."""
    home = slack.workspace("playground")
    known = [
        home.person("Ann", admin=True, email="ann@example.org"),
        home.person("Bob", email="bob@example.org"),
        home.person("Gus", kind="guest"),
    ]
    home.channel("general", *known)
    home.channel("secret", *known[:2], kind="private")
    for person in known:
        home.direct(person)


def routes(slack: Slack) -> Iterable[web.RouteDef]:
    shown = _Page(slack)
    yield web.get("/", shown.page)
    yield web.get("/page/state", shown.state)
    yield web.post("/page/act", shown.act)


class _Page:
    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    @property
    def _people(self) -> dict[str, Person]:
        [home] = self._slack.workspaces
        return {one.id: Person(one, home) for one in home.people.values()}

    async def page(self, request: web.Request) -> web.Response:
        del request
        return web.Response(text=PAGE, content_type="text/html")

    async def state(self, request: web.Request) -> web.Response:
        """What one person sees, as soon as it is newer than what the page knows."""
        since, pulse = int(request.query.get("since", "-1")), self._slack.pulse
        with suppress(TimeoutError):
            await pulse.until(lambda: pulse.beats > since, POLL_SECONDS)
        people = self._people
        person = people.get(request.query.get("who", ""), next(iter(people.values())))
        return web.json_response({"version": pulse.beats, **_seen_by(person)})

    async def act(self, request: web.Request) -> web.Response:
        body: Json = await request.json()
        person = self._people[body["who"]]
        channel = person.workspace.channels[body["channel"]]
        try:
            await _do(person, channel, body)
        except NotPossible as problem:
            return web.json_response({"problem": str(problem)})
        finally:
            self._slack.pulse.beat()
        return web.json_response({})


async def _do(person: Person, channel: Channel, body: Json) -> None:
    """One thing that was typed or pressed."""
    text, thread = body.get("text", ""), body.get("thread", "")
    message = channel.find(body.get("ts", ""))
    match body["do"]:
        case "say" if text.startswith("/"):
            await person.commands(channel, text, thread=thread)
        case "say":
            await person.says(channel, _mentioned(text), thread=thread)
        case "edit" if message:
            await person.edits(message, _mentioned(text))
        case "delete" if message:
            await person.deletes(message)
        case "click":
            whispers = (each for each in person.whispers if each.ts == body["ts"])
            await person.clicks(message or next(whispers), body["action"])
        case "open":
            await person.opens_app()
        case _:
            raise NotPossible("there is nothing like that")


def _mentioned(text: str) -> str:
    """As people type it."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for name, token in (("nimbus", "<@bot>"), ("ann", "<@Ann>"), ("bob", "<@Bob>")):
        for typed in (f"@{name}", f"@{name.title()}"):
            escaped = escaped.replace(typed, token)
    return escaped


def _seen_by(person: Person) -> Json:
    home = person.workspace
    names = {each.id: each.name for each in (*home.people.values(), home.bot)}
    now = home.clock()
    return {
        "who": person.id,
        "people": [{"id": each.id, "name": each.name} for each in home.people.values()],
        "names": names,
        "connections": len(home.hub.connections),
        "channels": [
            {
                "id": one.id,
                "name": "Nimbus" if one.kind == "direct" else one.name,
                "kind": one.kind,
                "messages": [_message(each, person) for each in one.messages],
                "statuses": {each: one.status(each, now) for each in one.statuses},
                "whispers": [_written(each) for each in person.whispers if each.channel == one.id],
            }
            for one in home.channels.values()
            if person.id in one.members
        ],
    }


def _message(one: Message, person: Person) -> Json:
    return {
        **_written(one),
        "author": one.author.id,
        "mine": one.author is person.profile,
        "edited": one.edited is not None,
        "gone": one.tombstone,
    }


def _written(one: Message | Whisper) -> Json:
    pressed = [
        {"action": each["action_id"], "text": each.get("text", {}).get("text", "?")}
        for each in buttons(one.blocks)
    ]
    return {"ts": one.ts, "thread": one.thread_ts, "text": one.text, "buttons": pressed}
