"""The engines of a catalog: each behind its own address, role and bounds."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from esra import embedded
from esra.config.catalog import Loaded
from esra.config.environment import forget_server_settings
from esra.config.strict import ConfigError
from esra.domain.capability import Catalog
from esra.domain.source import Relation
from esra.governance import secrets
from esra.providers.postgres import Inspector, PostgresProvider, PowerfulRole
from esra.providers.postgres.errors import Trouble
from esra.wiring.wishes import Wishes

READER = "esra_reader"


async def started_engines(
    loaded: Loaded, folder: Path, base: Path, stack: AsyncExitStack, wishes: Wishes
) -> dict[str, PostgresProvider]:
    providers = _engines(loaded, folder, base, stack, wishes)
    started = (
        _start(provider, _relations(loaded.catalog, name)) for name, provider in providers.items()
    )
    for trouble in await asyncio.gather(*started, return_exceptions=True):
        if trouble is not None:
            raise trouble
    return providers


@asynccontextmanager
async def open_engines(
    loaded: Loaded, folder: Path, base: Path, wishes: Wishes | None = None
) -> AsyncIterator[dict[str, Inspector]]:
    """The catalog's engines with nothing asked of them yet, for who says what is wrong there."""
    async with AsyncExitStack() as stack:
        engines = _engines(loaded, folder, base, stack, wishes or Wishes())
        yield {name: provider.inspector for name, provider in engines.items()}


@asynccontextmanager
async def open_engine(address: Callable[[], str]) -> AsyncIterator[Inspector]:
    """One engine that no catalog names, by the URL that ``address`` gives."""
    forget_server_settings()
    provider = PostgresProvider(address, most=1)
    try:
        yield provider.inspector
    finally:
        await provider.close()


def _engines(
    loaded: Loaded, folder: Path, base: Path, stack: AsyncExitStack, wishes: Wishes
) -> dict[str, PostgresProvider]:
    providers: dict[str, PostgresProvider] = {}
    bounds, listed = dict(loaded.bounds), dict(loaded.hosts)
    forget_server_settings()
    for name, reference in loaded.providers:
        hosts = listed[name]
        if reference == "embedded":
            # In a folder of our own making, which nobody could list.
            address, hosts = partial(str, _embedded_reader(base, stack, wishes)), None
        else:
            address = partial(secrets.resolve, reference, folder)
        providers[name] = PostgresProvider(address, most=bounds[name], hosts=hosts)
        stack.push_async_callback(providers[name].close)
    return providers


def _relations(catalog: Catalog, provider: str) -> list[Relation]:
    own = (source for source in catalog.sources if source.provider == provider)
    return [mapping.relation for source in own for mapping in source.mappings]


async def _start(provider: PostgresProvider, relations: list[Relation]) -> None:
    """Raises ``ConfigError`` for a role that may do more than read.

    A server that cannot be asked is each query's own failure.
    """
    try:
        await provider.refuse_powerful_role(relations)
    except PowerfulRole as error:
        raise ConfigError(str(error)) from error
    except Trouble:
        provider.inspector.expect(relations)
    else:
        await provider.inspector.learn(relations)


def _embedded_reader(base: Path, stack: AsyncExitStack, wishes: Wishes) -> str:
    database = stack.enter_context(embedded.open_database(base, say=wishes.say))
    if not database.embedded:
        raise ConfigError(
            "the catalog reads the embedded database but ESRA_DATABASE_URL names another; "
            "unset it, or load the data there with `./workbench tune`"
        )
    forget_server_settings()
    return database.as_user(READER)
