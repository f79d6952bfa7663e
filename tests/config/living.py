"""A house that serves while its tuned files change, with a model whose order is known."""

import json
from pathlib import Path

from esra.config.apply import apply_tuned
from esra.domain.capability import Forms, RerankForm
from esra.governance.local import LocalGovernance
from esra.llm.scripted import Scripted
from esra.serve.arguments import Arguments
from esra.serve.door import Asked, Door
from esra.serve.reload import Pace, Reload
from eval import publish
from tests.claimed import claim_of
from tests.house import catalog, hit, house, source

MODELS = {"select": "", "plan": "", "rerank": "scripted"}
HITS = {"news": ([hit("a", 3.0), hit("b", 2.0), hit("c", 1.0)],)}
# a is best by words, c by meaning.
MEANING = {"title a": 0.0, "title b": 0.5, "title c": 1.0}
QUICK = Pace(look=0.01, quiet=0.01, longest=0.1, again=0.05)


def by_meaning(brief) -> str:
    return json.dumps(
        [{"resultId": c.resultId, "score": MEANING[c.title]} for c in brief.candidates]
    )


class Living:
    """``folder`` is that of all capabilities; ``said`` the lines an operator would read."""

    def __init__(self, folder: Path, *, keys=(), scores=by_meaning, engine=None, **more) -> None:
        self.folder, self.keys, self.said, self.reads = folder, keys, [], 0
        own = source("news", examples=("wing flutter", "boundary layer"))
        self.known = catalog(own, forms=Forms(rerank=RerankForm.MODEL), data="d", **more)
        self.model = Scripted(scores)
        applied = self.applied()
        built = house(applied.catalog, HITS, rerankers={"model": self.model}, engine=engine)
        self.audit = built.audit
        self.door = Door(built, LocalGovernance(built.catalog))
        self.taking = Reload(
            self.door, self.reread, folder, self.said.append, applied.refused, QUICK
        )

    def applied(self):
        return apply_tuned(self.known, self.folder, {"cap": MODELS}, self.keys)

    async def reread(self):
        self.reads += 1
        return self.applied()

    def promote(self, share: int, **more) -> Path:
        claim = claim_of("cap", share, MODELS, "d")
        claim["tunables"] |= more
        return publish.promote(self.folder / "cap", claim, {})

    async def ask(self) -> tuple[str, int]:
        """(the letters of the results in order, the revision that ordered them)."""
        answer = await self.door.ask(
            Asked(
                token=None,
                slug="ask",
                read=lambda: Arguments(prompt="wing flutter"),
                correlation="c",
                name="test",
                known={},
            )
        )
        letters = "".join(result.title[-1] for result in answer.results)
        return letters, answer.configuration.revision

    def counted(self) -> dict[str, float]:
        lines = self.door.metrics.text().decode().splitlines()
        own = (line.split() for line in lines if line.startswith("esra_config_reload_total{"))
        return {name.split('"')[1]: float(value) for name, value in own}
