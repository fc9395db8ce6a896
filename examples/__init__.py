"""Example programs for this package."""
