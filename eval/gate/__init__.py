"""`./workbench gate`: an exit code for a build, with what got worse, where, and how sure."""
