"""`make demo`: the whole product on one machine, in the foreground, until Ctrl-C.

`__main__` is the order of things; `home` keeps what outlives a run, `programs` says what runs, `supervision` keeps it
running. None of them imports Django: what needs it (`seed`) runs in a process of its own, once the database is there.
"""
