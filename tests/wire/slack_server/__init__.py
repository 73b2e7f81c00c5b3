"""Slack on the loopback, tried with the libraries of the real one."""
