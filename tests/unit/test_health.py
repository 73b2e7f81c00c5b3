"""Readiness is red while anything is not connected, and says why."""

from __future__ import annotations

import pytest

from bot.health import Health, State


def test_nothing_is_ready_before_anything_is_known() -> None:
    health = Health()

    assert not health.is_ready
    assert not health.is_dead


def test_it_is_ready_when_every_connection_stands() -> None:
    health = Health()

    health.note("Slack 1", "connecting")
    health.note("Slack 2", "connected")
    assert not health.is_ready
    health.note("Slack 1", "connected")
    assert health.is_ready


def test_a_lost_connection_says_why_and_may_come_back() -> None:
    health = Health()

    health.note("Slack 1", "lost", "no answer")
    assert health.states == {"Slack 1": State("lost", "no answer")}
    assert not health.is_dead
    health.note("Slack 1", "connected")
    assert health.is_ready


def test_it_is_dead_when_none_is_left() -> None:
    health = Health()

    health.note("Slack 1", "dead", "token revoked")
    health.note("Slack 2", "connected")
    assert not health.is_dead
    health.note("Slack 2", "dead", "token revoked")
    assert health.is_dead


def test_a_change_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    health = Health()

    health.note("Slack 1", "lost", "no answer")
    health.note("Slack 1", "lost", "no answer")

    assert caplog.messages == ["Slack 1: lost: no answer"]


def test_a_database_that_cannot_be_used_is_not_ready_and_nobody_s_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    health = Health()
    health.note("Slack 1", "connected")

    for _ in range(2):
        health.note_database("lost", "The disk is full.")

    assert not health.is_ready
    assert not health.is_dead
    assert caplog.messages == ["database: lost: The disk is full."]
    health.note_database("connected")
    assert health.is_ready
