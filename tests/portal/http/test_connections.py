import asyncio

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import AsyncClient

from tests.factories import make_member, make_tenant


@pytest.mark.django_db(transaction=True)
def test_pages_of_errors_give_their_database_connection_back():
    """Django draws them in a thread that no request ends in: once, eight wrong addresses used up the whole pool."""
    user = make_member(make_tenant())

    async def ask():
        client = AsyncClient()
        await client.aforce_login(user)
        return await asyncio.gather(*(client.get("/nowhere/") for _number in range(6)))

    assert {response.status_code for response in async_to_sync(ask)()} == {404}
    connection.close()
    statistics = connection.pool.get_stats()
    assert statistics["pool_available"] == statistics["pool_size"]
