"""A language model behind any endpoint that speaks OpenAI's chat completions.

Start at ``model``: three steps, one file of words each, one way to ask. ``fence`` and ``forms`` say
what goes out and in which form it should return, ``chat`` asks and learns what the endpoint takes,
``line`` is the bounded exchange over HTTP, ``completion`` reads what came back.
"""

from esra.llm.openai.endpoint import Endpoint
from esra.llm.openai.model import LanguageModel

__all__ = ["Endpoint", "LanguageModel"]
