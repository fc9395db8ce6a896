"""Programs that show the project at work."""
