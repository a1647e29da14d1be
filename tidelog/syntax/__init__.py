"""Rule text and its syntax tree: `scanner` and `parser` read it, `formatter` prints it, `ast` is what they share."""
