"""What Nimbus remembers: conversations, turns and messages, on SQLite or PostgreSQL."""
