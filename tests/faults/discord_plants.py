"""Rules of Discord's outlet, each switched off; simulate plays there, too."""

from __future__ import annotations

from tests.faults.plant import plant

DISCORD_PLANTS = (
    plant(
        "what is posted on Discord has no mark",
        ("adapters/discord/posts.py", "[] if part.ends else", "[] if part.text else"),
        platform="discord",
    ),
    plant(
        "Discord may take what is sent again for another message",
        ("adapters/discord/posts.py", '"enforce_nonce": True', '"enforce_nonce": False'),
        platform="discord",
    ),
    plant(
        "nobody on Discord is asked whether the turn is ours",
        ("adapters/discord/api.py", "            pace.guard()\n", ""),
        platform="discord",
    ),
    plant(
        "a message on Discord that cannot be edited any more is left as it is",
        (
            "adapters/chat/parts.py",
            "                raise\n            return False\n",
            "                raise\n            return True\n",
        ),
        platform="discord",
    ),
)
