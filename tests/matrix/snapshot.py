"""Everything the database holds, as a count and a hash per table."""

from django.db import connection

# A refused call may leave its time and address on the token that made it, and nothing else.
MAY_CHANGE = {"tenants_apitoken": ("last_used_at", "last_used_from")}


def query() -> str:
    tables = sorted(connection.introspection.table_names())
    return " UNION ALL ".join(_table(name) for name in tables)


def _table(name: str) -> str:
    row = "to_jsonb(t)" + "".join(f" - '{column}'" for column in MAY_CHANGE.get(name, ()))
    return (
        f"SELECT '{name}', count(*), coalesce(md5(string_agg(md5(({row})::text), '' ORDER BY md5(({row})::text))), '')"
        f' FROM "{name}" t'
    )


def snapshot(sql: str) -> dict[str, tuple[int, str]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return {name: (count, digest) for name, count, digest in cursor.fetchall()}
