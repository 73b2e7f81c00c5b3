"""What Discord tells, as the core reads it."""

from typing import Any

import pytest

from adapters.discord.events import Reader, milliseconds, sent_order
from bot.platform import Deleted, Edited, Event, Inbound, Present, Removed
from memory.keys import PersonKey, PlaceKey
from tests.discord_payloads import (
    ANN,
    BOB,
    DIRECT,
    GENERAL,
    GUILD,
    HIDDEN_THREAD,
    MESSAGE,
    OUR_ROLE,
    SAID_AT,
    SECRET,
    THREAD,
    US,
    Payload,
    channel,
    guild,
    mentioning,
    message,
    replying,
    thread,
)

NOW = 1_800_000_000_000
CALL = f"<@{US}> hello"


def reader(**more: Any) -> Reader:
    made = Reader(US, **more)
    made.guilds.learn("GUILD_CREATE", guild())
    return made


def heard(payload: Payload, kind: str = "MESSAGE_CREATE", **more: Any) -> Event | None:
    events = reader(**more).read(kind, payload, NOW)
    assert len(events) <= 1
    return events[0] if events else None


def said(payload: Payload, **more: Any) -> Inbound:
    event = heard(payload, **more)
    assert isinstance(event, Inbound)
    return event


def test_a_mention_at_the_top_of_a_channel_begins_a_thread_of_its_own() -> None:
    assert said(mentioning(CALL, US)) == Inbound(
        place=PlaceKey("discord", GUILD, "-", MESSAGE),
        surface="public",
        person=PersonKey("discord", "", ANN),
        name="Ann",
        message_id=MESSAGE,
        sent_order=f"0{MESSAGE}",
        said_at=SAID_AT,
        text="hello",
        address={
            "guild": GUILD,
            "channel": GENERAL,
            "message": MESSAGE,
            "user": ANN,
            "thread": "auto",
            "parent": GENERAL,
            "surface": "public",
        },
        mentions_us=True,
        parent=GENERAL,
    )


@pytest.mark.parametrize(
    ("where", "place", "surface", "parent"),
    [
        (GENERAL, PlaceKey("discord", GUILD, "-", MESSAGE), "public", GENERAL),
        (SECRET, PlaceKey("discord", GUILD, "-", MESSAGE), "private", SECRET),
        (THREAD, PlaceKey("discord", GUILD, "-", THREAD), "public", GENERAL),
        (HIDDEN_THREAD, PlaceKey("discord", GUILD, "-", HIDDEN_THREAD), "private", SECRET),
        ("599", PlaceKey("discord", GUILD, "-", "599"), "private", ""),  # a thread never told of
        (DIRECT, PlaceKey("discord", "@me", DIRECT, ""), "direct", ""),
    ],
)
def test_where_it_was_said(where: str, place: PlaceKey, surface: str, parent: str) -> None:
    found = said(message("hello", channel=where))

    assert (found.place, found.surface, found.parent) == (place, surface, parent)
    is_top = where in {GENERAL, SECRET}
    assert found.address["thread"] == ("auto" if is_top else "")


def test_who_wants_no_threads_is_answered_by_replies() -> None:
    assert said(mentioning(CALL, US), threads="never").address["thread"] == "never"


@pytest.mark.parametrize(
    ("payload", "us", "others"),
    [
        (message("hello"), False, False),
        (message(f"`<@{US}>`"), False, False),  # in code nobody is called
        (mentioning(CALL, US), True, False),
        (mentioning(f"<@{BOB}>?", BOB), False, True),
        (mentioning(f"<@{US}> and <@{BOB}>", US, BOB), True, True),
        (message(f"<@&{OUR_ROLE}> hello", mention_roles=[OUR_ROLE]), True, False),
        (message("<@&70> hello", mention_roles=["70"]), False, True),
        (message("@everyone", mention_everyone=True), False, True),
    ],
)
def test_who_is_mentioned_is_told_by_discord(payload: Payload, us: bool, others: bool) -> None:  # noqa: FBT001 - a table
    found = said(payload)
    assert (found.mentions_us, found.mentions_others) == (us, others)


def test_names_take_the_place_of_ids() -> None:
    text = f"<@{US}> ask <@{BOB}> in <#{GENERAL}>, <@&{OUR_ROLE}> <:wave:1>"
    nick = {"nick": "Bobby"}
    payload = message(
        text,
        mentions=[{"id": US}, {"id": BOB, "username": "bob", "member": nick}],
        member={"nick": "Annie"},
    )

    found = said(payload)
    assert found.text == "ask @Bobby in #general, :wave:"
    assert found.name == "Annie"


def test_a_reply_to_us_goes_on_with_what_it_replies_to() -> None:
    found = said(replying("And now?", US))
    assert (found.replies_to, found.replied, found.address["thread"]) == ("us", "777", "never")

    button = {"custom_id": "nimbus:stop:0123", "type": 2}
    growing = replying("Wait", US)
    growing["referenced_message"]["components"] = [{"type": 1, "components": [button]}]
    assert (found.replied_turn, said(growing).replied_turn) == ("", "0123")

    inside = said(replying("And now?", US, channel=THREAD))
    assert (inside.replies_to, inside.address["thread"]) == ("us", "")


def test_a_reply_to_somebody_else_means_them() -> None:
    found = said(replying("And now?", BOB))
    assert (found.replies_to, found.address["thread"]) == ("other", "auto")

    gone = said({**replying("And now?", US), "referenced_message": None})
    assert gone.replies_to == "other"


