"""What is logged of an event that could not be written down."""

from __future__ import annotations

import logging

import pytest

from adapters.chat.mishaps import log_not_taken
from memory.errors import DatabaseFullError

_log = logging.getLogger("bot.test")


@pytest.mark.parametrize("error", [DatabaseFullError("The disk is full."), TimeoutError()])
def test_what_is_told_of_the_database_is_not_told_with_each_event(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    log_not_taken(_log, error, "slack.not_taken")

    assert caplog.messages == []


def test_a_defect_is_told(caplog: pytest.LogCaptureFixture) -> None:
    log_not_taken(_log, ValueError("a defect"), "slack.not_taken")

    assert caplog.messages == ["Not taken: ValueError('a defect')"]
