"""What Nimbus does: a message's way from a platform to its answer."""
