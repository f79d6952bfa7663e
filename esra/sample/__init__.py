"""Something to ask at once: a few pages about esra, and a first catalog that explains itself."""
