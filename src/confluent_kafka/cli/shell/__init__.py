"""The command line itself: commands and groups, their help, completion, and wrong usage."""
