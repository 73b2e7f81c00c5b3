"""Buttons say all that a click needs."""

import pytest

from adapters.discord.buttons import (
    Confirm,
    Keep,
    Stop,
    asking_buttons,
    mark_of,
    read_button,
    stop_button,
)

TURN = "0123456789abcdef0123456789abcdef"


def test_a_click_tells_what_its_button_was_made_for() -> None:
    here, everywhere = Confirm("11", 1_800_000_000_000), Confirm("11", 1, "forget me")
    buttons = [stop_button(TURN), *asking_buttons(here), *asking_buttons(everywhere)]

    ids = [button["custom_id"] for button in buttons]
    assert [read_button(each) for each in ids] == [
        Stop(TURN),
        here,
        Keep(),
        everywhere,
        Keep(),
    ]
    assert all(len(each) <= 100 for each in ids)  # what Discord takes


def test_a_turns_mark_is_its_button() -> None:
    row = {"type": 1, "components": [{"type": 2, "custom_id": "other"}, stop_button(TURN)]}

    assert mark_of({"components": [row]}) == TURN
    assert (
        mark_of({"components": [{"type": 1, "components": asking_buttons(Confirm("1", 2))}]}) == ""
    )
    assert mark_of({"components": [{"type": 17}]}) == mark_of({}) == ""


@pytest.mark.parametrize("custom_id", ["", "nimbus:stop:", "nimbus:forget:11", "something:else"])
def test_a_button_of_somebody_else_means_nothing(custom_id: str) -> None:
    assert read_button(custom_id) is None
