"""Looks for better numbers on recorded traces. Everything found here is in sample."""
