"""What the faces have in common: nothing in here is of one of them."""
