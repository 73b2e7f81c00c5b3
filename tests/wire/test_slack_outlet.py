"""What Slack is asked for beside the answers: earlier messages, names, administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest

from adapters.slack.checks import identify
from adapters.slack.events import milliseconds
from adapters.slack.outlet import SlackOutlet, furnished
from adapters.slack.people import Directory
from adapters.slack.rates import Governor
from adapters.slack.web import SlackError, open_client
from bot.errors import DeliveryError
from bot.health import Health
from bot.platform import Delivery, Said
from memory.keys import PersonKey
from tests.fakes import FakeClock
from tests.servers.slack import faults
from tests.servers.slack.people import Person, Workspace
from tests.servers.slack.server import Slack, serving
from tests.servers.slack.world import Channel, Message

HOUR = 60 * 60 * 1000


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_718_000_000_000)


@pytest.fixture
async def slack(clock: FakeClock) -> AsyncIterator[Slack]:
    async with serving(clock=clock) as server:
        yield server


@pytest.fixture
def home(slack: Slack) -> Workspace:
    return slack.workspace()


@pytest.fixture
async def outlet(slack: Slack, home: Workspace, clock: FakeClock) -> AsyncIterator[SlackOutlet]:
    async with open_client(home.bot_token, slack.api_url) as client:
        us = await identify(client, 1, Health())
        slack.requests.clear()
        yield SlackOutlet([furnished(us, client, clock, governor=Governor(clock, pauses=(0,)))])


def address(home: Workspace, message: Message, channel: Channel) -> Mapping[str, str]:
    is_top = channel.kind == "direct" and not message.thread_ts
    return {
        "workspace": home.team,
        "channel": channel.id,
        "thread": "" if is_top else message.thread,
        "message": message.ts,
    }


def key(home: Workspace, person: Person) -> PersonKey:
    return PersonKey("slack", home.team, person.id)


def methods(slack: Slack) -> list[str]:
    return [each.method for each in slack.requests]


async def test_what_was_said_in_a_thread_is_read_back_in_order(
    home: Workspace, outlet: SlackOutlet
) -> None:
    ann, eve = home.person("Ann"), home.person("Eve", kind="guest")
    channel = home.channel("general", ann.profile, eve.profile)
    root = await ann.says(channel, "The printer &amp; the fax are broken")
    await eve.says(channel, "Again?", thread=root.ts)
    await ann.says(channel, "elsewhere")
    asked = await ann.says(channel, "<@bot> what can we do?", thread=root.ts)

    told = await outlet.earlier(address(home, asked, channel), 0, 50)

    assert [(each.name, each.author, each.text) for each in told] == [
        ("Ann", "member", "The printer & the fax are broken"),
        ("Eve", "guest", "Again?"),
    ]
    assert {each.surface for each in told} == {"public"}
    assert {each.place.thread for each in told} == {root.ts}


async def test_only_the_newest_are_read_and_none_from_before(
    home: Workspace, outlet: SlackOutlet, clock: FakeClock
) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann.profile, kind="private")
    root = await ann.says(channel, "0")
    for number in range(1, 6):
        clock.advance(1_000)
        await ann.says(channel, str(number), thread=root.ts)
    asked = await ann.says(channel, "<@bot>", thread=root.ts)
    where = address(home, asked, channel)

    newest = await outlet.earlier(where, 0, 2)
    later = await outlet.earlier(where, milliseconds(root.ts) + 2_000, 50)

    assert [each.text for each in newest] == ["4", "5"]
    assert {each.surface for each in newest} == {"private"}
    assert [each.text for each in later] == ["3", "4", "5"]


async def test_long_threads_are_read_page_by_page(home: Workspace, outlet: SlackOutlet) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann.profile)
    root = await ann.says(channel, "0")
    for number in range(1, 450):
        await ann.says(channel, str(number), thread=root.ts)
    asked = await ann.says(channel, "<@bot>", thread=root.ts)

    told = await outlet.earlier(address(home, asked, channel), 0, 50)

    assert [each.text for each in told] == [str(number) for number in range(400, 450)]


async def test_an_endless_thread_is_not_read_to_its_end(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann.profile)
    root = await ann.says(channel, "0")
    for number in range(1, 2_100):
        await ann.says(channel, str(number), thread=root.ts)
    asked = await ann.says(channel, "<@bot>", thread=root.ts)

    assert len(await outlet.earlier(address(home, asked, channel), 0, 50)) == 50
    assert methods(slack).count("conversations.replies") == 10


async def test_nothing_is_asked_about_a_thread_that_begins(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann.profile)
    asked = await ann.says(channel, "<@bot> hello")

    assert await outlet.earlier(address(home, asked, channel), 0, 50) == ()
    assert methods(slack) == []


async def test_a_direct_message_is_read_back_from_its_top(
    home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.direct(ann.profile)
    await ann.says(channel, "one")
    asked = await ann.says(channel, "two")

    told = await outlet.earlier(address(home, asked, channel), 0, 50)

    assert [(each.text, each.surface) for each in told] == [("one", "direct")]


async def test_without_names_the_messages_still_come(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("general", ann.profile)
    root = await ann.says(channel, "one")
    asked = await ann.says(channel, "<@bot>", thread=root.ts)
    broken = faults.Fate(before=faults.broken())
    slack.decide(faults.always(broken, "users.info", "conversations.info"))

    [told] = await outlet.earlier(address(home, asked, channel), 0, 50)

    assert (told.name, told.text, told.surface) == ("", "one", "private")


async def test_bots_need_no_look_up(slack: Slack, home: Workspace, outlet: SlackOutlet) -> None:
    ann, other = home.person("Ann"), home.person("Deploys", kind="bot")
    channel = home.channel("general", ann.profile, other.profile)
    root = await other.says(channel, "deployed")
    asked = await ann.says(channel, "<@bot> why?", thread=root.ts)

    [told] = await outlet.earlier(address(home, asked, channel), 0, 50)

    assert told.author == "bot"
    assert "users.info" not in methods(slack)


async def test_names_of_people_and_channels_are_told(home: Workspace, outlet: SlackOutlet) -> None:
    ann, bob = home.person("Ann"), home.person("Bob")
    bob.profile.display_name = "bobby"
    channel = home.channel("help", ann.profile)
    asked = await ann.says(channel, "<@bot>")
    text = f"ask <@{bob.id}> or <@U0NOBODY> in <#{channel.id}> or <#C0NOWHERE>"

    [said] = await outlet.complete(address(home, asked, channel), [Said(key(home, ann), "", text)])

    assert said == Said(key(home, ann), "Ann", "ask @bobby or @somebody in #help or #a-channel")


async def test_a_name_that_is_known_stays(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("help", ann.profile)
    asked = await ann.says(channel, "<@bot>")
    told = [Said(key(home, ann), "Annie", "hello")]

    assert await outlet.complete(address(home, asked, channel), told) == told
    assert methods(slack) == []


async def test_names_are_asked_once_an_hour(
    slack: Slack, home: Workspace, outlet: SlackOutlet, clock: FakeClock
) -> None:
    ann = home.person("Ann")
    channel = home.channel("help", ann.profile)
    where = address(home, await ann.says(channel, "<@bot>"), channel)
    told = [Said(key(home, ann), "", "hello")]

    for _ in range(3):
        await outlet.complete(where, told)
    assert methods(slack) == ["users.info"]
    clock.advance(HOUR)
    await outlet.complete(where, told)
    assert methods(slack) == ["users.info"] * 2


async def test_who_cannot_be_found_is_somebody(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("help", ann.profile)
    where = address(home, await ann.says(channel, "<@bot>"), channel)
    slack.decide(faults.always(faults.Fate(before=faults.broken())))

    classic = Said(PersonKey("slack", home.team, "B0CLASSIC"), "", "deployed")
    told = await outlet.complete(where, [Said(key(home, ann), "", "hello"), classic])

    assert [each.name for each in told] == ["somebody", "somebody"]


async def test_administrators_are_those_of_the_workspace(
    slack: Slack, home: Workspace, outlet: SlackOutlet
) -> None:
    ann, root = home.person("Ann"), home.person("Root", admin=True)
    channel = home.channel("help", ann.profile, root.profile)
    where = address(home, await ann.says(channel, "<@bot>"), channel)

    assert not await outlet.is_administrator(where, key(home, ann))
    assert await outlet.is_administrator(where, key(home, root))
    slack.cut_network()
    with pytest.raises(DeliveryError):
        await outlet.is_administrator(where, PersonKey("slack", home.team, "U0NEW"))


async def test_a_message_of_ours_is_removed_once(home: Workspace, outlet: SlackOutlet) -> None:
    ann = home.person("Ann")
    channel = home.channel("help", ann.profile)
    asked = await ann.says(channel, "<@bot>")
    ours = home.post(Message("", channel.id, home.bot, "Hello", asked.ts))
    where = address(home, asked, channel)

    await outlet.remove(where, ours.ts)
    await outlet.remove(where, ours.ts)

    assert channel.find(ours.ts) is None


async def test_nothing_of_ours_stands_where_nothing_was_sent(
    home: Workspace, outlet: SlackOutlet
) -> None:
    ann = home.person("Ann")
    channel = home.channel("help", ann.profile)
    asked = await ann.says(channel, "<@bot>")

    assert await outlet.own_messages(address(home, asked, channel), 0) == []


async def test_a_workspace_without_a_token_is_out_of_reach(outlet: SlackOutlet) -> None:
    where = {"workspace": "T0GONE", "channel": "C1", "thread": "1.1", "message": "1.2"}

    with pytest.raises(SlackError, match="no token") as error:
        await outlet.remove(where, "1.3")
    assert error.value.permanent

    async with outlet.reply(Delivery("0" * 32, where, lambda: None, 4_000)) as reply:
        with pytest.raises(DeliveryError):
            await reply.finish("Hello")


async def test_what_was_used_least_lately_is_asked_again(
    slack: Slack, home: Workspace, clock: FakeClock
) -> None:
    ann, bob, eve = (home.person(name) for name in ("Ann", "Bob", "Eve"))
    async with open_client(home.bot_token, slack.api_url) as client:
        directory = Directory(client, Governor(clock, {}), clock, most=2)
        for person in (ann, bob, ann, eve, ann, bob):
            await directory.person(person.id)
    who = [each.arguments["user"] for each in slack.requests]
    assert who == [ann.id, bob.id, eve.id, bob.id]
