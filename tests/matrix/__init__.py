"""The access matrix in parts: what a route asks for (rows), who calls (actors), what the database holds (snapshot)."""
