"""This package contains only the names that programs import."""
