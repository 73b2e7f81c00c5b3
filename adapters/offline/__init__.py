"""The model that needs no key and no network."""
