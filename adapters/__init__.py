"""The outside world, one package for each platform, provider or transport."""
