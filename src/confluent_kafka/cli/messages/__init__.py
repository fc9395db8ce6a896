"""Reading, decoding, filtering, writing, encoding and sending of messages."""
