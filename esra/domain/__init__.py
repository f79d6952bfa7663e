"""Nouns: frozen records and closed sets. No room here reads, calls or decides anything."""
