"""That nothing forgotten is found again: on every road, and in every order."""
