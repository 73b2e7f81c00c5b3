"""What must hold when anything may fail: `python -m tests.faults`."""
