"""Says whether a database role is too powerful to read a source with. Decides; asks nobody.

A read-only transaction is no sandbox: in one, a superuser runs programs on the server, an owner
reads past row security, and a large object can be made that stays. So the role may read the
mapped relations and nothing else, and this is checked when a source starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class PowerfulRole(Exception):
    """The role may do more than read. The message tells an operator what to take away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What a role is or could become, and the mapped relations it owns or may write."""

    name: str
    superuser: bool
    bypasses_row_security: bool
    creates_roles: bool
    replicates: bool
    powers: tuple[str, ...]
    owns: tuple[str, ...]
    writes: tuple[str, ...]


def role_of(row: Sequence[object]) -> Role:
    """The one row of ``fixed.ROLE``."""
    name, superuser, bypasses, creates, replicates, powers, owns, writes = row
    return Role(
        name=str(name),
        superuser=bool(superuser),
        bypasses_row_security=bool(bypasses),
        creates_roles=bool(creates),
        replicates=bool(replicates),
        powers=tuple(powers),  # type: ignore[arg-type]  # arrays of names, by the statement
        owns=tuple(owns),  # type: ignore[arg-type]
        writes=tuple(writes),  # type: ignore[arg-type]
    )


def reasons_against(role: Role) -> tuple[str, ...]:
    """Everything that speaks against reading with this role; nothing for one that only reads."""
    flags = (
        (role.superuser, "is a superuser"),
        (role.bypasses_row_security, "bypasses row security (BYPASSRLS)"),
        (role.creates_roles, "may create roles (CREATEROLE)"),
        (role.replicates, "may replicate (REPLICATION)"),
        (bool(role.powers), f"is a member of {', '.join(role.powers)}"),
        (bool(role.owns), f"owns {', '.join(role.owns)}"),
        (bool(role.writes), f"may write to {', '.join(role.writes)}"),
    )
    return tuple(reason for holds, reason in flags if holds)


def refuse_powerful(role: Role) -> None:
    """Raises ``PowerfulRole`` with every reason; returns for a role that only reads."""
    if reasons := reasons_against(role):
        raise PowerfulRole(
            f'the role "{role.name}" {"; ".join(reasons)}: '
            "give the source a role that has SELECT on its relations and nothing else"
        )
