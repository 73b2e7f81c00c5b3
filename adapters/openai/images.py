"""Images as OpenAI takes them: in the request itself, never by an address."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping

from bot.model import ReadImage
from memory.messages import Image, Message

Urls = Mapping[Image, str]


async def read_images(messages: Iterable[Message], read: ReadImage | None) -> Urls:
    """A data URL for each image that can be had."""
    urls: dict[Image, str] = {}
    if read is None:
        return urls
    for image in {part for each in messages for part in each.parts if isinstance(part, Image)}:
        content = await read(image)
        if content is not None:
            urls[image] = f"data:{image.media_type};base64,{b64encode(content).decode()}"
    return urls
