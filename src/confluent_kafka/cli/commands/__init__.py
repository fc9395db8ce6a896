"""The commands, one module each. A module is imported when its command is called."""
