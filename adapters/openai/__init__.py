"""OpenAI's Chat Completions, and every server that speaks them."""
