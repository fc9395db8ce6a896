"""The connection to a cluster: properties, files, profiles, and the admin client."""
