"""Reading Nimbus's memory from Python: the example of the README, which a test runs."""

import time

import memory
from bot.context import ContextBuilder
from bot.shown import render


async def tell(url: str = "sqlite:///nimbus.db") -> list[str]:
    """Who said what in each conversation, and what the next question there would send."""
    lines = []
    async with memory.open(url) as m:
        for listed in await m.conversations():
            report = await m.conversation(listed.id)
            for turn in report.turns:
                lines += [
                    f"{turn.number} {said.role}: {said.message.text}"
                    for said in turn.messages
                    if said.message is not None  # what is damaged
                ]
            window = await m.window(listed.id)
            question = [memory.user("And then?")]
            context = ContextBuilder(system="Be brief.").compose(
                window, question, now=int(time.time() * 1000)
            )
            lines.append(render(context))
    return lines


async def forget_all(url: str = "sqlite:///nimbus.db") -> int:
    """Delete every conversation for good; the number of messages that went."""
    async with memory.open(url) as m:
        gone = [await m.forget(listed.id) for listed in await m.conversations()]
    return sum(forgotten.messages for forgotten in gone)
