"""Random record filters, callers and rows: what comes back is what a plain reading of them says.

The short form takes seconds. ``ESRA_LONG=1``: 300 mappings x 200 callers x 50 rows in each engine.
"""

import asyncio
import json
import logging
import os
import random
import re
from dataclasses import dataclass, replace

import pytest

from esra.domain.capability import Forms, PlanForm, RerankForm, SelectForm
from esra.domain.invocation import Caller, Identity, Mode, Retention
from esra.domain.source import FieldType, Mapping, Operator, RowRule, Source
from esra.governance.admission import admit
from esra.governance.audit import ListAudit
from esra.llm.scripted import Scripted
from esra.pipeline import retrieve
from esra.providers.memory import MemoryProvider, Record
from esra.show import as_json, as_text
from tests.house import catalog, house, request
from tests.providers.queries import RELATION

LONG = os.environ.get("ESRA_LONG") == "1"
MAPPINGS, CALLERS, ROWS = (300, 200, 50) if LONG else (12, 8, 50)

WORDS = ("t1", "t2", "T1", "7", "é", "o'neil", "true")
NUMBERS = (0, 7, 8, -1, 2.5)
COLUMNS = {"colour": WORDS, "price": NUMBERS, "sold": (True, False), "name": WORDS}
TYPES = {
    "colour": FieldType.TEXT,
    "price": FieldType.NUMBER,
    "sold": FieldType.BOOLEAN,
    "name": FieldType.TEXT,
}
CLAIMS = ("tenant", "subject", "groups", "team", "level")
# What a token may say: values that fit some type, values that fit none.
SAID = (*WORDS, "0", "8", "-1", "2.5", "false", "", "07", "1e1", "nobody", "a\0b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    rules: tuple[tuple[RowRule, ...], ...]
    records: tuple[Record, ...]


def case(dice: random.Random) -> Case:
    def rule() -> RowRule:
        column = dice.choice(list(COLUMNS))
        kind = TYPES[column]
        if dice.random() < 0.2:
            value = json.dumps(dice.choice(COLUMNS[column])).strip('"')
            return RowRule(column=column, value=value.replace("\\u00e9", "é"), type=kind)
        operator = dice.choice([Operator.IN, Operator.IN, Operator.EQ])
        return RowRule(column=column, claim=dice.choice(CLAIMS), type=kind, operator=operator)

    def fields() -> dict[str, object]:
        held = {c: dice.choice(values) for c, values in COLUMNS.items() if c != "name"}
        return {c: value for c, value in held.items() if dice.random() > 0.1}

    groups = tuple(
        tuple(rule() for _ in range(dice.choice((1, 1, 2, 3)))) for _ in range(dice.randint(1, 3))
    )
    records = tuple(
        Record(
            key=f"k{n}",
            title=dice.choice(WORDS),
            text=f"word {'word ' * dice.randint(0, 3)}canary{dice.getrandbits(48):012x}",
            fields=fields(),
        )
        for n in range(ROWS)
    )
    return Case(rules=groups, records=records)


def caller(dice: random.Random) -> Caller:
    def some() -> tuple[str, ...]:
        return tuple(dice.choices(SAID, k=dice.choice((0, 1, 1, 2, 5))))

    return Caller(
        tenant=dice.choice(("t1", "t2", "7", "")),
        subject=dice.choice(("o'neil", "true", "8")),
        identity=Identity.TOKEN,
        groups=some(),
        claims=(
            *((name, some()) for name in ("team", "tenant") if dice.random() < 0.8),
            ("secret", ("claimcanary",)),
        ),
    )


# The reference: a plain reading of a rule, sharing no line with the runtime.


def holds(rule: RowRule, who: Caller, record: Record) -> bool:
    own = {"tenant": [who.tenant], "subject": [who.subject], "groups": list(who.groups)}
    said = [v for name, values in who.claims if name == rule.claim for v in values]
    texts = [rule.value] if rule.value else own.get(rule.claim, said)
    if rule.operator is Operator.EQ and len(set(texts)) != 1:
        return False
    stored = record.title if rule.column == "name" else record.fields.get(rule.column)
    if stored is None:
        return False
    as_text = json.dumps(stored) if not isinstance(stored, str) else stored
    return as_text != "" and as_text in texts


def expected(one: Case, who: Caller) -> set[str]:
    return {
        record.text.split("canary")[1]
        for record in one.records
        if all(any(holds(rule, who, record) for rule in group) for group in one.rules)
    }


def model(brief) -> str:
    """Chooses all, and plans two searches and two that aim at the record filter."""
    match type(brief).__name__:
        case "SelectBrief":
            return json.dumps({"sources": [c.id for c in brief.candidates]})
        case "PlanBrief":
            plain = {"mapping": "docs", "strategy": "keyword", "optional": ["word"]}
            aimed = {"field": "colour", "operator": "ne", "values": ["x"]}
            hostile = {**plain, "filters": [aimed]}
            named = {**plain, "optional": ["word' OR 1=1"], "record_filter": []}
            return json.dumps({"queries": [plain, hostile, named]})
    return json.dumps(
        {"scores": [{"resultId": c.resultId, "score": 1.0} for c in brief.candidates]}
    )


class Sink(list):
    def write(self, trace):
        self.append(trace)


def source(relation, rules) -> Source:
    mapping = Mapping(
        id="docs", name="Docs", description="", relation=relation, record_filter=rules
    )
    return Source(id="shop", name="Shop", provider="fake", mappings=(mapping,), description="d")


async def everything(provider, relation, one: Case, who: Caller) -> tuple[set[str], str]:
    """The canaries of the answer, and all that came out anywhere, as one text."""
    asked, audit, traces = Scripted(model), ListAudit(), Sink()
    forms = Forms(select=SelectForm.MODEL, plan=PlanForm.MODEL, rerank=RerankForm.MODEL)
    known = catalog(
        source(relation, one.rules),
        forms=forms,
        exposure={"modes": frozenset({"brief", "full", "explain"})},
    )
    own = house(
        known,
        engine=provider,
        audit=audit,
        traces=traces,
        retention=Retention.FULL,
        selectors={"model": asked},
        planners={"model": asked},
        rerankers={"model": asked},
    )
    call = request("word", caller=who, limit=50, mode=Mode.EXPLAIN, seconds=60.0)
    response = await retrieve(admit(call, own), own)
    out = (json.dumps(as_json(response)), as_text(response), repr(asked.seen))
    found = set(CANARY.findall(out[0]))
    return found, " ".join((*out, json.dumps(audit.records), json.dumps(list(traces))))


CANARY = re.compile(r"(?<!claim)canary([0-9a-f]{12})")


@pytest.fixture(params=["memory", "postgres"])
def stocked(request):
    """(provider, relation) that hold these records."""
    if request.param == "memory":
        return lambda records: (MemoryProvider({"docs": records}), RELATION)
    shop = request.getfixturevalue("shop")
    return lambda records: (shop.provider, shop.stock(records))


@pytest.mark.req("W80", "E100")
@pytest.mark.timeout(3600 if LONG else 300)
def test_what_a_caller_sees_is_what_his_claims_allow(stocked, caplog):
    """A row that a policy hides would be shown, told of, or read by a model."""
    dice = random.Random(20)
    sizes: list[int] = []

    async def go():
        for _ in range(MAPPINGS):
            one = case(dice)
            provider, relation = stocked(one.records)
            for who in [caller(dice) for _ in range(CALLERS)]:
                allowed = expected(one, who)
                found, out = await everything(provider, relation, one, who)
                assert found == allowed, (one.rules, who)
                assert set(CANARY.findall(out + caplog.text)) <= allowed
                assert "claimcanary" not in out + caplog.text
                caplog.clear()
                sizes.append(len(allowed))
            await provider.close()

    with caplog.at_level(logging.DEBUG):
        asyncio.run(go())
    assert len(sizes) == MAPPINGS * CALLERS
    # The policies are worth something: some callers see nothing, some see a part.
    assert 0 < sum(size == 0 for size in sizes) < len(sizes)
    assert len({size for size in sizes if size}) > 5


def test_a_filter_that_were_not_applied_would_be_seen():
    """The check above would pass over an engine that hides nothing."""
    dice = random.Random(20)
    one = case(dice)
    open_house = replace(one, rules=())
    nobody = Caller(tenant="", subject="", identity=Identity.LOCAL)
    provider = MemoryProvider({"docs": one.records})
    found, out = asyncio.run(everything(provider, RELATION, open_house, nobody))
    assert expected(one, nobody) < found
    assert set(CANARY.findall(out)) == found
