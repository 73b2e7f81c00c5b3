"""What whole conversations are held on."""

from collections.abc import AsyncIterator

import pytest

from memory.database import Database
from memory.engines import open_database


@pytest.fixture
async def file(sqlite_url: str) -> AsyncIterator[Database]:
    opened = await open_database(sqlite_url)
    yield opened
    await opened.close()
