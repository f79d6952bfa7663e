"""A language model as selector, planner and reranker: three faces over one endpoint.

Each puts a brief, and nothing else, behind its prompt; a reply is handed on as it came. An identity
names the model, its settings and the step's prompt: with another of these a configuration was tuned
for another model. None of it is secret.
"""

from esra.briefs import PlanBrief, RerankBrief, SelectBrief
from esra.llm.openai.chat import Chat, Question
from esra.llm.openai.endpoint import Endpoint
from esra.llm.openai.fence import fenced
from esra.llm.openai.forms import Form, plan_form, rerank_form, select_form
from esra.llm.prompts import Prompt, Prompts
from esra.ports import Reply


class _Step:
    """One step's prompt, and the chat that all steps share."""

    name: str

    def __init__(self, endpoint: Endpoint, chat: Chat, prompt: Prompt) -> None:
        self._chat, self._prompt = chat, prompt
        self.identity = f"{endpoint.identity};{self.name} v{prompt.version} {prompt.hash}"

    async def _ask(self, brief: SelectBrief | PlanBrief | RerankBrief, form: Form) -> Reply:
        question = Question(name=self.name, rules=self._prompt.text, data=fenced(brief), form=form)
        return await self._chat.ask(question)


class ModelSelector(_Step):
    name = "select"

    async def select(self, brief: SelectBrief) -> Reply:
        return await self._ask(brief, select_form(brief))


class ModelPlanner(_Step):
    name = "plan"

    async def plan(self, brief: PlanBrief) -> Reply:
        return await self._ask(brief, plan_form(brief))


class ModelReranker(_Step):
    name = "rerank"

    async def rerank(self, brief: RerankBrief) -> Reply:
        return await self._ask(brief, rerank_form(brief))


class LanguageModel:
    """One model of one endpoint for all three steps; they share its connections and its turns.

    ``ModelMissing`` where the HTTP client is not installed.
    """

    def __init__(self, endpoint: Endpoint, prompts: Prompts) -> None:
        self._chat = Chat(endpoint)
        self.selector = ModelSelector(endpoint, self._chat, prompts.select)
        self.planner = ModelPlanner(endpoint, self._chat, prompts.plan)
        self.reranker = ModelReranker(endpoint, self._chat, prompts.rerank)

    async def close(self) -> None:
        """Ends the connections of the running loop."""
        await self._chat.close()