def test_a_forwarded_message_is_no_reply() -> None:
    found = said(message("", message_reference={"type": 1, "message_id": "777"}))
    assert (found.replies_to, found.replied, found.text) == (None, "", "")


@pytest.mark.parametrize(
    "payload",
    [
        message("mine", author=US),
        message("Ann joined", type=7),
        message("", type=18),
        message("", type=21),
        message("/nimbus help", type=20),
    ],
)
def test_our_own_words_and_the_systems_are_not_heard(payload: Payload) -> None:
    assert heard(payload) is None


def test_bots_and_webhooks_are_marked() -> None:
    robot = message("beep", author="13")
    robot["author"]["bot"] = True

    assert said(robot).author == "bot"
    assert said(message("beep", webhook_id="14")).author == "bot"
    assert said(message("hello")).author == "member"


def test_what_we_may_not_read_is_hidden() -> None:
    def hides(payload: Payload) -> bool:
        return said(payload, reads_content=False).hidden

    assert hides(message("", channel=THREAD))
    assert not hides(mentioning(CALL, US))
    assert not hides(message("", channel=DIRECT))
    assert not hides(message("", attachments=[{"id": "1"}]))
    assert not said(message("")).hidden


def test_an_edit_is_the_message_as_it_stands() -> None:
    edited = message("hello you", edited_timestamp="2026-11-30T12:00:00.500000+00:00")
    found = heard(edited, "MESSAGE_UPDATE")

    assert found == Edited(said(edited), 1_796_040_000_500)


@pytest.mark.parametrize(
    "payload",
    [
        message("https://example.com"),  # a preview was made
        message("mine", author=US, edited_timestamp="2026-11-30T12:00:00+00:00"),
        {"id": MESSAGE, "channel_id": GENERAL, "edited_timestamp": "2026-11-30T12:00:00+00:00"},
        {"id": MESSAGE, "channel_id": GENERAL, "author": {"id": ANN}, "edited_timestamp": "2026"},
    ],
)
def test_a_change_that_is_no_edit_is_nothing(payload: Payload) -> None:
    assert heard(payload, "MESSAGE_UPDATE") is None


def test_deletes_name_what_is_gone() -> None:
    one = {"id": "1", "channel_id": THREAD, "guild_id": GUILD}
    assert heard(one, "MESSAGE_DELETE") == Deleted(PlaceKey("discord", GUILD, "-", ""), "1")

    alone = {"id": "1", "channel_id": DIRECT}
    assert heard(alone, "MESSAGE_DELETE") == Deleted(PlaceKey("discord", "@me", DIRECT, ""), "1")

    many = {"ids": ["1", "2"], "channel_id": THREAD, "guild_id": GUILD}
    found = reader().read("MESSAGE_DELETE_BULK", many, NOW)
    assert [each.message_id for each in found if isinstance(each, Deleted)] == ["1", "2"]


def test_what_is_removed_goes_along() -> None:
    def removed(**what: str) -> Removed:
        return Removed("discord", GUILD, NOW, **what)

    assert heard(thread(THREAD, GENERAL), "THREAD_DELETE") == removed(thread=THREAD)
    assert heard(channel(GENERAL, "general"), "CHANNEL_DELETE") == removed(channel=GENERAL)
    assert heard({"id": GUILD}, "GUILD_DELETE") == removed()

    assert heard({"id": GUILD, "unavailable": True}, "GUILD_DELETE") is None
    assert heard({"id": DIRECT, "type": 1}, "CHANNEL_DELETE") is None
    assert heard(guild(), "GUILD_CREATE") is None


def test_where_we_are_is_told_with_the_servers_that_are_away() -> None:
    ready = {"guilds": [{"id": GUILD, "unavailable": True}], "shard": [0, 1]}

    assert heard(ready, "READY") == Present("discord", US, frozenset({"@me", GUILD}), NOW)
    assert heard({**ready, "shard": [0, 2]}, "READY") is None
    assert heard({}, "READY") is None


def test_a_message_that_is_read_back_stands_in_the_address_place() -> None:
    elsewhere = Reader(US)  # in a process that does not listen
    address = {"guild": GUILD, "channel": "599", "surface": "public", "parent": GENERAL}
    found = elsewhere.fetched(message("hello"), address)

    assert found is not None
    assert found.place == PlaceKey("discord", GUILD, "-", "599")
    assert (found.surface, found.parent) == ("public", GENERAL)
    private = elsewhere.fetched(message("hello"), {**address, "surface": "private"})
    assert private is not None
    assert private.surface == "private"


def test_of_a_thread_the_message_is_read_back_that_it_hangs_from() -> None:
    address = {"guild": GUILD, "channel": THREAD, "surface": "public", "parent": GENERAL}
    starter = message("", type=21, author=BOB, referenced_message=message("Lunch?", id="1"))

    found = reader().fetched(starter, address)
    assert found is not None
    assert (found.text, found.message_id, found.name) == ("Lunch?", "1", "Ann")
    assert reader().fetched(message("", type=21), address) is None


def test_a_direct_message_is_read_back() -> None:
    address = {"guild": "", "channel": DIRECT, "surface": "direct", "parent": ""}
    told = message("hello", channel=DIRECT)
    assert reader().fetched(told, address) == said(told)


def test_order_and_time_come_from_the_id() -> None:
    assert sent_order("99") < sent_order("100")
    assert milliseconds("175928847299117063") == 1_462_015_105_796
    assert said(message("hello")).said_at == SAID_AT
