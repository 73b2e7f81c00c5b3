"""Nimbus beside the other strategies, in the same conversation: a table, and a chart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from tests.benchmarks.memory.figures import Figures
from tests.benchmarks.memory.nimbus import defaults, play
from tests.benchmarks.memory.script import FACTS, Exchange, write_script
from tests.benchmarks.memory.strategies import STRATEGIES, play_strategy
from tests.benchmarks.memory.texts import read_texts

NIMBUS = "Nimbus"
_HEAD = "found", "sent", "uncached", "cost", "calls", "invalid", "statements", "MB"


def compare(turns: int, seed: int, facts: int = FACTS) -> dict[str, Figures]:
    """One conversation with each; characters are those of the requests on the wire."""
    script = write_script(read_texts(), seed, turns, facts)
    with TemporaryDirectory() as folder:
        nimbus = asyncio.run(play(Path(folder), script, settings=defaults(Path(folder))))
    others = {
        name: play_strategy(choose, script, nimbus.system, nimbus.tools)
        for name, choose in STRATEGIES.items()
    }
    return {NIMBUS: nimbus, **others}


def print_table(played: Mapping[str, Figures], script: Sequence[Exchange]) -> None:
    """Each figure but the first for one turn; `cost` counts what was cached as a tenth."""
    print(f"{'':28}" + "".join(f"{name:>12}" for name in _HEAD))
    for name, it in played.items():
        turns = len(it.sent)
        row = (
            f"{it.found} of {it.asked}",
            f"{it.characters() / turns:,.0f}",
            f"{it.uncached() / turns:,.0f}",
            f"{it.cost() / turns:,.0f}",
            f"{it.calls(script):.2f}",
            f"{len(it.invalid)}",
            f"{mean(it.statements):.1f}" if it.statements else "–",
            f"{it.megabytes:.1f}" if it.megabytes else "–",
        )
        print(f"{name:28}" + "".join(f"{cell:>12}" for cell in row))
    nimbus, *others = played.values()
    for name, other in zip(list(played)[1:], others, strict=True):
        print(f"{NIMBUS} costs {nimbus.cost() / other.cost():.2f} of: {name}")
    print(f"Recalled in a turn that asks for nothing: {mean(nimbus.recalled):.0f} characters")


def draw(played: Mapping[str, Figures], file: Path) -> None:
    """What all turns so far have cost, over the turns."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - half a second, for a chart only

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, it in played.items():
        costs = accumulate(sum(sent.cost for sent in turn) for turn in it.sent)
        label = f"{name}: {it.found} of {it.asked} facts"
        axes.plot([cost / 1e6 for cost in costs], label=label, lw=3 if name == NIMBUS else 1.5)
    axes.set(
        xlabel="turns",
        ylabel="million characters (cached ones count a tenth)",
        title="What a conversation has cost, and how much of it is remembered",
    )
    axes.legend()
    figure.savefig(file, dpi=120)
