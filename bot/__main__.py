"""`python -m bot`, and the command `nimbus`."""

from bot.cli.app import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
