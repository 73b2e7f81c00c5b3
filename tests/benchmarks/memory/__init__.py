"""What the memory costs and keeps, beside strategies that others use."""
