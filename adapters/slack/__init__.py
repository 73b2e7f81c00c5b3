"""Slack: events in, answers out."""
