"""Lists of channels mean the channel from which a thread hangs."""

from dataclasses import replace

import pytest

from bot.platform import Inbound
from bot.rules import Rules
from memory.keys import PersonKey, PlaceKey

SAID = Inbound(
    place=PlaceKey("played", "W", "-", "1"),
    surface="public",
    person=PersonKey("played", "W", "ann"),
    name="Ann",
    message_id="1",
    sent_order="1",
    said_at=1,
    text="Hello",
    address={},
    mentions_us=True,
    parent="C",
)


@pytest.mark.parametrize(
    ("rules", "glance"),
    [
        (Rules(deny_channels=frozenset("C")), "refused"),
        (Rules(deny_channels=frozenset("-")), "addressed"),
        (Rules(allow_channels=frozenset("C")), "addressed"),
        (Rules(allow_channels=frozenset("-")), "refused"),
    ],
)
def test_a_thread_belongs_to_its_channel(rules: Rules, glance: str) -> None:
    assert rules.glance(SAID) == glance


def test_a_place_that_names_its_channel_needs_no_other() -> None:
    said = replace(SAID, place=PlaceKey("played", "W", "C", "1"), parent="")

    assert Rules(deny_channels=frozenset("C")).glance(said) == "refused"
