"""The methods with which the app looks around."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.servers.slack import shapes
from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.world import Channel, Json, Message

LARGEST_PAGE = 1_000
HISTORY_PAGE = 100


def whoami(call: Call) -> Json:
    workspace = call.workspace
    return {
        "url": f"https://{workspace.name}.slack.com/",
        "team": workspace.name,
        "user": workspace.bot.name,
        "team_id": workspace.team,
        "user_id": workspace.bot.id,
        "bot_id": workspace.bot.bot_id,
        "enterprise_id": workspace.enterprise or None,
        "is_enterprise_install": bool(workspace.enterprise),
    }


def replies(call: Call) -> Json:
    """Oldest first; the thread's first message stands at the head of every page."""
    channel = _readable(call)
    root = channel.find(call.get("ts"))
    if root is None:
        raise Refused("thread_not_found")
    if root.thread_ts:  # Slack gives that one message
        return {"messages": [shapes.message(root, channel)], "has_more": False}
    found = [each for each in channel.replies(root.ts) if _within(call)(each)]
    return _page(call, channel, found, [root], LARGEST_PAGE)


def history(call: Call) -> Json:
    """Newest first, without what was only said in threads."""
    channel = _readable(call)
    found = [each for each in channel.top_level() if _within(call)(each)]
    return _page(call, channel, found[::-1], [], HISTORY_PAGE)


def info(call: Call) -> Json:
    channel = call.channel()
    call.need_of(channel, "read")
    shape = shapes.channel(channel) | {"is_member": call.inside(channel)}
    if channel.kind == "direct":
        [shape["user"]] = channel.members - {call.workspace.bot.id}
    if call.flag("include_num_members"):
        shape["num_members"] = len(channel.members)
    return {"channel": shape}


def members(call: Call) -> Json:
    channel = call.channel()
    call.need_of(channel, "read")
    return {"members": sorted(channel.members), "response_metadata": {"next_cursor": ""}}


def open_direct(call: Call) -> Json:
    call.need("im:write")
    users = call.get("users").split(",")
    people = [call.workspace.people.get(user) for user in users]
    if len(people) != 1 or people[0] is None:
        raise Refused("user_not_found" if None in people else "not_enough_users")
    return {"channel": {"id": call.workspace.direct(people[0]).id}}


def user(call: Call) -> Json:
    call.need("users:read")
    workspace = call.workspace
    one = {**workspace.people, workspace.bot.id: workspace.bot}.get(call.get("user"))
    if one is None:
        raise Refused("user_not_found")
    shape = shapes.user(one, workspace.team)
    if one.email and "users:read.email" in workspace.scopes:
        shape["profile"]["email"] = one.email
    return {"user": shape}


def bot(call: Call) -> Json:
    call.need("users:read")
    one = call.workspace.bot
    if call.get("bot") not in {"", one.bot_id}:
        raise Refused("bot_not_found")
    app_id = call.workspace.hub.app_id
    return {"bot": {"id": one.bot_id, "app_id": app_id, "user_id": one.id, "name": one.name}}


def _readable(call: Call) -> Channel:
    channel = call.channel()
    call.need_of(channel, "history")
    if not call.inside(channel):
        raise Refused("not_in_channel")
    return channel


def _within(call: Call) -> Callable[[Message], bool]:
    oldest, latest = call.get("oldest"), call.get("latest")
    inclusive = call.flag("inclusive")

    def within(message: Message) -> bool:
        at = _micros(message.ts)
        if inclusive and at in {_micros(oldest), _micros(latest)}:
            return True
        return (not oldest or at > _micros(oldest)) and (not latest or at < _micros(latest))

    return within


def _micros(ts: str) -> int:
    """A time of six places; fewer are filled up."""
    seconds, _, fraction = ts.partition(".")
    return int(seconds or 0) * 1_000_000 + int(fraction.ljust(6, "0")[:6])


def _page(
    call: Call, channel: Channel, found: Sequence[Message], head: Sequence[Message], usual: int
) -> Json:
    try:
        limit = min(int(call.get("limit") or usual), LARGEST_PAGE)
        start = int(call.get("cursor").removeprefix("next:") or 0)
    except ValueError:
        raise Refused("invalid_cursor" if call.get("cursor") else "invalid_limit") from None
    if limit < 1:
        raise Refused("invalid_limit")
    end = start + limit
    may = "metadata.message:read" in call.workspace.scopes
    with_metadata = may and call.flag("include_all_metadata")
    more = end < len(found)
    return {
        "messages": [
            shapes.message(each, channel, with_metadata=with_metadata)
            for each in (*head, *found[start:end])
        ],
        "has_more": more,
        "response_metadata": {"next_cursor": f"next:{end}" if more else ""},
    }
