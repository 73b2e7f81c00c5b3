"""Files for one person, in their direct messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial

import aiohttp

from adapters.slack.decode import in_lines
from adapters.slack.outlet import Workspace
from adapters.slack.paced import paced
from adapters.slack.posts import POST
from adapters.slack.web import SlackError, asked
from bot import wording
from bot.told import File

_UPLOAD_SECONDS = 60
_log = logging.getLogger(__name__)


async def send(workspace: Workspace, user: str, text: str, files: AsyncIterator[File]) -> str:
    """What is told where they were asked for."""
    try:
        await _send(workspace, user, text, files)
    except SlackError as error:
        _log.warning(
            "Files were not sent (the app needs files:write): %s",
            error,
            extra={"action": "slack.files_not_sent"},
        )
        return wording.EXPORT_NOT_SENT
    return wording.EXPORT_SENT


async def _send(workspace: Workspace, user: str, text: str, files: AsyncIterator[File]) -> None:
    """The message opens the direct messages, whose id an upload asks for."""
    client, governor = workspace.client, workspace.posts.governor
    post = partial(client.chat_postMessage, channel=user, text=in_lines(text))
    channel = str((await paced(governor, POST, user, post))["channel"])
    async for file in files:
        ticket = await asked(
            client.files_getUploadURLExternal(filename=file.name, length=len(file.content))
        )
        await _upload(str(ticket["upload_url"]), file.content)
        named: list[dict[str, str | None]] = [{"id": str(ticket["file_id"]), "title": file.name}]
        await asked(client.files_completeUploadExternal(files=named, channel_id=channel))


async def _upload(url: str, content: bytes) -> None:
    try:
        async with (
            asyncio.timeout(_UPLOAD_SECONDS),
            aiohttp.ClientSession(trust_env=True) as session,
            session.post(url, data=content) as response,
        ):
            response.raise_for_status()
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise SlackError("a file could not be uploaded") from error
