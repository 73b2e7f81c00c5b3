"""Uploading a file: ask for an address, bring the bytes there, say where the file goes."""

from __future__ import annotations

import secrets

from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.world import Json, Message, Upload


def announce(call: Call) -> Json:
    call.need("files:write")
    name, length = call.get("filename"), call.get("length")
    if not name or not length.isdigit() or int(length) == 0:
        raise Refused("invalid_arguments")
    workspace = call.workspace
    file = workspace.new_id("F")
    upload = workspace.uploads[file] = Upload(name, int(length), secrets.token_hex(12))
    workspace.inspector.secrets.add(upload.key)
    return {"upload_url": f"{workspace.base_url}upload/{upload.key}", "file_id": file}


def complete(call: Call) -> Json:
    """A person's id is no channel here, other than for a message."""
    call.need("files:write")
    named = call.structure("files", "invalid_arguments")
    if not isinstance(named, list) or not named:
        raise Refused("invalid_arguments")
    uploads = [call.workspace.uploads.get(str(each.get("id"))) for each in named]
    brought = [each for each in uploads if each and each.content and not each.is_shared]
    if len(brought) < len(named):
        raise Refused("file_not_found")
    channel = call.channel("channel_id")
    if not call.inside(channel):
        raise Refused("not_in_channel")
    shared = [
        {"id": each["id"], "name": upload.name, "title": each.get("title", upload.name)}
        for each, upload in zip(named, brought, strict=True)
    ]
    for upload in brought:
        upload.is_shared = True
    message = Message("", channel.id, call.workspace.bot, call.get("initial_comment"))
    message.more = {"subtype": "file_share", "files": shared}
    call.workspace.post(message)
    return {"files": shared}
