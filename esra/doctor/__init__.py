"""Says what is wrong with a catalog's sources before a user meets it, and drafts a first catalog.

``findings`` and ``draft`` decide and are pure; ``examine`` asks the engines; ``show`` is what a
person reads. Nothing here changes anything on a server.
"""
