"""Properties: claims that hold for every input that hypothesis makes up."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

QUICK = 15
THOROUGH = 120

Claim = Callable[..., None]


def for_all(*inputs: SearchStrategy[Any]) -> Callable[[Claim], Claim]:
    """Make a test of a claim: 15 examples among the quick tests, 120 among the slow ones."""

    def decorate(claim: Claim) -> Claim:
        @pytest.mark.parametrize(
            "examples",
            [
                pytest.param(QUICK, id="quick"),
                pytest.param(THOROUGH, id="thorough", marks=pytest.mark.slow),
            ],
        )
        def test(examples: int) -> None:
            settings(max_examples=examples, database=None)(given(*inputs)(claim))()

        test.__name__ = claim.__name__
        test.__doc__ = claim.__doc__
        return test

    return decorate
