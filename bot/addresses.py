"""Addresses that settings give, looked at as strictly as by whoever asks there, and what is told
of one that failed."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from pydantic import AnyHttpUrl, TypeAdapter

from memory.engines import is_postgres, sqlite_path
from memory.errors import StorageError

_PORTS = 65_536
_WEB_ADDRESS = TypeAdapter(AnyHttpUrl)


def check_database_address(url: str) -> None:
    """Raise ValueError, without the address: there may be a password in it."""
    if is_postgres(url):
        for host in urlsplit(url).netloc.rpartition("@")[2].split(","):  # there may be several
            _check_port(host)
    else:
        try:
            sqlite_path(url)
        except StorageError as error:
            raise ValueError from error


def check_web_address(url: str) -> None:
    """Raise ValueError for what nobody can be asked at."""
    _WEB_ADDRESS.validate_python(url)
    if not url.isascii() or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise ValueError
    _check_port(urlsplit(url).netloc.rpartition("@")[2])


def _check_port(host: str) -> None:
    port = re.search(r":([^:\]]*)$", host)
    if port and port[1] and not (port[1].isdecimal() and 0 < int(port[1]) < _PORTS):
        raise ValueError


def host_of(url: str) -> str:
    """Host and port, and nothing of the rest, which may hold a secret."""
    return urlsplit(url).netloc.rpartition("@")[2]


def cause_of(error: BaseException) -> str:
    """What was in the way in the end: the system's own words, or the kind of the failure."""
    said = type(error).__name__
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, ConnectionError) and inner.errno:  # asyncio's own words say less
            said = os.strerror(inner.errno)
        elif isinstance(inner, OSError) and inner.strerror:
            said = inner.strerror
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
        else:
            inner = inner.__cause__ or inner.__context__
    return said
