"""One turn, top to bottom: begin, remember, answer, commit, deliver, after."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from bot import trace, wording
from bot.after import AfterWork
from bot.agent import Agent, Assignment, Ending, Progress
from bot.errors import DeliveryError
from bot.fallback import ready
from bot.hold import Wished
from bot.limits import Places
from bot.remember import Remembered, Remembering, said
from bot.run import Run, Runs
from bot.settings import Limits, Timing
from memory import begin, contents, unanswered, usage
from memory import turns as stored
from memory.database import Database, Transaction
from memory.deliveries import Part
from memory.errors import StorageError, Superseded
from memory.messages import Message, assistant
from memory.turns import Spent, Stop, Turn
from memory.voices import Talk

_log = logging.getLogger(__name__)
_CLOSED = {"erased": wording.FORGOTTEN, "withdrawn": wording.QUESTION_FORGOTTEN}


class Turns:
    """Answers what waits, turn by turn."""

    def __init__(
        self,
        *,
        database: Database,
        runs: Runs,
        agent: Agent,
        remembering: Remembering,
        after: AfterWork,
        timing: Timing,
        limits: Limits,
        listener: trace.Listener = trace.unheard,
    ) -> None:
        self._database = database
        self._runs = runs
        self._agent = agent
        self._remembering = remembering
        self._after = after
        self._timing = timing
        self._limits = limits
        self._listener = listener
        self._places = Places(limits.running_turns, limits.running_turns_per_model)
        self._carried: list[Run] = []

    async def answer(self, conversation: str) -> None:
        """Answer what waits in the conversation's place; a queue's handler.

        Raise StorageError when the database cannot be used: the turn waits to be taken over.
        """
        while True:
            match await self._database.read(lambda tx: unanswered.look(tx, conversation)):
                case "waiting":
                    run = await self._runs.begin(conversation)
                case "abandoned":
                    run = await self._runs.take_over(conversation)
                case _:
                    return
            if run is not None:
                await self._carry(run)
                self._after.begin(run.turn.conversation)

    def interrupted(self, conversation: str) -> None:
        """Somebody wrote a wish for a turn of this conversation."""
        for run in self._carried:
            if run.turn.conversation == conversation:
                run.hold.ring()

    async def _carry(self, run: Run) -> None:
        self._carried.append(run)
        turn = run.turn
        try:
            with trace.bound(conversation=turn.conversation, turn=turn.id):
                run.hold.lease.guard()  # or a worker that froze since shows a status for ever
                async with run.hold, run.courier:
                    await self._live(run)
        except Superseded:
            return
        finally:
            self._carried.remove(run)

    async def _live(self, run: Run) -> None:
        try:
            await self._tidy(run)
            if run.turn.state == "running":
                await self._finish(run)
                await self._tidy(run)  # the platform may have failed, or a late request landed
            await self._deliver(run)
        except Superseded as lost:
            if lost.why == "deleted":
                await run.courier.close(wording.DELETED)
                await run.hold.write(lambda tx: stored.drop(tx, run.turn))
            elif lost.why in _CLOSED and not run.hold.lease.is_over:
                await run.courier.close(_CLOSED[lost.why])
            else:
                run.courier.abandon()
            await self._note_rest(run)

    async def _note_rest(self, run: Run) -> None:
        """What was spent for a turn that is not ours any more was spent all the same."""
        tokens = (run.progress.usage - run.progress.noted).tokens
        if tokens:
            await self._database.write(lambda tx: usage.add(tx, run.payer, tokens, turns=0))

    async def _tidy(self, run: Run) -> None:
        if run.follows_forget:
            await run.courier.remove_orphans(self._is_known)

    async def _is_known(self, turn: str) -> bool:
        return await self._database.read(lambda tx: stored.exists(tx, turn))

    async def _finish(self, run: Run) -> None:
        """Work until an ending is committed; a wish may make the turn end or begin anew."""
        stop = run.turn.wish
        ending: Ending | None = None
        while run.turn.state == "running":
            try:
                if stop is not None:
                    await run.hold.answer_wish(stop)
                if ending is None:
                    ending = await run.hold.until_wished(self._ending(run))
                stop = await self._commit(run, ending)
            except Wished as wished:
                if wished.stop == "stopped":
                    stop = await self._commit(run, self._stopped(run), heeded="stopped")
                elif wished.stop == "erased" and await self._has_acted(run):
                    stop = await self._commit(run, self._silenced(run), heeded="erased")
                else:
                    stop, ending = await self._begin_anew(run), None

    async def _ending(self, run: Run) -> Ending:
        try:
            if self._is_hopeless(run.turn):
                return said(run.turn, "interrupted")
            async with self._places.taken(lambda: ready(self._agent.model)) as model:
                remembered = await self._remembering.remember(run)
                if isinstance(remembered, Ending):
                    return remembered
                return await self._agent.answer(self._assign(run, remembered, model), run.progress)
        except (Superseded, StorageError, Wished):
            raise
        except Exception:  # noqa: BLE001 - boundary: a turn ends with a sentence
            _log.exception("A turn broke.", extra={"action": "turn.broke"})
            return said(run.turn, "interrupted")

    def _is_hopeless(self, turn: Turn) -> bool:
        return turn.attempts > self._limits.attempts

    def _assign(self, run: Run, remembered: Remembered, model: str) -> Assignment:
        turn = run.turn
        return Assignment(
            turn=turn.id,
            request=replace(remembered.request, first=model),
            person=turn.asker,
            customer=remembered.customer,
            conversation=turn.conversation,
            record=lambda message: self._record(run, message),
            show=run.courier.show,
            guard=run.hold.lease.guard,
            listener=self._listener,
        )

    async def _record(self, run: Run, message: Message) -> None:
        turn, spent, now_noted = run.turn, _spent(run.progress), run.progress.usage
        stop = await run.hold.write(lambda tx: stored.record_step(tx, turn, message, spent))
        run.progress.noted = now_noted
        if stop is None:
            return
        await run.hold.answer_wish(stop)
        if message.role == "assistant":  # the wish kept it out, and is cleared now
            await self._record(run, message)

    async def _commit(self, run: Run, ending: Ending, *, heeded: Stop | None = None) -> Stop | None:
        """The final message, before it is delivered; the wish that came before it."""
        turn = run.turn
        sent = [Part(part.remote_id, part.ends_at) for part in run.courier.sent]

        async def work(tx: Transaction) -> Turn | Stop:
            finished = await stored.finish(
                tx,
                turn,
                outcome=ending.outcome,
                message=ending.message,
                spent=_spent(run.progress),
                sent=sent,
                heeded=heeded,
            )
            if isinstance(finished, Turn):
                is_told = finished.outcome == "limited"
                await usage.add(tx, run.payer, finished.tokens, tells=is_told)
            return finished

        finished = await run.hold.write(work)
        if not isinstance(finished, Turn):
            return finished
        run.progress.noted = run.progress.usage
        if run.remembers:
            run.answer = _spoken([*run.progress.steps, ending.message])
        run.hold.fenced(finished)
        trace.log_turn(turn.number, ending.outcome, run.progress)
        return None

    async def _begin_anew(self, run: Run) -> Stop | None:
        turn, spent = run.turn, _spent(run.progress)
        anew = await run.hold.write(lambda tx: begin.begin_anew(tx, turn, spent))
        run.hold.fenced(anew)
        run.progress = Progress([])
        return anew.wish

    async def _has_acted(self, run: Run) -> bool:
        """Whether a tool was called that may not be called again: each call is stored before."""
        return any(
            not self._agent.toolbox.is_read(call.name)
            for message in (await self._read(run.turn)).messages
            for call in message.calls
        )

    async def _deliver(self, run: Run) -> None:
        turn = run.turn
        if turn.erased == stored.QUESTION_DELETED:
            raise Superseded("deleted")
        answer = run.answer or await self._read_answer(turn)
        try:
            parts = await run.hold.until_wished(run.courier.deliver(answer))
        except DeliveryError as error:
            _log.error("An answer was not delivered: %s", error, extra={"action": "turn.failed"})
            await run.hold.write(lambda tx: stored.fail(tx, turn))
        else:
            sent = [Part(part.remote_id, part.ends_at) for part in parts]
            await run.hold.write(lambda tx: stored.deliver(tx, turn, sent))
        await run.courier.recorded()

    async def _read_answer(self, turn: Turn) -> str:
        return _spoken((await self._read(turn)).messages)

    async def _read(self, turn: Turn) -> Talk:
        found = await self._database.read(
            lambda tx: contents.read(tx, turn.conversation, turn.number)
        )
        return found.talk

    def _stopped(self, run: Run) -> Ending:
        """What was said so far is kept and marked."""
        said = run.progress.text
        text = f"{said} {wording.STOPPED_MARK}" if said else wording.ending("stopped", run.turn.id)
        return Ending("stopped", assistant(text))

    def _silenced(self, run: Run) -> Ending:
        """Of what this worker knows, nothing is said: only what is stored is known to be clean."""
        run.remembers = False
        run.progress.text = ""
        return self._stopped(run)


def _spoken(messages: Sequence[Message]) -> str:
    """What a person sees of a turn: the text of every step, separated by an empty line."""
    texts = (message.text for message in messages if message.role == "assistant")
    return "\n\n".join(text for text in texts if text)


def _spent(progress: Progress) -> Spent:
    rest = progress.usage - progress.noted
    return Spent(
        model=progress.model,
        input_tokens=rest.input_tokens,
        cached_tokens=rest.cached_tokens,
        output_tokens=rest.output_tokens,
        reasoning_tokens=rest.reasoning_tokens,
        model_ms=progress.model_ms,
        tool_ms=progress.tool_ms,
        first_text_ms=progress.first_text_ms,
    )
