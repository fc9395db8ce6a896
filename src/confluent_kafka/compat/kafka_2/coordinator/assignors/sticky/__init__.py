"""The sticky assignor's name."""
