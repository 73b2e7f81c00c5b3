"""Servers and bots as a test holds them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.servers.discord import guilds
from tests.servers.discord.gateway import Hub
from tests.servers.discord.people import Person
from tests.servers.discord.permissions import EVERYONE, May
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import (
    Application,
    Channel,
    ChannelKind,
    Guild,
    Message,
    Overwrite,
    Role,
    User,
)

INVITED_WITH = EVERYONE
"""What a bot may in a server, unless its invitation says otherwise."""


@dataclass(frozen=True)
class Bot:
    """One application with its bot."""

    app: Application
    hub: Hub
    realm: Realm

    @property
    def id(self) -> str:
        return self.app.user.id

    @property
    def user(self) -> User:
        return self.app.user

    @property
    def mention(self) -> str:
        return self.app.user.mention

    @property
    def token(self) -> str:
        return self.app.token

    def direct(self, person: Person) -> Channel:
        """Somebody's direct messages with it; always the same."""
        return self.realm.direct(self.user, person.user)

    def own(self, channel: Channel) -> list[Message]:
        """Its messages there, in order."""
        return [each for each in channel.messages if each.author is self.user]

    def shown(self, channel: Channel) -> list[str]:
        """What all read there, what the bot says marked with an arrow; no system messages."""
        return [
            f"> {each.content}" if each.author is self.user else each.content
            for each in channel.messages
            if each.content or each.author is self.user
        ]


@dataclass(frozen=True)
class Server:
    """A guild."""

    guild: Guild
    realm: Realm

    @property
    def id(self) -> str:
        return self.guild.id

    def channel(self, name: str, kind: ChannelKind = "text", *seen_by: Person | Bot) -> Channel:
        """A new one; when somebody is named, only they (and administrators) see it."""
        view = int(May.VIEW_CHANNEL)
        overwrites = {each.id: Overwrite(allow=view) for each in seen_by}
        if seen_by:
            overwrites[self.guild.id] = Overwrite(deny=view)
        return guilds.add_channel(self.realm, self.guild, name, kind, overwrites)

    def remove_channel(self, channel: Channel) -> None:
        guilds.remove_channel(self.realm, channel)

    def role(self, name: str, permissions: May, *people: Person) -> Role:
        role = guilds.add_role(self.realm, self.guild, name, int(permissions))
        for each in people:
            self.guild.members[each.id].roles.add(role.id)
        return role

    def overwrite(
        self,
        channel: Channel,
        target: Person | Bot | Role | None = None,
        *,
        allow: May | int = 0,
        deny: May | int = 0,
    ) -> None:
        """What somebody may there, or everybody."""
        whom = target.id if target else self.guild.id
        guilds.overwrite(self.realm, channel, whom, allow=int(allow), deny=int(deny))

    def admit(self, person: Person) -> None:
        guilds.join(self.realm, self.guild, person.user)

    def invite(self, bot: Bot, permissions: May = INVITED_WITH) -> None:
        role = guilds.add_role(self.realm, self.guild, bot.app.name, int(permissions), bot.id)
        guilds.join(self.realm, self.guild, bot.user, [role])

    def allow(self, bot: Bot, permissions: May) -> None:
        """In place of what it was invited with."""
        for role in self.guild.roles.values():
            if role.managed_by == bot.id:
                role.permissions = int(permissions)

    def kick(self, somebody: Person | Bot) -> None:
        guilds.leave(self.realm, self.guild, somebody.user)

    def fail(self) -> None:
        """It is not there for a while."""
        guilds.fail(self.realm, self.guild)

    def recover(self) -> None:
        guilds.recover(self.realm, self.guild)
