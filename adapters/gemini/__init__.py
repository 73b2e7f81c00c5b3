"""Gemini, through Google's own SDK."""
