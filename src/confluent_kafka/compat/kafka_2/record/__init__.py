"""Nothing but the names that programs import."""
