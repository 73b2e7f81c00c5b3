"""The real process: started, killed, started again."""
