"""Discord: events in, answers out."""
