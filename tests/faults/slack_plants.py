"""Rules of Slack's outlet, each switched off; simulate plays there, too."""

from __future__ import annotations

from tests.faults.plant import plant

SLACK_PLANTS = (
    plant(
        "a status that may yet arrive is cleared at once",
        ("adapters/slack/reply.py", "asyncio.sleep(self._may_yet_arrive)", "asyncio.sleep(0)"),
        platform="slack",
    ),
    plant(
        "what we posted is not asked for with its mark",
        (
            "adapters/slack/posts.py",
            '"include_all_metadata": True',
            '"include_all_metadata": False',
        ),
        platform="slack",
    ),
    plant(
        "a message that cannot be edited any more is left as it is",
        (
            "adapters/chat/parts.py",
            "                raise\n            return False\n",
            "                raise\n            return True\n",
        ),
        platform="slack",
    ),
    plant(
        "nobody on Slack is asked whether the turn is ours",
        ("adapters/slack/posts.py", "        pace.guard()\n", ""),
        platform="slack",
    ),
    plant(
        "a post without an answer is made again on Slack",
        (
            "adapters/slack/web.py",
            'raise SlackError("no answer", unknown=True) from error',
            'raise SlackError("no answer") from error',
        ),
        (
            "adapters/chat/parts.py",
            "        self._lost = True  #",
            "        self._lost = False  #",
        ),
        platform="slack",
    ),
)
