"""What holds for every test."""

import gc
import logging
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster
from hypothesis import settings

from memory.database import Clock, Database
from memory.engines import open_database
from tests import postgres
from tests.planted import Listener

PACKAGES = ["bot", "adapters", "memory"]

# A busy machine must not fail a test, and a failure says how to repeat it.
settings.register_profile("nimbus", deadline=None, print_blob=True)
settings.load_profile("nimbus")


@pytest.hookimpl(trylast=True)  # after they were shuffled
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that at the end neither worker waits for the other."""
    items.sort(key=lambda item: "faults" not in item.path.parts)


def pytest_collection_finish() -> None:
    """What is imported and collected stays; the garbage collector need not look at it again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_blocks_the_loop(request: pytest.FixtureRequest, _watch: BlockBuster) -> Iterator[None]:
    """Fail a test in which our code blocks the event loop, unless it is marked `inline`."""
    if request.node.get_closest_marker("inline"):
        yield
        return
    _watch.activate()
    yield
    _watch.deactivate()


@pytest.fixture(scope="session")
def _watch() -> BlockBuster:
    """Making one takes as long as a short test."""
    return BlockBuster(scanned_modules=PACKAGES)


@pytest.fixture(autouse=True)
def _no_test_sets_the_log_of_another() -> Iterator[None]:
    """A program sets its levels once, for as long as it lives."""
    yield
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.NOTSET)


@pytest.fixture(autouse=True)
def _no_log_holds_words_or_secrets(_listener: Listener) -> Iterator[None]:
    """Fail a test that leaves what people said, or a token, in any line of the log."""
    _listener.leaks.clear()
    yield
    assert _listener.leaks == []


@pytest.fixture(scope="session")
def _listener() -> Iterator[Listener]:
    listener = Listener()
    logging.getLogger().addHandler(listener)
    yield listener
    logging.getLogger().removeHandler(listener)


@pytest.fixture
async def database(database_url: str, clock: Clock | None) -> AsyncIterator[Database]:
    """An empty database of today's schema; the test runs once on each engine, on PostgreSQL among
    the slow ones."""
    opened = await open_database(database_url, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def clock() -> Clock | None:
    """The clock of `database`: its own. A test module with a fixture of this name sets another."""
    return None


@pytest.fixture
def sqlite_url(tmp_path: Path, _migrated_file: Path) -> str:
    """The address of an empty SQLite database of today's schema."""
    return f"sqlite:///{shutil.copy(_migrated_file, tmp_path / 'nimbus.db')}"


@pytest.fixture
def postgres_url(postgres_server: postgres.Server) -> Iterator[str]:
    """The address of an empty PostgreSQL database of today's schema."""
    with postgres_server.migrated() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_server(
    testrun_uid: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[postgres.Server]:
    """One for all workers, each with databases of its own."""
    with postgres.running(testrun_uid, tmp_path_factory.getbasetemp().parent) as server:
        yield server


@pytest.fixture(scope="session")
def _migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("migrated") / "nimbus.db"
    postgres.run(postgres.migrated(f"sqlite:///{file}"))
    return file
