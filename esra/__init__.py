"""esra: a governed retrieval pipeline for AI clients.

Start reading at ``esra/pipeline.py``: one page, the stages in their order.
"""

__version__ = "0.1.0"
