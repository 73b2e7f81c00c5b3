"""What people do in a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.servers.people import NotPossible
from tests.servers.slack.inspection import look
from tests.servers.slack.installation import Installation
from tests.servers.slack.shapes import made_up_client_id
from tests.servers.slack.socket import Delivery
from tests.servers.slack.world import (
    Channel,
    Json,
    Message,
    PersonKind,
    Profile,
    Whisper,
)

__all__ = ["NotPossible", "Person", "Workspace", "buttons", "say_back"]

_SAID = re.compile(r"<@([^<>|]+)>")


class Workspace(Installation):
    """A workspace, and the people in it."""

    def person(
        self, name: str, *, kind: PersonKind = "member", admin: bool = False, email: str = ""
    ) -> Person:
        """Somebody new. A stranger's home is another workspace."""
        team = self.new_id("T") if kind == "external" else self.team
        one = Profile(self.new_id("U"), name, kind, team, admin=admin, email=email)
        if kind == "bot":
            one.bot_id = self.new_id("B")
        self.people[one.id] = one
        return Person(one, self)


@dataclass(frozen=True)
class Person:
    """Somebody at the keyboard. In a text `<@bot>` is the app, `<@Ann>` is Ann, and all else is as
    on the wire."""

    profile: Profile
    workspace: Installation

    @property
    def id(self) -> str:
        return self.profile.id

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    @property
    def whispers(self) -> list[Whisper]:
        """What only this person sees, in order."""
        return self.workspace.whispers.get(self.id, [])

    async def says(
        self,
        channel: Channel,
        text: str,
        *,
        thread: str = "",
        broadcast: bool = False,
        **more: object,
    ) -> Message:
        """Write a message, into the thread of that `ts`; `more` are fields of the wire."""
        if channel.archived:
            raise NotPossible("the channel is archived")
        channel.members.add(self.id)
        message = Message("", channel.id, self.profile, self._meant(text), thread, broadcast)
        message.more.update(more)
        if not self.profile.bot_id:
            message.client_msg_id = made_up_client_id(f"{channel.id} {len(channel.messages)}")
        return self.workspace.post(message)

    async def edits(self, message: Message, text: str) -> None:
        self._own(message)
        self.workspace.edit(message, self._meant(text), self.id)

    async def deletes(self, message: Message) -> None:
        if not self.profile.admin:
            self._own(message)
        self.workspace.delete(message)

    async def unfurls(self, message: Message, title: str) -> None:
        """Slack shows what a link leads to: a change of the message that is no edit."""
        edited = message.edited
        shown = {**message.more, "attachments": [{"title": title}]}
        self.workspace.edit(message, message.text, self.id, edited=edited, more=shown)

    async def invites_bot(self, channel: Channel) -> None:
        channel.members.add(self.id)
        self.workspace.invite_bot(channel, self.profile)

    async def opens_app(self, tab: str = "messages") -> Channel:
        """Look at the app, on one of its tabs."""
        channel = self.workspace.direct(self.profile)
        event = {
            "type": "app_home_opened",
            "user": self.id,
            "channel": channel.id,
            "tab": tab,
            "event_ts": self.workspace.stamp(channel),
        }
        self.workspace.tell("app_home_opened", event, channel)
        return channel

    async def commands(self, channel: Channel, line: str, *, thread: str = "") -> Delivery:
        """Type a line that begins with a slash."""
        if thread:
            raise NotPossible("slash commands are not supported in threads")
        if "commands" not in self.workspace.scopes:
            raise NotPossible(f"{line} is not a valid command")
        command, _, text = line.partition(" ")
        names = {"direct": "directmessage", "private": "privategroup"}
        payload = {
            **self._interaction(channel),
            "team_id": self.workspace.team,
            "team_domain": self.workspace.name,
            "channel_id": channel.id,
            "channel_name": names.get(channel.kind, channel.name),
            "user_id": self.id,
            "user_name": self.profile.name.lower(),
            "command": command,
            "text": text,
            "enterprise_id": self.workspace.enterprise or None,
            "is_enterprise_install": str(bool(self.workspace.enterprise)).lower(),
        }

        def answered(answer: Json) -> None:
            look(self.workspace.inspector, "acknowledgement", answer)
            if answer:
                say_back(self.workspace, channel, self.id, answer)

        def failed(error: str) -> None:
            self.workspace.whisper(self.id, channel, f"{command} failed with the error “{error}”")

        return self._sent(Delivery("slash_commands", payload, answered, failed))

    async def clicks(self, message: Message | Whisper, action: str) -> Delivery:
        """Press the button whose action id begins so."""
        channel = self.workspace.channels[message.channel]
        button = next(
            (each for each in buttons(message.blocks) if each["action_id"].startswith(action)), None
        )
        if button is None:
            raise NotPossible(f"there is no {action} on: {message.text}")
        ephemeral = isinstance(message, Whisper)
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": channel.id,
            "is_ephemeral": ephemeral,
        }
        if message.thread_ts:
            container["thread_ts"] = message.thread_ts
        user = {"id": self.id, "name": self.profile.name, "team_id": self.profile.team}
        payload = {
            "type": "block_actions",
            **self._interaction(channel, message),
            "user": {**user, "username": self.profile.name},
            **self.workspace.belonging(),
            "channel": {"id": channel.id, "name": channel.name},
            "container": container,
            "state": {"values": {}},
            "actions": [{"block_id": "b", **button, "action_ts": self.workspace.stamp(channel)}],
        }
        if isinstance(message, Message):
            payload["message"] = {
                "type": "message",
                "ts": message.ts,
                "text": message.text,
                "blocks": message.blocks,
                "user": message.author.id,
                "bot_id": message.author.bot_id,
            }
        return self._sent(Delivery("interactive", payload))

    def _interaction(self, channel: Channel, original: Whisper | Message | None = None) -> Json:
        return {
            "token": "deprecated",
            "api_app_id": self.workspace.hub.app_id,
            "trigger_id": f"1.{self.workspace.stamp(channel)}",
            "response_url": self.workspace.response_url(channel, self.id, original),
        }

    def _sent(self, delivery: Delivery) -> Delivery:
        self.workspace.hub.deliver(delivery)
        return delivery

    def _meant(self, text: str) -> str:
        ids = {one.name: one.id for one in self.workspace.people.values()}
        ids["bot"] = self.workspace.bot.id
        return _SAID.sub(lambda found: f"<@{ids.get(found[1], found[1])}>", text)

    def _own(self, message: Message) -> None:
        if message.author is not self.profile:
            raise NotPossible("that is somebody else's message")


def say_back(
    workspace: Installation, channel: Channel, user: str, answer: Json
) -> Message | Whisper:
    """An answer to a command or a click becomes what its form asks for."""
    text, blocks = answer.get("text", ""), answer.get("blocks", [])
    thread = answer.get("thread_ts", "")
    if answer.get("response_type") == "in_channel":
        said = Message("", channel.id, workspace.bot, text, thread, blocks=blocks)
        return workspace.post(said)
    return workspace.whisper(user, channel, text, blocks=blocks, thread_ts=thread)


def buttons(blocks: object) -> Iterator[Json]:
    """Everything in blocks that can be pressed."""
    if isinstance(blocks, list):
        for each in blocks:
            yield from buttons(each)
    elif isinstance(blocks, dict):
        if "action_id" in blocks:
            yield blocks
        for each in blocks.values():
            yield from buttons(each)
