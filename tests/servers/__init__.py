"""Providers and platforms on the loopback: the real wire, refusing what the real ones refuse."""
