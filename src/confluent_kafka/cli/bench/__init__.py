"""Parts of `bench`, which measures throughput and latency."""
