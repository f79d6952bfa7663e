"""A schema of a test's own in a real server, and who may read it."""

from psycopg import Connection


def fresh_schema(owner: Connection, schema: str) -> None:
    """An empty one; what lay there before is gone."""
    owner.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    owner.execute(f"CREATE SCHEMA {schema}")


def role(owner: Connection, name: str, rights: str = "LOGIN") -> None:
    """Made where the server, which stays, has none of this name yet."""
    if not owner.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        owner.execute(f"CREATE ROLE {name} {rights}")


def admit(owner: Connection, schema: str, name: str, rights: str = "LOGIN") -> None:
    """Lets a role look into the schema."""
    role(owner, name, rights)
    owner.execute(f"GRANT USAGE ON SCHEMA {schema} TO {name}")
