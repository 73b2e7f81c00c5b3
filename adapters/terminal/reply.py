"""A turn's answer in the terminal: printed as it grows, and once."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from adapters.terminal.screen import Screen, harmless
from bot.errors import DeliveryError
from bot.platform import Address, Delivery, Inbound, OwnMessage, Reply, Said, SentPart
from memory.keys import PersonKey, PlaceKey


class TerminalReply(Reply):
    """Prints only what is new; a text that changed is printed anew under a line that says so."""

    def __init__(self, screen: Screen, delivery: Delivery, sent: dict[str, SentPart]) -> None:
        self._screen = screen
        self._delivery = delivery
        self._sent = sent
        self._shown = ""

    async def show(self, text: str) -> None:
        if not self.sent:
            self._print(harmless(text))

    async def finish(self, answer: str) -> Sequence[SentPart]:
        if not self.sent:
            self._print(harmless(answer))
            self._screen.end_line()
            self._refuse_when_broken()
            self._sent[self._delivery.turn] = SentPart(self._delivery.turn, len(answer))
        return self.sent

    async def recorded(self) -> None:
        """Paper has no marks."""

    async def close(self, notice: str) -> None:
        if self._shown:
            self._screen.say(notice)

    @property
    def sent(self) -> Sequence[SentPart]:
        part = self._sent.get(self._delivery.turn)
        return () if part is None else (part,)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._screen.end_line()

    def _print(self, text: str) -> None:
        self._delivery.guard()
        if not text.startswith(self._shown):
            self._screen.end_line()
            self._screen.note("(the answer changed)")
            self._shown = ""
        self._screen.write(text[len(self._shown) :])
        self._shown = text
        self._refuse_when_broken()

    def _refuse_when_broken(self) -> None:
        if self._screen.is_broken:
            raise DeliveryError(f"{self._screen.why_broken}.", permanent=True)


class TerminalOutlet:
    """Answers on this terminal. What an earlier process printed stands on another one."""

    platform = "terminal"

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._sent: dict[str, SentPart] = {}

    def reply(self, delivery: Delivery) -> TerminalReply:
        return TerminalReply(self._screen, delivery, self._sent)

    async def own_messages(self, _address: Address, _since: int) -> Sequence[OwnMessage]:
        return tuple(OwnMessage(part.remote_id, turn) for turn, part in self._sent.items())

    async def remove(self, _address: Address, _remote_id: str) -> None:
        """What was printed stays; only the person can clear a terminal."""

    async def earlier(self, _address: Address, _after: int, _limit: int) -> Sequence[Inbound]:
        return ()

    async def later(
        self, _place: PlaceKey, _address: Address, _after: int, _limit: int
    ) -> Sequence[Inbound]:
        return ()

    async def complete(self, _address: Address, said: Sequence[Said]) -> Sequence[Said]:
        return said

    async def is_administrator(self, _address: Address, _person: PersonKey) -> bool:
        return True
