"""Each SDK against a local server that records what it was sent."""
