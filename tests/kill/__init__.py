"""The kill tier: a whole demo of its own, whose processes are killed while clients submit. `make kill` runs it."""
