"""Notices which events the app is not told of, since nothing that it could ask says so."""

from __future__ import annotations

import logging

from adapters.slack.events import Json
from bot.lease import Clock

_log = logging.getLogger(__name__)
_PATIENCE_MS = 60_000
_ENOUGH = 3  # a mention by which we were invited comes alone, too


class Subscriptions:
    """A mention is told twice: as such and as a message. When only mentions come, nothing that
    follows them in their threads is heard."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._alone: list[int] = []  # when mentions came, since the last message
        self._said = False

    def note(self, event: Json) -> None:
        match event.get("type"):
            case "message":
                self._alone.clear()
            case "app_mention":
                self._alone.append(self._clock())
                self._complain()

    def _complain(self) -> None:
        is_late = self._clock() - self._alone[0] > _PATIENCE_MS
        if self._said or not is_late or len(self._alone) < _ENOUGH:
            return
        self._said = True
        _log.warning(
            "Slack tells of mentions, but not of messages, so nothing that follows in a thread is "
            "heard. Subscribe the app to message.channels, message.groups, message.im and "
            "message.mpim at https://api.slack.com/apps, your app, Event Subscriptions; then "
            "reinstall it. slack-manifest.yaml has them all.",
            extra={"action": "slack.not_subscribed"},
        )
