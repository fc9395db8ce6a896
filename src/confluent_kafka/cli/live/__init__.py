"""The live view of a cluster: samples, the rows that they give, and the screen."""
