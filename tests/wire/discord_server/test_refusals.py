"""Whatever Discord refuses, the small one refuses, with the same status and code."""

from __future__ import annotations

from typing import Any

import pytest
from discord import HTTPException

from tests.servers.discord.permissions import EVERYONE, May
from tests.servers.discord.world import Json, Message
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow

HOURS = 3_600_000


def button(**more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Press", "custom_id": "a", **more}


def rows(*buttons: Json) -> list[Json]:
    return [{"type": 1, "components": list(buttons)}]


BODIES: dict[str, tuple[Json, str]] = {
    "too long": ({"content": "x" * 2_001}, "content"),
    "a long nonce": ({"content": "x", "nonce": "n" * 26}, "nonce"),
    "six rows": ({"components": rows() * 6}, "components"),
    "an empty row": ({"components": rows()}, "components.0.components"),
    "no row": ({"components": [button()]}, "components.0.type"),
    "a long label": (
        {"components": rows(button(label="x" * 81))},
        "components.0.components.0.label",
    ),
    "a long id": (
        {"components": rows(button(custom_id="x" * 101))},
        "components.0.components.0.custom_id",
    ),
    "no label": (
        {"components": rows(button(label=""))},
        "components.0.components.0",
    ),
    "no id": (
        {"components": rows(button(custom_id=""))},
        "components.0.components.0.custom_id",
    ),
    "no address": (
        {"components": rows({"type": 2, "style": 5, "label": "Go"})},
        "components.0.components.0.url",
    ),
    "twins": (
        {"components": rows(button(), button())},
        "components.0.components.1.custom_id",
    ),
    "mentions both ways": (
        {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
        "allowed_mentions",
    ),
    "a reply to nothing": (
        {"content": "x", "message_reference": {"message_id": "1"}},
        "message_reference",
    ),
    "eleven embeds": ({"embeds": [{"title": "x"}] * 11}, "embeds"),
}


@pytest.mark.parametrize("what", BODIES)
async def test_a_form_that_is_wrong_is_refused_where_it_is_wrong(rest: Scene, what: str) -> None:
    body, where = BODIES[what]

    with pytest.raises(HTTPException) as refused:
        await rest.call("POST", f"/channels/{rest.channel.id}/messages", body)

    assert (refused.value.status, refused.value.code) == (400, 50035)
    assert f"In {where}: " in refused.value.text
    assert rest.channel.messages == []


async def test_a_message_says_something(rest: Scene) -> None:
    path = f"/channels/{rest.channel.id}/messages"

    assert await rest.refusal("POST", path, {"content": " \n"}) == (400, 50006)
    assert await rest.refusal("POST", path, {"embeds": [{"title": "x"}]}) == (0, 0)


async def test_what_is_not_there_or_not_seen(rest: Scene) -> None:
    hidden = rest.home.channel("hidden", "text", rest.ann)
    forum = rest.home.channel("questions", "forum")
    here, elsewhere = f"/channels/{rest.channel.id}", f"/channels/{hidden.id}"

    assert await rest.refusal("GET", "/channels/1") == (404, 10003)
    assert await rest.refusal("GET", elsewhere) == (403, 50001)
    assert await rest.refusal("POST", f"{elsewhere}/messages", {"content": "x"}) == (403, 50001)
    assert await rest.refusal("GET", f"{here}/messages/1") == (404, 10008)
    assert await rest.refusal("PATCH", f"{here}/messages/1", {"content": "x"}) == (404, 10008)
    assert await rest.refusal("POST", f"/channels/{forum.id}/messages", {"content": "x"}) == (
        *(400, 50024),
    )
    assert await rest.refusal("GET", "/guilds/1") == (404, 10004)
    assert await rest.refusal("GET", f"/guilds/{rest.home.id}/members/1") == (404, 10013)
    assert await rest.refusal("GET", "/users/1") == (404, 10013)
    assert await rest.refusal("GET", "/nothing/here") == (404, 0)


async def test_what_a_bot_lacks_the_permission_for(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Hello?")
    here = f"/channels/{rest.channel.id}"
    rest.home.allow(rest.bot, May.VIEW_CHANNEL)
    rest.home.overwrite(rest.channel, deny=EVERYONE & ~May.VIEW_CHANNEL)

    assert await rest.refusal("POST", f"{here}/messages", {"content": "x"}) == (403, 50013)
    assert await rest.refusal("POST", f"{here}/typing") == (403, 50013)
    assert await rest.refusal("GET", f"{here}/messages/{asked.id}") == (403, 50013)
    assert await rest.refusal("DELETE", f"{here}/messages/{asked.id}") == (403, 50013)
    new = {"name": "x"}
    assert await rest.refusal("POST", f"{here}/messages/{asked.id}/threads", new) == (403, 50013)
    assert [each async for each in rest.place().history()] == []
    rest.home.overwrite(rest.channel, rest.bot, allow=May.SEND_MESSAGES)
    reply = {"content": "x", "message_reference": {"message_id": asked.id}}
    assert await rest.refusal("POST", f"{here}/messages", reply) == (403, 160002)


async def test_a_bot_changes_only_its_own_messages(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Hello?")
    here = f"/channels/{rest.channel.id}/messages/{asked.id}"

    assert await rest.refusal("PATCH", here, {"content": "x"}) == (403, 50005)
    assert await rest.refusal("DELETE", here) == (403, 50013)
    rest.home.allow(rest.bot, EVERYONE | May.MANAGE_MESSAGES)
    assert await rest.refusal("DELETE", here) == (0, 0)
    alone = await rest.ann.says(rest.bot.direct(rest.ann), "Hello?")
    path = f"/channels/{alone.channel.id}/messages/{alone.id}"
    assert await rest.refusal("DELETE", path) == (403, 50003)


async def test_nobody_hears_a_bot_that_is_blocked(rest: Scene) -> None:
    person = await rest.client.fetch_user(int(rest.ann.id))
    direct = await person.create_dm()
    rest.ann.blocks(rest.bot.user)
    path = f"/channels/{direct.id}"

    assert await rest.refusal("POST", f"{path}/messages", {"content": "x"}) == (403, 50007)
    assert await rest.refusal("POST", f"{path}/typing") == (403, 50007)
    assert rest.discord.invalid == 2
    assert (await person.create_dm()).id == direct.id
    assert await rest.refusal("POST", "/users/@me/channels") == (400, 50035)
    rest.ann.blocks(rest.bot.user, now=False)
    assert await rest.refusal("POST", f"{path}/messages", {"content": "x"}) == (0, 0)
    to_itself = {"recipient_id": rest.bot.id}
    assert await rest.refusal("POST", "/users/@me/channels", to_itself) == (403, 50007)
    assert await rest.refusal("POST", "/users/@me/channels", {"recipient_id": 1}) == (404, 10013)


async def test_a_bot_writes_only_to_people_whom_it_meets_somewhere(rest: Scene) -> None:
    eve = rest.discord.person("Eve")
    path = f"/channels/{rest.bot.direct(eve).id}/messages"

    assert await rest.refusal("POST", path, {"content": "x"}) == (403, 50278)
    rest.bot.app.installed_by.add(eve.id)
    assert await rest.refusal("POST", path, {"content": "x"}) == (0, 0)


async def test_threads_that_cannot_be_made(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Hello?")
    alone = await rest.ann.says(rest.bot.direct(rest.ann), "Hello?")
    new = {"name": "Hello?"}

    def under(message: Message) -> str:
        return f"/channels/{message.channel.id}/messages/{message.id}/threads"

    assert await rest.refusal("POST", under(asked), {"name": ""}) == (400, 50035)
    assert await rest.refusal("POST", under(asked), {"name": "x" * 101}) == (400, 50035)
    lasting = {**new, "auto_archive_duration": 61}
    assert await rest.refusal("POST", under(asked), lasting) == (400, 50035)
    assert await rest.refusal("POST", under(alone), new) == (400, 50024)
    assert await rest.refusal("POST", under(asked), new) == (0, 0)
    assert await rest.refusal("POST", under(asked), new) == (400, 160004)
    [inside] = asked.thread.messages if asked.thread else []
    assert await rest.refusal("POST", under(inside), new) == (400, 50024)
    strange = {**new, "type": 5}
    path = f"/channels/{rest.channel.id}/threads"
    assert await rest.refusal("POST", path, strange) == (400, 50035)


async def test_threads_that_are_archived_or_locked(rest: Scene) -> None:
    thread = await rest.ann.starts_thread(rest.channel, "Side talk")
    path = f"/channels/{thread.id}"
    said = await rest.place(thread).send("Hi.")
    rest.home.role("Moderators", May.MANAGE_THREADS, rest.ann)
    own = f"{path}/messages/{said.id}"

    await rest.ann.archives(thread)
    assert await rest.refusal("PATCH", own, {"content": "x"}) == (400, 50083)
    assert await rest.refusal("DELETE", own) == (400, 50083)
    assert await rest.refusal("PUT", f"{path}/thread-members/@me") == (400, 50083)
    assert await rest.refusal("PATCH", path, {"name": "x"}) == (400, 50083)
    assert await rest.refusal("POST", f"{path}/messages", {"content": "x"}) == (0, 0)
    assert not thread.archived
    await rest.ann.archives(thread, lock=True)
    assert await rest.refusal("POST", f"{path}/messages", {"content": "x"}) == (400, 50083)
    thread.archived = False
    assert await rest.refusal("POST", f"{path}/messages", {"content": "x"}) == (403, 160005)
    assert await rest.refusal("PATCH", path, {"locked": False}) == (403, 50013)


async def test_system_messages_cannot_be_answered(rest: Scene) -> None:
    await rest.ann.starts_thread(rest.channel, "Side talk")
    [told] = rest.channel.messages

    with pytest.raises(HTTPException, match="Cannot reply to a system message"):
        await rest.reply_to(told)


async def test_a_reply_to_what_is_gone_may_be_sent_all_the_same(rest: Scene) -> None:
    asked = await rest.ann.says(rest.channel, "Hello?")
    await rest.ann.deletes(asked)
    with pytest.raises(HTTPException, match="Unknown message"):
        await rest.reply_to(asked)
    await rest.reply_to(asked, fail_if_not_exists=False)

    [said] = rest.bot.own(rest.channel)
    assert said.reference is None


async def test_old_messages_are_not_edited_for_ever(rest: Scene) -> None:
    said = await rest.place().send("Hi.")
    rest.discord.realm.old_edits, rest.discord.realm.old_edit_pause = 1, 0.01
    rest.time.advance(HOURS - 1)
    await said.edit(content="still young")
    rest.time.advance(1)
    await said.edit(content="old")
    with pytest.raises(HTTPException) as refused:
        await said.edit(content="older")

    assert (refused.value.status, refused.value.code) == (429, 30046)
    assert rest.bot.shown(rest.channel) == ["> old"]


async def test_a_server_that_the_bot_was_sent_out_of(rest: Scene) -> None:
    rest.home.fail()
    assert await rest.refusal("GET", f"/guilds/{rest.home.id}") == (404, 10004)
    assert await rest.refusal("GET", f"/channels/{rest.channel.id}") == (404, 10003)
    rest.home.recover()
    assert await rest.refusal("GET", f"/guilds/{rest.home.id}") == (0, 0)
    rest.home.kick(rest.bot)
    assert await rest.refusal("GET", f"/guilds/{rest.home.id}") == (404, 10004)
    assert await rest.refusal("GET", f"/channels/{rest.channel.id}") == (403, 50001)


COMMANDS: dict[str, list[Json]] = {
    "capital letters": [{"name": "Nimbus", "description": "x"}],
    "a space": [{"name": "nim bus", "description": "x"}],
    "no description": [{"name": "nimbus"}],
    "twins": [{"name": "nimbus", "description": "x"}] * 2,
    "too many": [{"name": f"n{at}", "description": "x"} for at in range(101)],
    "a wrong option": [
        {"name": "nimbus", "description": "x", "options": [{"name": "A", "type": 1}]}
    ],
}


@pytest.mark.parametrize("what", COMMANDS)
async def test_commands_that_are_not_well_formed(rest: Scene, what: str) -> None:
    with pytest.raises(HTTPException) as refused:
        await rest.client.http.bulk_upsert_global_commands(int(rest.bot.id), COMMANDS[what])

    assert (refused.value.status, refused.value.code) == (400, 50035)
    assert rest.bot.app.commands == {}
