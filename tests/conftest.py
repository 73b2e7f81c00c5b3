"""What holds for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import BlockBuster
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [name for name in ("bot", "adapters", "memory") if (ROOT / name).is_dir()]

# A busy machine must not fail a test, and a failure says how to repeat it.
settings.register_profile("nimbus", deadline=None, print_blob=True)
settings.load_profile("nimbus")


@pytest.fixture(autouse=True)
def _nothing_blocks_the_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test in which our code blocks the event loop, unless it is marked `inline`."""
    if not PACKAGES or request.node.get_closest_marker("inline"):
        yield
        return
    watch = BlockBuster(scanned_modules=PACKAGES)
    watch.activate()
    yield
    watch.deactivate()
