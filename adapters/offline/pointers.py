"""Words that point at an order without a number or a name."""

from __future__ import annotations

from typing import Literal

Pointer = Literal[
    "none",
    "it",
    "them",
    "other",
    "all",
    "first",
    "second",
    "oldest",
    "newest",
    "dearest",
    "cheapest",
]

POINTERS: tuple[tuple[Pointer, tuple[str, ...]], ...] = (
    (
        "other",
        (
            r"(?:the|my|that|your) other|other (?:one|order|item|thing|purchase)",
            r"another (?:one|order|refund|request)|(?:remaining|different) (?:one|order)",
        ),
    ),
    (
        "oldest",
        (
            "old(?:er|est)|earliest",
            "first (?:thing |order )?(?:that )?i (?:ever )?(?:bought|ordered|made)",
        ),
    ),
    (
        "newest",
        (
            r"new(?:er|est)|latest|(?:most|more) recent",
            r"last (?:order|purchase|one|thing)|(?:bought|ordered) last",
            r"recent (?:one|order|purchase)",
        ),
    ),
    ("cheapest", (r"cheap|cheaper|cheapest|costs? less|(?:less|least) expensive",)),
    ("dearest", (r"(?:more |most )?expensive|pricier|costs? more|priciest|dearer|dearest",)),
    ("first", (r"(?:the|my) first(?: one| order| item)?|former",)),
    ("second", (r"(?:the|my) second(?: one| order| item)?|latter",)),
    (
        "all",
        (
            "both|all (?:of )?(?:them|these|those|my|the)|all orders|each|either",
            "everything|any of",
            r"orders|purchases|which (?:one|of|order)|anything",
        ),
    ),
    ("them", ("they|them|these|those|their",)),
    ("it", (r"it|its|that|this|one|the (?:same|order|item|thing|product|purchase)|same",)),
)
