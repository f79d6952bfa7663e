"""The two renderers as the campaign asks for them."""

from dataclasses import astuple

from esra.domain.plan import Strategy
from esra.providers.memory.command import compile_query
from esra.providers.postgres import render as postgres
from tests.security.campaign import Engine
from tests.security.carried import wrong_in_memory, wrong_in_postgres
from tests.security.shapes import Shape


def _form(shape: Shape) -> object:
    """Strategies but ``phrase`` and ``recent`` are one and the same command."""
    own = shape.strategy in (Strategy.PHRASE, Strategy.RECENT)
    return (shape.strategy if own else None, *astuple(shape)[1:])


POSTGRES = Engine(
    name="postgres",
    render=postgres.render,
    text=lambda command: command.text.as_bytes(None),
    wrong=lambda command, asked: wrong_in_postgres(command.values, asked),
    form=_form,
)
MEMORY = Engine(
    name="memory",
    render=compile_query,
    text=lambda command: repr(command.shape).encode(),
    wrong=lambda command, asked: wrong_in_memory(command.values, asked),
    form=lambda shape: shape,
)
