"""PostgreSQL and Redis from Python wheels, for the demo and the tests: nothing to install by hand.

Nothing in here imports Django: these servers must run before settings can be read.
"""
