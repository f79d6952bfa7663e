"""Runs that are there: listed, looked into, compared, explained. Plain files, nothing opened."""
