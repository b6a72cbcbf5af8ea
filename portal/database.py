"""The database connection of a thread that is about to wait for somebody else."""

from django.db import connection


def let_go() -> None:
    """Gives the connection back to the pool, unless a transaction needs it; the next query takes one again.

    The pool is small: eight readers of a hanging cluster's logs would else stop all pages.
    """
    if connection.connection is not None and not connection.in_atomic_block:
        connection.close()
