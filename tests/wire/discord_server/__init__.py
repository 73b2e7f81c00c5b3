"""Discord on the loopback, tried with discord.py itself."""
