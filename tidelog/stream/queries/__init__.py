"""Continuous queries: SELECT queries of SPARQL over windows on streams, registered as C-SPARQL and RSP-QL write it.

From text to what is maintained: `tokens` cuts the text up, `reading` gives terms their values, `grammar.lark` and `building`
make the syntax tree of `tree`; `mistakes` says what is wrong with a text that does not fit, `checks` with one that does;
`translate` turns the WHERE clause into rules, whose head holds the solutions. `parser` does all but the last.
"""
