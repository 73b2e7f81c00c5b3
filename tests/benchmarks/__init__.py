"""`python -m tests.benchmarks`: what a turn costs, in tables. Nothing here asserts a time."""
