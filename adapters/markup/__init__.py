"""Markdown as chat platforms take it; pure, and shared by all of them."""
