"""Tools: annotated async functions that the model may ask for, and the box that runs them."""
