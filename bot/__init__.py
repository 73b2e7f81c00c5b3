"""What Nimbus does: a message's way from a platform to its answer."""

__version__ = "0.1.0"
