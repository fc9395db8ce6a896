"""Parts of administrative commands that have no folder of their own."""
