"""Slack on the loopback: Web API and Socket Mode, refusing what the real one refuses."""
