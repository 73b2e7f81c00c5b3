"""Which models there are by their names, `PROVIDER:NAME`, as settings give them."""

from __future__ import annotations

from collections.abc import Mapping

OFFLINE = "offline"
_PROVIDERS = {"openai": "OpenAI", "gemini": "Gemini"}
_WITHOUT_MODEL = (
    "{key} is set, so NIMBUS_MODEL must name a model: "
    f"NIMBUS_MODEL={{provider}}:NAME, or NIMBUS_MODEL={OFFLINE} to use no provider."
)
_WITHOUT_KEY = (
    "{setting} names a model of {title}, so {key} must be set "
    "(or {url}, for a server that needs no key)."
)

MODELS = (
    f"{' or '.join(f'{name}:NAME' for name in _PROVIDERS)}, several with commas "
    f"between them, or {OFFLINE}"
)
"""What a setting of models must be."""


def split(models: str) -> tuple[tuple[str, str], ...]:
    """Provider and name of each."""
    parts = (each.partition(":") for each in models.split(","))
    return tuple((provider.strip(), name.strip()) for provider, _, name in parts)


def check_models(models: str, setting: str, given: Mapping[str, object]) -> None:
    """Raise ValueError for what is no model, or a model whose provider has neither key nor
    address among the settings that are `given`."""
    for provider, name in split(models):
        if provider not in _PROVIDERS or not name:
            raise ValueError
        if all(given.get(f"{provider}_{each}") is None for each in ("api_key", "base_url")):
            raise ValueError(_of(provider, _WITHOUT_KEY, setting))


def check_not_wanted(given: Mapping[str, object]) -> None:
    """Raise ValueError for the key of a provider of which no model is named."""
    for provider in _PROVIDERS:
        if given.get(f"{provider}_api_key") is not None:
            raise ValueError(_of(provider, _WITHOUT_MODEL))


def _of(provider: str, sentence: str, setting: str = "") -> str:
    """A sentence about a provider's settings."""
    key, url = f"{provider.upper()}_API_KEY", f"{provider.upper()}_BASE_URL"
    title = _PROVIDERS[provider]
    return sentence.format(provider=provider, title=title, key=key, url=url, setting=setting)
