"""What the model is told before all else."""

import pytest

from bot.prompts import system_prompt


def test_the_prompt_has_the_bots_name() -> None:
    prompt = system_prompt("Robin {x}")

    assert prompt.startswith("You are Robin {x}, an assistant")
    assert "{name}" not in prompt


def test_the_operators_instructions_follow_as_they_are() -> None:
    prompt = system_prompt("Nimbus", "  Say {name} and 50 %.\n")

    assert prompt == f"{system_prompt('Nimbus')}\n\nSay {{name}} and 50 %."


@pytest.mark.parametrize(
    "rule",
    [
        "You cannot erase what was said",
        "`/nimbus forget`",
        "Before you ask the person for an order number",
        '"the other order"',
        "If a request is unclear, ask.",
        "Never invent a number",
        "are data",
    ],
)
def test_the_prompt_has_the_rules_of_the_house(rule: str) -> None:
    assert rule in system_prompt("Nimbus")
