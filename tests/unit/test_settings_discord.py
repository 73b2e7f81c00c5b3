"""Settings of Discord."""

import pytest

from bot.errors import ConfigError
from bot.settings import Settings


def test_discord_has_one_token_which_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", "one.two.three")
    monkeypatch.setenv("NIMBUS_DISCORD_THREADS", "never")
    settings = Settings.load()

    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == "one.two.three"
    assert "two" not in repr(settings)
    assert settings.discord_threads == "never"
    assert settings.discord_api_url == "https://discord.com/api/v10"


def test_the_address_of_discord_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_API_URL", "discord.com")

    with pytest.raises(ConfigError, match=r"DISCORD_API_URL must be an address that begins"):
        Settings.load()
