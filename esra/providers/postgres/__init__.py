"""PostgreSQL as a provider: full-text search over relations of the user's own.

``render`` and ``errors`` decide, ``run`` touches the server, ``pool`` keeps its connections.
"""

from esra.providers.postgres.inspector import Inspector
from esra.providers.postgres.provider import PostgresProvider
from esra.providers.postgres.roles import PowerfulRole

__all__ = ["Inspector", "PostgresProvider", "PowerfulRole"]
