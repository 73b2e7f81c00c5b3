"""`python -m bot`, and the command `nimbus`."""

from bot.cli.app import main

if __name__ == "__main__":
    main()
