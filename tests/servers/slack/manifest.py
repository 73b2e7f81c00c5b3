"""What an app asks for: scopes and events, all of them unless a test takes some away."""

from __future__ import annotations

EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "member_joined_channel": "channels:read",
    "app_home_opened": "",
    "app_uninstalled": "",
    "channel_deleted": "channels:read",
    "group_deleted": "groups:read",
    "tokens_revoked": "",
}
EVENTS = frozenset(EVENT_SCOPES)

SCOPES = frozenset(
    {
        *(scope for scope in EVENT_SCOPES.values() if scope),
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:read",
        "im:read",
        "im:write",
        "metadata.message:read",
        "mpim:read",
        "reactions:write",
        "users:read",
        "users:read.email",
    }
)
