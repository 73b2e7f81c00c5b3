"""Who may remove what others wrote. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adapters.discord.guilds import Json

_ADMINISTRATOR, _MANAGE_MESSAGES = 1 << 3, 1 << 13


def may_remove(permissions: int) -> bool:
    return bool(permissions & (_ADMINISTRATOR | _MANAGE_MESSAGES))


def permissions_in(guild: Json, member: Json, channel: Json) -> int:
    """What a member may in a channel; a thread has those of its parent."""
    user, own = member["user"]["id"], [*member.get("roles", ()), guild["id"]]
    if user == guild.get("owner_id"):
        return _ADMINISTRATOR
    granted = 0
    for role in guild.get("roles", ()):
        if role["id"] in own:
            granted |= int(role["permissions"])
    if granted & _ADMINISTRATOR:
        return granted
    told = {each["id"]: each for each in channel.get("permission_overwrites") or ()}
    for overwrites in _in_order(told, guild["id"], own, user):
        denied, allowed = _sum(overwrites, "deny"), _sum(overwrites, "allow")
        granted = granted & ~denied | allowed
    return granted


def _in_order(
    told: Mapping[str, Json], guild: str, roles: Sequence[str], user: str
) -> Iterator[list[Json]]:
    """Everyone's first, then those of all roles together, then the member's own."""
    for names in ([guild], [role for role in roles if role != guild], [user]):
        yield [told[name] for name in names if name in told]


def _sum(overwrites: Sequence[Json], which: str) -> int:
    total = 0
    for each in overwrites:
        total |= int(each[which])
    return total
