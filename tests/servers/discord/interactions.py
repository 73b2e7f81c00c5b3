"""Slash commands and pressed buttons: what a bot is told of them, and how it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.servers.discord import messages, shapes
from tests.servers.discord.calls import BadForm, Call, Refused
from tests.servers.discord.content import check, content_of
from tests.servers.discord.gateway import Delivery
from tests.servers.discord.message_shapes import message as shape_of
from tests.servers.discord.message_shapes import reference_to
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import (
    COMMAND,
    EPHEMERAL,
    LOADING,
    Application,
    Channel,
    Json,
    Message,
    User,
)

SECONDS_TO_ANSWER = 3
MINUTES_OF_A_TOKEN = 15
SIZE_OF_A_FILE = 10 * 1024**2

COMMAND_USED, PRESSED = 2, 3
ANSWER, THINKING, THINKING_UNSEEN, CHANGE = 4, 5, 6, 7

USERS_ONLY: Json = {"parse": ["users"]}
"""Whom an answer may call when it does not say; other messages may call everybody."""


@dataclass(eq=False, slots=True)
class Interaction:
    """`answered` is the kind of the first answer, and 0 before it. `original` is the message that
    this answer made, or the one with the button that it changed."""

    id: str
    token: str
    app: Application
    user: User
    channel: Channel
    kind: int
    data: Json
    made_at: int
    message: Message | None = None
    answered: int = 0
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)

    def is_late(self, now: int) -> bool:
        return now - self.made_at >= SECONDS_TO_ANSWER * 1000

    def has_failed(self, now: int) -> bool:
        """The person is told that the application did not respond."""
        return not self.answered and self.is_late(now)

    def is_settled(self, now: int) -> bool:
        thinking = self.original is not None and self.original.flags & LOADING
        return self.has_failed(now) or bool(self.answered and not thinking)


def begin(realm: Realm, interaction: Interaction) -> Interaction:
    """Tell the bot."""
    realm.interactions[interaction.token] = interaction
    realm.inspector.secrets.add(interaction.token)
    guild = interaction.channel.guild
    hub = realm.hubs[interaction.app.id]
    told = _told(realm, interaction)
    hub.deliver(Delivery("INTERACTION_CREATE", told, guild=guild.id if guild else ""))
    return interaction


# How the bot answers


def respond(call: Call) -> Json | None:
    """The first answer, which must come in three seconds."""
    interaction, now = _interaction(call), call.realm.clock()
    if interaction.answered:
        raise Refused(40060)
    if interaction.id != call.path["interaction"] or interaction.is_late(now):
        raise Refused(10062)
    kind, data = call.body.get("type"), call.body.get("data") or {}
    if kind in {ANSWER, THINKING}:
        interaction.original = _first(call, interaction, data, thinking=kind == THINKING)
    elif kind in {THINKING_UNSEEN, CHANGE} and interaction.message is not None:
        if kind == CHANGE:
            check(data)
            messages.change(call, interaction.message, data)
        interaction.original = interaction.message
    else:
        problem = "INTERACTION_APPLICATION_INVALID_CALLBACK_TYPE", "Not valid for this interaction"
        raise BadForm({"type": problem})
    interaction.answered = kind
    call.realm.pulse.beat()
    return _response(interaction) if call.query.get("with_response") in {"1", "true"} else None


def follow_up(call: Call) -> Json:
    """A further message; while the first one is thinking, this one takes its place."""
    interaction = _answered(call)
    original = interaction.original
    if original is not None and original.flags & LOADING:
        content_of(call.body)
        return _filled(call, original)
    said = _said(call, interaction, call.body)
    interaction.followups.append(said)
    return shape_of(said)


def fetch(call: Call) -> Json:
    return shape_of(_wanted(call))


def edit(call: Call) -> Json:
    message = _wanted(call)
    check(call.body)
    return _filled(call, message)


def delete(call: Call) -> None:
    message = _wanted(call)
    if message.only_for:
        call.realm.whispers.remove(message)
        call.realm.pulse.beat()
    else:
        call.realm.delete(message)


def _filled(call: Call, message: Message) -> Json:
    loading, message.flags = message.flags & LOADING, message.flags & ~LOADING
    try:
        messages.change(call, message, call.body)
    except Refused:
        message.flags |= loading
        raise
    messages.attach(call, message)
    return shape_of(message)


def _first(call: Call, interaction: Interaction, data: Json, *, thinking: bool) -> Message:
    if not thinking:
        return _said(call, interaction, data)
    one = _new(call, interaction, "", int(data.get("flags") or 0) & EPHEMERAL | LOADING)
    return _show(call, one)


def _said(call: Call, interaction: Interaction, data: Json) -> Message:
    content = content_of(data, attached=bool(call.files))
    one = _new(call, interaction, content.text, content.flags)
    one.embeds, one.components = content.embeds, content.components
    messages.attach(call, one)
    return _show(call, one, USERS_ONLY if content.allowed is None else content.allowed)


def _new(call: Call, interaction: Interaction, text: str, flags: int) -> Message:
    one = call.realm.new_message(interaction.channel, interaction.app.user, text)
    one.flags, one.webhook = flags, interaction.app.id
    one.only_for = interaction.user.id if flags & EPHEMERAL else ""
    user = shapes.user(interaction.user)
    owners = _owners(interaction)
    one.more["interaction_metadata"] = {
        "id": interaction.id,
        "type": interaction.kind,
        "user": user,
        "authorizing_integration_owners": owners,
    }
    if interaction.kind == COMMAND_USED:
        one.kind = COMMAND
    elif interaction.message is not None:
        one.more["interaction_metadata"]["interacted_message_id"] = interaction.message.id
        one.reference = reference_to(interaction.message)
    return one


def _show(call: Call, one: Message, allowed: Json | None = None) -> Message:
    if not one.only_for:
        return call.realm.post(one, allowed=allowed)
    call.realm.whispers.append(one)
    call.realm.pulse.beat()
    return one


def _interaction(call: Call) -> Interaction:
    return call.realm.interactions[call.path["token"]]


def _answered(call: Call) -> Interaction:
    """Raise Refused before the first answer, and once the token is too old."""
    interaction = _interaction(call)
    age = call.realm.clock() - interaction.made_at
    if call.path["application"] != interaction.app.id or age >= MINUTES_OF_A_TOKEN * 60_000:
        raise Refused(50027)
    if not interaction.answered:
        raise Refused(10015)
    return interaction


def _wanted(call: Call) -> Message:
    interaction = _answered(call)
    own = [*filter(None, [interaction.original]), *interaction.followups]
    wanted = call.path.get("message")
    stands = (
        each
        for each in (own if wanted else own[:1])
        if (not wanted or each.id == wanted) and call.realm.stands(each)
    )
    message = next(stands, None)
    if message is None:
        raise Refused(10008)
    return message


def _response(interaction: Interaction) -> Json:
    original = interaction.original
    shape: Json = {
        "id": interaction.id,
        "type": interaction.kind,
        "response_message_loading": interaction.answered == THINKING,
    }
    resource: Json = {"type": interaction.answered}
    if original is not None:
        shape["response_message_id"] = original.id
        shape["response_message_ephemeral"] = bool(original.only_for)
        resource["message"] = shape_of(original)
    return {"interaction": shape, "resource": resource}


# What the bot is told


def _told(realm: Realm, one: Interaction) -> Json:
    guild, app = one.channel.guild, one.app
    told: Json = {
        "id": one.id,
        "application_id": app.id,
        "type": one.kind,
        "token": one.token,
        "version": 1,
        "data": one.data,
        "channel_id": one.channel.id,
        "channel": shapes.channel(one.channel, app.user),
        "locale": "en-GB",
        "app_permissions": str(int(realm.may(app.user, one.channel))),
        "entitlements": [],
        "authorizing_integration_owners": _owners(one),
        "context": 0 if guild else 1,
        "attachment_size_limit": SIZE_OF_A_FILE,
    }
    if one.message is not None:
        told["message"] = shape_of(one.message)
    if guild is None:
        return {**told, "user": shapes.user(one.user)}
    permissions = str(int(realm.may(one.user, one.channel)))
    told["channel"]["permissions"] = permissions
    member = {**shapes.member(guild.members[one.user.id]), "permissions": permissions}
    here = {"id": guild.id, "locale": "en-US", "features": []}
    more = {"guild_id": guild.id, "guild": here, "guild_locale": "en-US"}
    return {**told, **more, "member": member}


def _owners(one: Interaction) -> Json:
    owners: Json = {}
    guild = one.channel.guild
    if guild is None or one.app.user.id in guild.members:
        owners["0"] = guild.id if guild else "0"
    if one.user.id in one.app.installed_by:
        owners["1"] = one.user.id
    return owners
