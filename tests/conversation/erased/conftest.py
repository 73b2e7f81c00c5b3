"""In these tests time is virtual: nothing sleeps, and five minutes pass at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.faults.virtual import VirtualLoop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    del config, item
    return {"virtual": VirtualLoop}
