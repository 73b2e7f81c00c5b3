"""What happens to a request on the loopback, when a test wants it to happen."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from discord import HTTPException, RateLimited

from tests.servers.discord import faults
from tests.servers.discord.faults import Act, Fate
from tests.servers.discord.rates import Limit
from tests.wire.discord_server.scene import Scene

pytestmark = pytest.mark.slow

POST = "POST channels/*/messages"

FAILURES: dict[str, tuple[Act, type[Exception]]] = {
    "503": (faults.broken(503), HTTPException),
    "a refusal": (faults.refused(50013), HTTPException),
    "a ban": (faults.limited(1, banned=True), HTTPException),
    "nothing": (faults.dropped, aiohttp.ServerDisconnectedError),
}


@pytest.mark.parametrize("what", FAILURES)
async def test_a_request_fails_before_or_after_its_effect(rest: Scene, what: str) -> None:
    act, error = FAILURES[what]

    for fate, stands in ((Fate(before=act), []), (Fate(after=act), ["> Hi."])):
        rest.discord.decide(faults.always(fate, POST))
        with pytest.raises(error):
            await rest.place().send("Hi.")
        assert rest.bot.shown(rest.channel) == stands


async def test_only_the_nth_request_has_the_fate(rest: Scene) -> None:
    rest.discord.decide(faults.nth(2, Fate(before=faults.refused(50001)), POST))
    await rest.place().send("1")
    with pytest.raises(HTTPException, match="50001"):
        await rest.place().send("2")
    await rest.client.http.send_typing(int(rest.channel.id))
    await rest.place().send("3")

    assert rest.bot.shown(rest.channel) == ["> 1", "> 3"]
    assert [each.error for each in rest.discord.requests[2:]] == ["", "50001", "", ""]


async def test_the_library_tries_a_broken_server_and_a_nonce_keeps_it_one(rest: Scene) -> None:
    rest.discord.decide(faults.nth(1, Fate(after=faults.broken(500))))
    await rest.place().send("Hi.", nonce="turn-1")

    assert [each.status for each in rest.discord.requests[2:]] == [500, 200]
    assert rest.bot.shown(rest.channel) == ["> Hi."]


async def test_the_library_waits_when_it_is_told_to(rest: Scene) -> None:
    for everywhere in (False, True):
        fate = Fate(before=faults.limited(0.01, everywhere=everywhere))
        rest.discord.decide(faults.nth(1, fate))
        await rest.place().send("Hi.")

    assert [each.status for each in rest.discord.requests[2:]] == [429, 200, 429, 200]
    assert rest.bot.shown(rest.channel) == ["> Hi."] * 2


async def test_the_library_keeps_to_what_it_is_told_of_a_limit(rest: Scene) -> None:
    rest.discord.limit({POST: Limit(2, 0.1)})
    for each in range(5):
        await rest.place().send(str(each))

    assert [each.status for each in rest.discord.requests[2:]] == [200] * 5


async def test_who_does_not_wait_is_refused_for_a_while(rest: Scene) -> None:
    rest.discord.limit({POST: Limit(1, 5.0)}, everywhere=Limit(2, 5.0))
    elsewhere = rest.home.channel("elsewhere")
    statuses = []
    async with aiohttp.ClientSession(headers={"Authorization": f"Bot {rest.bot.token}"}) as session:
        for channel in (rest.channel, rest.channel, elsewhere, elsewhere):
            url = f"{rest.discord.api_url}/channels/{channel.id}/messages"
            async with session.post(url, json={"content": "Hi."}) as response:
                statuses.append((response.status, response.headers.get("X-RateLimit-Scope")))
                body: dict[str, Any] = await response.json()

    assert statuses == [(200, None), (429, "user"), (429, "global"), (429, "global")]
    assert 0 < body["retry_after"] <= 5
    assert body["global"]
    assert response.headers["Via"]


async def test_a_wait_that_is_too_long_is_said(rest: Scene) -> None:
    rest.client.http.max_ratelimit_timeout = 30
    rest.discord.decide(faults.always(Fate(before=faults.limited(60))))

    with pytest.raises(RateLimited) as limited:
        await rest.place().send("Hi.")
    assert limited.value.retry_after == 60


async def test_a_request_that_was_given_up_can_still_land(rest: Scene) -> None:
    gate = asyncio.Event()
    rest.discord.decide(faults.always(Fate(before=faults.held(gate))))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await rest.place().send("Hi.")
    assert not rest.discord.quiet
    gate.set()
    await rest.discord.until(lambda: rest.discord.quiet)

    assert rest.bot.shown(rest.channel) == ["> Hi."]


async def test_a_worker_dies_before_or_after_a_request(rest: Scene) -> None:
    deaths: list[int] = []

    def die() -> None:
        deaths.append(len(rest.channel.messages))

    for fate in (Fate(before=faults.killing(die)), Fate(after=faults.killing(die))):
        rest.discord.decide(faults.nth(1, fate))
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await rest.place().send("Hi.")

    assert deaths == [0, 1]


async def test_every_request_is_recorded(rest: Scene) -> None:
    await rest.place().send("Hi.", nonce="turn-1")

    request = rest.discord.requests[-1]
    assert (request.number, request.method, request.status) == (3, POST, 200)
    assert (request.team, request.arguments["channel"]) == (rest.bot.id, rest.channel.id)
    assert (request.arguments["content"], request.arguments["nonce"]) == ("Hi.", "turn-1")


async def test_a_failure_tells_what_happened(rest: Scene) -> None:
    await rest.place().send("Hi.")

    with pytest.raises(TimeoutError, match=r"#general nimbus: Hi\."):
        await rest.discord.until(lambda: False, 0.01)
