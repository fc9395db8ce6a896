"""Topics and partitions: how arguments name them, and the parts of the command `topics`."""
