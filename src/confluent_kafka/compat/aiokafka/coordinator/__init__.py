"""What of the group's coordination has a name."""
