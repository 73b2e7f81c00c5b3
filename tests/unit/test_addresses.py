"""What is told of an address that failed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bot.addresses import cause_of, host_of


@pytest.mark.parametrize(
    ("causes", "told"),
    [
        ([ValueError("sk-secret")], "ValueError"),
        ([ValueError("sk-secret"), OSError(111, "Connection refused")], "Connection refused"),
        ([ValueError("x"), OSError(-2, "Name or service not known")], "Name or service not known"),
        ([ConnectionRefusedError(111, "Connect call failed")], "Connection refused"),
        ([ValueError("x"), OSError("All failed"), LookupError()], "ValueError"),
        (
            [ValueError("x"), ExceptionGroup("all", [OSError(111, "Connection refused")])],
            "Connection refused",
        ),
    ],
)
def test_the_cause_is_in_the_system_s_words_or_the_kind(causes: list[Exception], told: str) -> None:
    for error, cause in pairwise(causes):
        error.__cause__ = cause

    assert cause_of(causes[0]) == told


def test_of_an_address_only_host_and_port_are_told() -> None:
    assert host_of("https://u:sk-secret@host:8443/v1?key=sk-secret") == "host:8443"
