"""What the gateway tells, as the core reads it. Pure: no network, no names looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from adapters.discord.buttons import mark_of
from adapters.discord.decode import Names, decode, name_of, without_mention
from adapters.discord.guilds import Guilds, Json
from bot.platform import Address, Author, Deleted, Edited, Event, Inbound, Present, Removed
from memory.keys import PersonKey, PlaceKey, Surface

PLATFORM = "discord"
DIRECT = "@me"
IN_A_GUILD = "-"  # the channel of every place there: ids of messages are unique in all of Discord
Threads = Literal["auto", "never"]

_DEFAULT, _REPLY, _STARTER = 0, 19, 21  # all others are the system's words
_A_REPLY = 0  # of kinds of references; the other is a forwarded message
_EPOCH = 1_420_070_400_000  # ms


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads events for the account `user`. `reads_content`: whether Discord lets us read what is
    not said to us."""

    user: str
    threads: Threads = "auto"
    reads_content: bool = True
    guilds: Guilds = field(default_factory=Guilds)

    def read(self, kind: str, data: Json, now: int) -> Sequence[Event]:
        """What the core has to know of this event, in order; mostly nothing. `now`: UTC ms."""
        match kind:
            case "MESSAGE_CREATE":
                found: Sequence[Event | None] = [self._said(data)]
            case "MESSAGE_UPDATE":
                found = [self._edited(data)]
            case "MESSAGE_DELETE":
                found = [self._deleted(data, data["id"])]
            case "MESSAGE_DELETE_BULK":
                found = [self._deleted(data, each) for each in data["ids"]]
            case "READY":
                found = [self._present(data, now)]
            case _:
                found = [_removed(kind, data, now)]
        return [event for event in found if event is not None]

    def fetched(self, message: Json, address: Address) -> Inbound | None:
        """A message as it was read back from an address's thread or direct message."""
        if message.get("type") == _STARTER:  # stands for the message that the thread hangs from
            message = message.get("referenced_message") or message
        channel, guild = address["channel"], address["guild"]
        said = self._said({**message, "channel_id": channel})
        if said is None or not guild:
            return said
        place = PlaceKey(PLATFORM, guild, IN_A_GUILD, channel)
        surface: Surface = "public" if address["surface"] == "public" else "private"
        return replace(said, place=place, surface=surface, parent=address["parent"])

    def told_later(self, message: Json, channel: str, address: Address) -> Inbound | None:
        """A message of a thread or direct message as its event would tell it; `address` is any of
        the place, also that of the message from which the thread was made."""
        is_top = bool(address["thread"])
        parent = address["channel"] if is_top else address["parent"]
        here = {**address, "channel": channel, "thread": "", "parent": parent}
        said = self.fetched({**message, "guild_id": address["guild"]}, here)
        if said is None:
            return None
        return replace(said, address={**here, "message": said.message_id, "user": said.person.user})

    def replied(self, message: Json, channel: str, address: Address) -> Inbound | None:
        """A message at the top of a channel, if it replies to one of ours."""
        said = self._said({**message, "channel_id": channel, "guild_id": address["guild"]})
        return said if said is not None and said.replies_to == "us" else None

    def person(self, user: str) -> PersonKey:
        return PersonKey(PLATFORM, "", user)

    def place(self, guild: str, channel: str, root: str) -> PlaceKey:
        """Where something stands: its thread, or what begins with the message `root`."""
        if not guild:
            return PlaceKey(PLATFORM, DIRECT, channel, "")
        if self.guilds.thread(guild, channel):
            return PlaceKey(PLATFORM, guild, IN_A_GUILD, channel)
        return PlaceKey(PLATFORM, guild, IN_A_GUILD, root)

    def surface(self, guild: str, channel: str) -> Surface:
        return self.guilds.surface(guild, channel) if guild else "direct"

    def _said(self, data: Json) -> Inbound | None:
        author, kind = data["author"], data.get("type", _DEFAULT)
        if author["id"] == self.user or kind not in {_DEFAULT, _REPLY}:
            return None
        guild, channel, message = data.get("guild_id") or "", data["channel_id"], data["id"]
        role = self.guilds.role_of(guild, self.user)
        mentions_us, mentions_others = self._mentions(data, role)
        replies_to, replied, turn = self._reply(data)
        address = self._address(guild, channel, message, author["id"])
        if replies_to == "us" and address["thread"]:
            address["thread"] = "never"  # it goes on with what replies began
        return Inbound(
            place=self.place(guild, channel, message),
            surface=self.surface(guild, channel),
            person=self.person(author["id"]),
            name=name_of(author, data.get("member")),
            message_id=message,
            sent_order=sent_order(message),
            said_at=milliseconds(message),
            text=self._decoded(data, guild, role if mentions_us else "", cut=mentions_us),
            address=address,
            author=_kind(data),
            mentions_us=mentions_us,
            mentions_others=mentions_others,
            replies_to=replies_to,
            parent=address["parent"],
            replied=replied,
            replied_turn=turn,
            hidden=bool(guild) and not self.reads_content and _is_empty(data),
        )

    def _mentions(self, data: Json, role: str) -> tuple[bool, bool]:
        """Whether it calls us, by our account or our own role, and whether it calls others."""
        people = {each["id"] for each in data.get("mentions") or ()}
        roles = set(data.get("mention_roles") or ())
        calls_others = bool(data.get("mention_everyone") or people - {self.user} or roles - {role})
        return self.user in people or role in roles, calls_others

    def _edited(self, data: Json) -> Edited | None:
        """Also told when a preview was made or a thread begun: then no time of an edit is new."""
        if not data.get("edited_timestamp") or "author" not in data or "content" not in data:
            return None
        said = self._said(data)
        edited_at = datetime.fromisoformat(data["edited_timestamp"])
        return None if said is None else Edited(said, int(edited_at.timestamp() * 1000))

    def _present(self, data: Json, now: int) -> Present | None:
        """Also guilds that are away are named; another shard's are not."""
        if "guilds" not in data or data.get("shard") not in (None, [0, 1]):
            return None
        inside = frozenset({DIRECT, *(each["id"] for each in data["guilds"])})
        return Present(PLATFORM, self.user, inside, now)

    def _deleted(self, data: Json, message: str) -> Deleted:
        guild = data.get("guild_id") or ""
        channel = IN_A_GUILD if guild else data["channel_id"]
        return Deleted(PlaceKey(PLATFORM, guild or DIRECT, channel, ""), message)

    def _reply(self, data: Json) -> tuple[Literal["us", "other"] | None, str, str]:
        """To whom, to which message, and to which turn's, while that is being answered."""
        reference: Json = data.get("message_reference") or {}
        if data.get("type") != _REPLY or reference.get("type", _A_REPLY) != _A_REPLY:
            return None, "", ""
        to: Json = data.get("referenced_message") or {}
        is_ours = (to.get("author") or {}).get("id") == self.user
        replied = reference.get("message_id") or ""
        return ("us", replied, mark_of(to)) if is_ours else ("other", replied, "")

    def _address(self, guild: str, channel: str, message: str, user: str) -> dict[str, str]:
        """`thread` says whether the answer makes one of the message; empty where it cannot."""
        is_top = bool(guild) and not self.guilds.thread(guild, channel)
        parent = channel if is_top else self.guilds.parent(guild, channel)
        return {
            "guild": guild,
            "channel": channel,
            "message": message,
            "user": user,
            "thread": self.threads if is_top else "",
            "parent": parent,
            "surface": self.surface(guild, channel),
        }

    def _decoded(self, data: Json, guild: str, role: str, *, cut: bool) -> str:
        people = {
            each["id"]: name_of(each, each.get("member")) for each in data.get("mentions") or ()
        }
        roles, channels = self.guilds.role_names(guild), self.guilds.channel_names(guild)
        text = data.get("content") or ""
        text = without_mention(text, self.user, role) if cut else text
        return decode(text, Names(people, roles, channels))


def sent_order(snowflake: str) -> str:
    """The same, as text that sorts as Discord sorts."""
    return f"{snowflake:0>20}"


def snowflake_before(milliseconds: int) -> str:
    """The last one that is older (UTC ms)."""
    return str(max((milliseconds - _EPOCH << 22) - 1, 0))


def milliseconds(snowflake: str) -> int:
    """When it was made (UTC ms)."""
    return (int(snowflake) >> 22) + _EPOCH


def _removed(kind: str, data: Json, now: int) -> Removed | None:
    match kind:
        case "THREAD_DELETE":
            return Removed(PLATFORM, data["guild_id"], now, thread=data["id"])
        case "CHANNEL_DELETE" if data.get("guild_id"):
            return Removed(PLATFORM, data["guild_id"], now, channel=data["id"])
        case "GUILD_DELETE" if not data.get("unavailable"):  # otherwise it is an outage
            return Removed(PLATFORM, data["id"], now)
        case _:
            return None


def _kind(data: Json) -> Author:
    is_bot = data.get("webhook_id") or data["author"].get("bot")
    return "bot" if is_bot else "member"


def _is_empty(data: Json) -> bool:
    return not any(data.get(each) for each in ("content", "attachments", "sticker_items", "poll"))
