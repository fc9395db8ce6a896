"""Schema registries: the client, schemas as files, and the changes of `registry`."""
