"""`./workbench tune`: labelled queries to a tuned configuration, or a refusal that says why."""
