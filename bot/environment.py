"""What can be wrong with names: of settings, in the file `.env`, of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from dotenv.parser import Binding, parse_stream

from bot.errors import ConfigError


def read_names(file: Path) -> list[str]:
    """The names that the file sets; none when it is not there. Raise ConfigError, with lines."""
    bindings = list(parse_stream(StringIO(_read(file))))
    wrong = [each for each in bindings if each.error or _has_no_value(each)]
    if wrong:
        raise ConfigError(*(_about_line(each, file) for each in wrong))
    return [each.key for each in bindings if each.key is not None]


def strangers(names: Iterable[str], known: Iterable[str], prefix: str) -> Iterator[str]:
    """A sentence for each name of ours that no setting has: it is a slip of the pen."""
    settings = [name for name in known if name.startswith(prefix)]
    for name in sorted({name.upper() for name in names} - set(settings)):
        if name.startswith(prefix):
            [nearest] = get_close_matches(name, settings, n=1, cutoff=0)
            yield f"{name} is no setting of Nimbus. Is {nearest} meant?"


def is_module(name: str) -> bool:
    """Whether Python finds it; what is wrong inside is met when it is imported."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    try:
        return find_spec(name) is not None
    except Exception as error:  # noqa: BLE001 - the packages around it are imported: they may raise anything
        return not isinstance(error, ModuleNotFoundError)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeError as error:
        raise ConfigError(f"The file {file} cannot be read as UTF-8 text.") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{file} is a folder; it must be a file of lines NAME=value.") from error
    except OSError as error:
        raise ConfigError(f"The file {file} cannot be read: {error.strerror}.") from error


def _has_no_value(binding: Binding) -> bool:
    return binding.key is not None and binding.value is None


def _about_line(binding: Binding, file: Path) -> str:
    """Never what stands in it, which may be a secret. Empty lines before belong to a binding."""
    text = binding.original.string
    line = binding.original.line + text[: len(text) - len(text.lstrip())].count("\n")
    return f"Line {line} of {file} cannot be understood; it must be NAME=value."
