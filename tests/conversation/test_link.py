"""`link`: who is which customer, and what is neither."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands import nimbus

pytestmark = pytest.mark.inline  # each command runs a loop of its own, and prints


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sqlite_url: str) -> None:
    for name in os.environ:
        if name.startswith(("NIMBUS_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.chdir(tmp_path)


def test_a_person_is_linked_to_a_customer() -> None:
    assert nimbus("link", "slack:T1:U1", "other").stdout == "slack:T1:U1 is customer other now.\n"


@pytest.mark.parametrize(
    "person",
    [
        "robin",
        "foo:bar",
        "slack:",
        "slack:U1",
        "slack:T1:",
        "slack::U1",
        "terminal:",
        "discord:1:2",
    ],
)
def test_what_is_no_person_is_not_linked(person: str) -> None:
    refused = nimbus("link", person, "other")

    assert refused.exit_code == 1
    assert refused.stderr.startswith("PERSON must be written as list shows it")


@pytest.mark.parametrize("customer", ["", " ", "a\nb"])
def test_what_is_no_customer_is_not_linked(customer: str) -> None:
    refused = nimbus("link", "slack:T1:U1", customer)

    assert refused.exit_code == 1
    assert refused.stderr == "CUSTOMER must be the id that the customer has in the shop.\n"
