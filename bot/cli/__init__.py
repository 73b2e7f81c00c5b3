"""The command line: one module for each kind of errand."""
