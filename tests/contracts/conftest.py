"""What the suites of the seams start from."""

import pytest

from memory.database import Database
from tests.contracts.store import Store


@pytest.fixture
def store(database: Database) -> Store:
    return Store(database)
