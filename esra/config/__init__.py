"""What a person wrote (settings, catalog) and what the workbench emitted (tuned), checked."""
