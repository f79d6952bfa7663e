"""Reads and writes the files other tools of this field use; every complaint has file and line."""
