"""One request to a platform's web API through the gate: it departs, lands, and is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from typing import TypeVar

from tests.faults.points import IN_FLIGHT_SECONDS, SLOW_SECONDS, Fault, Kind
from tests.faults.seams import LATENCY
from tests.faults.venue import Around
from tests.faults.virtual import Process

T = TypeVar("T")
_TRAVELS: Mapping[Fault | None, float] = {
    "late": SLOW_SECONDS["write"],
    "crash, then it lands": IN_FLIGHT_SECONDS,
}


async def pass_through(
    around: Around, kind: Kind, what: str, arrive: Callable[[Process, Fault | None], T]
) -> T:
    """`arrive` is what the platform makes of the request when it is there, and returns or raises
    what its sender hears. On its way nobody can stop it any more."""
    gate = around.gate
    process, fault = gate.alive(), gate.strike(kind, what)
    match fault:
        case "crash before":
            gate.crash()
        case "freeze before":
            await gate.freeze()
            gate.alive()
    landed = _depart(around.loop, fault, lambda: arrive(process, fault))
    if fault in {"crash after", "crash, then it lands"}:
        gate.crash()
    try:
        return await landed
    finally:
        if fault == "freeze":
            await gate.freeze()
        gate.alive()


def _depart(
    loop: asyncio.AbstractEventLoop, fault: Fault | None, arrive: Callable[[], T]
) -> asyncio.Future[T]:
    landed: asyncio.Future[T] = loop.create_future()

    def land() -> None:
        try:
            answer = arrive()
        except Exception as error:  # noqa: BLE001 - its sender's business
            if is_heard():
                landed.set_exception(error)
                landed.exception()  # nobody may be there to hear of it
        else:
            if is_heard():
                landed.set_result(answer)

    def is_heard() -> bool:
        return not landed.done() and fault not in {"late", "response lost"}

    if fault != "request lost":
        loop.call_later(_TRAVELS.get(fault, LATENCY), land, context=Context())
    return landed
