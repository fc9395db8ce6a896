"""Groups of all kinds: their members, and plans for their offsets."""
