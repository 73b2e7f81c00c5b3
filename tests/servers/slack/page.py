"""A page on which a person is several people, and talks to the app without any workspace."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web

from tests.servers.page import Page
from tests.servers.people import NotPossible
from tests.servers.slack.people import Person, buttons
from tests.servers.slack.server import Slack
from tests.servers.slack.world import Channel, Json, Message, Whisper


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
    def people() -> dict[str, Person]:
        [home] = slack.workspaces
        return {one.id: Person(one, home) for one in home.people.values()}

    def seen_by(who: str) -> Json:
        known = people()
        return _seen_by(known.get(who, next(iter(known.values()))))

    async def act(body: Json) -> None:
        person = people()[body["who"]]
        await _do(person, person.workspace.channels[body["channel"]], body)

    return Page(slack.pulse, seen_by, act).routes()


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
        "title": "A small Slack",
        "escaped": True,
        "who": person.id,
        "people": [{"id": each.id, "name": each.name} for each in home.people.values()],
        "names": names,
        "connections": len(home.hub.connections),
        "channels": [
            {
                "id": one.id,
                "name": "Nimbus" if one.kind == "direct" else one.name,
                "kind": one.kind,
                "threads": True,
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
