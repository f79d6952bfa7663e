"""Labels in and out: ``./workbench import``, ``./workbench export``, ``./workbench sample``.

Every import and export says what was found, what is missing, what is ambiguous, and what the other
format cannot carry.
"""
