"""What a Spark pipeline shows while it starts and runs."""
