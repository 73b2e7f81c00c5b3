"""People, places and the page for who tries the bot by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from aiohttp import web

from tests.servers.discord.people import Person
from tests.servers.discord.permissions import EVERYONE, May
from tests.servers.discord.server import Discord
from tests.servers.discord.world import LOADING, Channel, Json, Message, pressables
from tests.servers.page import Page
from tests.servers.people import NotPossible

_NAMES = {"nimbus": "nimbus", "ann": "Ann", "bob": "Bob"}
_TYPED = re.compile(rf"(?<!<)@({'|'.join(_NAMES)})\b", re.IGNORECASE)


def furnish(discord: Discord) -> None:
    """One server with Ann, who moderates, and Bob; two channels, a forum, direct messages."""
    bot = discord.bot("nimbus")
    home = discord.guild("playground", bot)
    ann, bob = (discord.person(name, home) for name in ("Ann", "Bob"))
    home.role("Moderators", EVERYONE | May.MANAGE_MESSAGES | May.MANAGE_THREADS, ann)
    home.channel("general")
    home.channel("secret", "text", ann, bot)
    home.channel("questions", "forum")
    for person in (ann, bob):
        bot.direct(person)


def routes(discord: Discord) -> Iterable[web.RouteDef]:
    def people() -> dict[str, Person]:
        users = discord.servers[0].guild.members.values()
        known = [each.user for each in users if each.user.id != discord.servers[0].guild.owner]
        return {each.id: Person(each, discord.realm) for each in known if not each.bot}

    def seen_by(who: str) -> Json:
        known = people()
        return _seen_by(discord, known, known.get(who, next(iter(known.values()))))

    async def act(body: Json) -> None:
        person = people()[body["who"]]
        channel = discord.realm.channel(body["channel"])
        assert channel is not None
        await _do(person, channel, body)

    return Page(discord.pulse, seen_by, act).routes()


async def _do(person: Person, channel: Channel, body: Json) -> None:
    """One thing that was typed or pressed."""
    text = body.get("text", "")
    message = _found(person, channel, body.get("ts", ""))
    if body["do"] == "say":
        await _say(person, channel, text, body.get("thread", ""))
    elif message is not None:
        await _do_to(person, message, body["do"], body.get("action") or _mentioned(text))
    elif body["do"] != "open":  # a channel, which tells nobody
        raise NotPossible("there is nothing like that")


async def _say(person: Person, channel: Channel, text: str, root: str) -> None:
    if channel.kind == "forum" and not root:
        await person.posts(channel, text[:90], _mentioned(text))
        return
    command = text.startswith("/")
    place = await _place(person, channel, root, begins=not command) if root else channel
    if command:
        await person.commands(place, text)
    else:
        await person.says(place, _mentioned(text))


async def _do_to(person: Person, message: Message, what: str, words: str) -> None:
    match what:
        case "reply":
            await person.says(message.channel, words, to=message)
        case "edit":
            await person.edits(message, words)
        case "delete":
            await person.deletes(message)
        case "click":
            await person.clicks(message, words)
        case _:
            raise NotPossible("there is nothing like that")


async def _place(person: Person, channel: Channel, root: str, *, begins: bool) -> Channel:
    """The thread that is shown under that message; where there is none, it may begin."""
    thread = next((each for each in _threads(channel) if _root(each) == root), None)
    message = channel.find(root)
    if thread is None and message is not None and begins:
        thread = await person.starts_thread(message, message.content[:90] or "Thread")
    if thread is None:
        raise NotPossible("there is no thread yet")
    return thread


def _mentioned(text: str) -> str:
    """As people type it."""
    return _TYPED.sub(lambda found: f"<@{_NAMES[found[1].lower()]}>", text)


def _threads(channel: Channel) -> list[Channel]:
    return channel.guild.threads_of(channel) if channel.guild else []


def _root(thread: Channel) -> str:
    """The id of the message under which the page shows it: its own, or that which tells of it."""
    assert thread.parent is not None
    told = (each for each in thread.parent.messages if _leads_to(each) == thread.id)
    return next((each.id for each in told), thread.id)


def _leads_to(message: Message) -> str:
    reference = message.reference or {}
    return "" if "message_id" in reference else str(reference.get("channel_id", ""))


def _found(person: Person, channel: Channel, message: str) -> Message | None:
    places = [channel, *_threads(channel)]
    whispers = (each for each in person.whispers if each.id == message)
    found = (each for place in places if (each := place.find(message)) is not None)
    return next(found, next(whispers, None))


def _seen_by(discord: Discord, people: dict[str, Person], person: Person) -> Json:
    realm = discord.realm
    places = [each for each in realm.channels() if not each.is_thread]
    return {
        "title": "A small Discord",
        "escaped": False,
        "replies": True,
        "who": person.id,
        "people": [{"id": each.id, "name": each.user.name} for each in people.values()],
        "names": {each.id: each.name for each in realm.users.values()}
        | {each.id: each.name for each in realm.channels()},
        "connections": sum(len(each.hub.ready) for each in discord.bots),
        "channels": [
            _channel(discord, each, person)
            for each in sorted(places, key=lambda one: one.guild is None)
            if realm.sees(person.user, each)
        ],
    }


def _channel(discord: Discord, one: Channel, person: Person) -> Json:
    roots = {each.id: _root(each) for each in _threads(one)}
    return {
        "id": one.id,
        "name": one.name or "Nimbus",
        "kind": one.kind,
        "threads": one.guild is not None,
        "messages": [*_messages(one, "", person)]
        + [
            # A post in a forum is the message under which it is shown.
            each | ({"thread": ""} if each["ts"] == thread.id else {})
            for thread in _threads(one)
            for each in _messages(thread, roots[thread.id], person)
        ],
        "statuses": {
            roots.get(place, ""): "is typing …"
            for place, _ in discord.typing
            if place == one.id or place in roots
        },
        "whispers": [
            _written(each, roots.get(each.channel.id, ""))
            for each in person.whispers
            if each.channel.id == one.id or each.channel.id in roots
        ],
    }


def _messages(channel: Channel, root: str, person: Person) -> Iterator[Json]:
    for one in channel.messages:
        if one.content or one.components or one.embeds or one.flags & LOADING:
            yield {
                **_written(one, root),
                "author": one.author.id,
                "mine": one.author is person.user,
                "edited": bool(one.edited),
                "gone": False,
            }


def _written(one: Message, root: str) -> Json:
    pressed = [
        {"action": each["custom_id"], "text": each.get("label", "?")}
        for each in pressables(one.components)
        if not each.get("disabled")
    ]
    text = "Nimbus is thinking …" if one.flags & LOADING else one.content
    return {"ts": one.id, "thread": root, "text": text, "buttons": pressed}
