"""In place of sleeping between two attempts."""

from __future__ import annotations


class Pauses:
    """What would have been slept."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
