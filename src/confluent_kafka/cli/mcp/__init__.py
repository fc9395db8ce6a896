"""The tools of the Model Context Protocol server."""
