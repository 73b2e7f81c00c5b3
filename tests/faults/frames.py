"""The platforms that a run can be played on."""

from __future__ import annotations

from collections.abc import Mapping

from tests.faults.discord_venue import DISCORD
from tests.faults.played import PLAYED
from tests.faults.slack_venue import SLACK
from tests.faults.venue import Frame

FRAMES: Mapping[str, Frame] = {frame.platform: frame for frame in (PLAYED, SLACK, DISCORD)}
