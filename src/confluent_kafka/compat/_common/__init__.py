"""The parts that the compatibility APIs share. No part belongs to only one of them."""
