"""Rule modules: who finds what some rules derive, what they no longer derive, and whether they derive given facts."""
