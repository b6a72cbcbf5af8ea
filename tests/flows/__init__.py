"""Whole flows through form and REST, with a real database and a real sandbox; nothing is mocked."""
