"""The same work beside the alternatives, in one run; tables, never timed tests."""
