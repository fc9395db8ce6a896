"""The parts of group coordination that programs can import."""
