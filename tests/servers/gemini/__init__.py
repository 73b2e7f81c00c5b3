"""Gemini on the loopback: for tests with written answers, for people with a desk's brain."""
