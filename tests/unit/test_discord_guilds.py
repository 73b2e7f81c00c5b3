"""What the gateway has told of the guilds."""

from adapters.discord.guilds import MOST_ARCHIVED, Guilds
from tests.discord_payloads import (
    FORUM,
    GENERAL,
    GUILD,
    HIDDEN_THREAD,
    OUR_ROLE,
    SECRET,
    THREAD,
    US,
    VIEW,
    Payload,
    channel,
    guild,
    hidden,
    role,
    thread,
)


def told(*events: tuple[str, Payload]) -> Guilds:
    guilds = Guilds()
    guilds.learn("GUILD_CREATE", guild())
    for kind, data in events:
        guilds.learn(kind, data)
    return guilds


def test_a_thread_is_as_public_as_its_channel() -> None:
    guilds = told(("THREAD_CREATE", thread("522", GENERAL, kind=12)))

    surfaces = [guilds.surface(GUILD, each) for each in (GENERAL, THREAD, FORUM)]
    assert surfaces == ["public", "public", "public"]
    kept = [guilds.surface(GUILD, each) for each in (SECRET, HIDDEN_THREAD, "522", "599")]
    assert kept == ["private", "private", "private", "private"]


def test_what_everyone_may_see_follows_roles_and_channels() -> None:
    blind = {"guild_id": GUILD, "role": role(GUILD, "@everyone", 0)}
    guilds = told(("GUILD_ROLE_UPDATE", blind))
    assert guilds.surface(GUILD, GENERAL) == "private"

    opened = [{"id": GUILD, "type": 0, "allow": str(VIEW), "deny": "0"}]
    update = channel(GENERAL, "general", permission_overwrites=opened)
    guilds.learn("CHANNEL_UPDATE", update)
    assert guilds.surface(GUILD, GENERAL) == "public"

    administrators = {"guild_id": GUILD, "role": role(GUILD, "@everyone", 1 << 3)}
    guilds.learn("GUILD_ROLE_UPDATE", administrators)
    assert guilds.surface(GUILD, SECRET) == "public"

    guilds.learn("GUILD_ROLE_DELETE", {"guild_id": GUILD, "role_id": GUILD})
    assert guilds.surface(GUILD, SECRET) == "private"


def test_channels_that_come_and_go_are_known() -> None:
    guilds = told(
        ("CHANNEL_CREATE", channel("513", "new", permission_overwrites=hidden())),
        ("THREAD_LIST_SYNC", {"guild_id": GUILD, "threads": [thread("523", "513")]}),
    )
    assert guilds.parent(GUILD, "523") == "513"
    assert guilds.channel_names(GUILD)["513"] == "new"

    guilds.learn("CHANNEL_DELETE", channel("513", "new"))
    assert guilds.parent(GUILD, "523") == ""
    assert "513" not in guilds.channel_names(GUILD)


def test_what_a_guild_never_told_of_is_a_thread() -> None:
    guilds = told(("THREAD_DELETE", thread(THREAD, GENERAL)))

    assert [guilds.thread(GUILD, each) for each in (GENERAL, THREAD, "599")] == [False, True, True]
    assert not guilds.thread("another guild", "599")
    assert guilds.parent(GUILD, GENERAL) == ""


def test_our_own_role_is_the_one_that_came_with_us() -> None:
    guilds = told()
    assert guilds.role_of(GUILD, US) == OUR_ROLE
    assert guilds.role_of("another guild", US) == ""
    assert guilds.role_names(GUILD)[OUR_ROLE] == "Nimbus"


def test_an_outage_forgets_nothing_and_a_guild_that_is_left_is_forgotten() -> None:
    guilds = told(("GUILD_DELETE", {"id": GUILD, "unavailable": True}))
    guilds.learn("GUILD_CREATE", {"id": GUILD, "unavailable": True})
    assert guilds.surface(GUILD, GENERAL) == "public"

    guilds.learn("GUILD_DELETE", {"id": GUILD})
    assert guilds.surface(GUILD, GENERAL) == "private"

    guilds.learn("CHANNEL_CREATE", channel("513", "late"))
    assert guilds.channel_names(GUILD) == {}


def test_of_the_threads_that_are_archived_only_the_last_are_kept() -> None:
    guilds = told()
    known = len(guilds.channel_names(GUILD))
    threads = [str(number) for number in range(10_000, 10_000 + MOST_ARCHIVED + 5)]
    for name in threads:
        guilds.learn("THREAD_CREATE", thread(name, GENERAL))
    assert len(guilds.channel_names(GUILD)) == known + len(threads)

    archived = {"thread_metadata": {"archived": True}}
    for name in [*threads[1:], threads[0]]:
        guilds.learn("THREAD_UPDATE", {**thread(name, GENERAL), **archived})

    assert len(guilds.channel_names(GUILD)) == known + MOST_ARCHIVED
    assert [guilds.parent(GUILD, name) for name in (threads[0], threads[1])] == [GENERAL, ""]
