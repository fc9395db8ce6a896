"""Plans that move replicas between brokers, and the limit while they move."""
