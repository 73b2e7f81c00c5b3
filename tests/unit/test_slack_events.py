"""What Slack tells, as the core reads it: one file for each shape that Slack sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.events import Installation, Reader, milliseconds, sent_order, workspace_of
from bot.platform import Deleted, Edited, Event, Inbound, Removed

FOLDER = Path(__file__).resolve().parent.parent / "wire" / "slack_events"
CASES = {file.stem: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))}
TEAM = Installation("T0001", "T0001", "U0NIMBUS", "B0NIMBUS")
ORG = Installation("E0001", "", "U0NIMBUS", "B0NIMBUS", enterprise="E0001", is_org=True)


def reader(case: dict[str, Any]) -> Reader:
    us = ORG if case.get("org") else TEAM
    return Reader(us, case.get("dm", "flat"), {"C0MET": "public"})


def told(event: Event | None) -> dict[str, Any] | None:
    """An event as the files tell it."""
    match event:
        case None:
            return None
        case Deleted():
            return {
                "kind": "deleted",
                "place": str(event.place),
                "message_id": event.message_id,
            }
        case Edited():
            return {**said(event.message), "kind": "edited", "edited_at": event.edited_at}
        case Removed():
            return {
                "kind": "removed",
                "workspace": event.workspace,
                "channel": event.channel,
                "at": event.at,
            }
        case Inbound():
            return {**said(event), "kind": "said"}
        case _:
            raise AssertionError(event)


def said(inbound: Inbound) -> dict[str, Any]:
    return {
        "place": str(inbound.place),
        "surface": inbound.surface,
        "person": str(inbound.person),
        "message_id": inbound.message_id,
        "sent_order": inbound.sent_order,
        "said_at": inbound.said_at,
        "text": inbound.text,
        "thread": inbound.address["thread"],
        "author": inbound.author,
        "mentions_us": inbound.mentions_us,
        "mentions_others": inbound.mentions_others,
    }


@pytest.mark.parametrize("name", CASES)
def test_each_shape_is_read_for_what_it_is(name: str) -> None:
    case = CASES[name]

    assert told(reader(case).read(case["body"])) == case["becomes"]


def test_an_address_holds_all_that_an_answer_needs() -> None:
    event = Reader(TEAM).read(CASES["mention_in_thread"]["body"])

    assert isinstance(event, Inbound)
    assert event.address == {
        "workspace": "T0001",
        "channel": "C0001",
        "thread": "1718000000.000100",
        "message": "1718000050.000000",
        "user": "U0ANN",
        "team": "T0001",
        "surface": "public",
    }


def test_twins_are_one_message() -> None:
    mention, twin = (
        Reader(TEAM).read(CASES[name]["body"]) for name in ("mention_in_channel", "mention_twin")
    )

    assert isinstance(mention, Inbound)
    assert isinstance(twin, Inbound)
    assert (mention.place, mention.message_id) == (twin.place, twin.message_id)


def test_a_message_that_was_read_back_is_read_like_an_event() -> None:
    message = CASES["follow_up_in_thread"]["body"]["event"] | {"team": "T0001"}

    back = Reader(TEAM).fetched(message, "C0001", "public")

    assert told(back) == CASES["follow_up_in_thread"]["becomes"]


def test_what_is_ours_is_not_read_back() -> None:
    message = CASES["own_message"]["body"]["event"]

    assert Reader(TEAM).fetched(message, "C0001", "public") is None
    assert Reader(TEAM).fetched(CASES["joined"]["body"]["event"], "C0001", "public") is None


def test_order_is_kept_when_seconds_get_another_digit() -> None:
    stamps = ["999999999.000001", "1718000000.000100", "1718000000.0002", "10000000000.000000"]

    assert sorted(stamps, key=sent_order) == stamps


def test_time_is_in_milliseconds() -> None:
    assert milliseconds("1718000000.123999") == 1718000000123
    assert milliseconds("1718000000") == 1718000000000


GRANTED = {"authorizations": [{"team_id": "T1", "enterprise_id": "E1"}], "team_id": "T9"}
CLICK: dict[str, Any] = {"user": {"id": "U1"}, "team": {"id": "T1"}, "enterprise": None}
ORG_CLICK = {**CLICK, "team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True}
ORG_COMMAND = {"team_id": "T1", "enterprise_id": "E1", "is_enterprise_install": "true"}


@pytest.mark.parametrize(
    ("body", "workspace"),
    [
        (GRANTED, "T1"),
        (CASES["org_colleague"]["body"], "E0001"),
        ({"team_id": "T1", "authorizations": []}, "T1"),
        ({"team_id": "T1", "is_enterprise_install": "false"}, "T1"),
        (ORG_COMMAND, "E1"),
        (CLICK, "T1"),
        (ORG_CLICK, "E1"),
        ({}, ""),
    ],
)
def test_a_payload_names_the_installation_that_it_is_for(
    body: dict[str, Any], workspace: str
) -> None:
    assert workspace_of(body) == workspace
