"""A rule that is switched off is noticed."""

import pytest

from tests.faults.plant import Edit, Plant
from tests.faults.planted import StaleEditError, apply, copy_tree, hunt
from tests.faults.plants import PLANTS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("plant", PLANTS[::8], ids=lambda plant: plant.name)
def test_simulate_catches(plant: Plant) -> None:
    """For the sake of time each eighth one; `dev.py faults --planted` plants all."""
    found = hunt(plant, seeds=0)

    assert found.is_caught, found.told


def test_nothing_is_caught_where_nothing_is_planted() -> None:
    assert hunt(Plant("nothing", ()), seeds=0).is_caught is False


def test_a_plant_must_follow_the_code(tmp_path_factory: pytest.TempPathFactory) -> None:
    tree = tmp_path_factory.mktemp("tree")
    copy_tree(tree)

    with pytest.raises(StaleEditError):
        apply(tree, Edit("bot/turns.py", "this stands nowhere", ""))
