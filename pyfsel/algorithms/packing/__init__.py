"""Candidate packing: enumerate single sets by decreasing value, then pick compatible ones."""
