"""What is the same on every chat platform: an answer that grows there; names that are kept."""
