"""Every kind of mistake, with the place and the message that its author gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Program, resources

# Each case: a program; then what is reported, as `line:column-end code: message` and, after `=>`, the hint's beginning.
CASES = {
    "a missing final dot": (
        "p(a)\nq(b) .\nr(c)",
        ["1:5-6 missing-dot: this statement has no final dot => end it", "3:5-6 missing-dot: this statement has no final dot"],
    ),
    "several syntax errors in one run": (
        "p(a :- q .\nr(?x) :- s(?x) .\nq(a)) .",
        [
            "1:5-7 syntax: `:-` was not expected here; an arithmetic operator, `)` or `,` was",
            "3:5-6 syntax: `)` was not expected here",
        ],
    ),
    "Prolog variables": (
        "path(X, Y) :- edge(X, Y) .",
        [
            "1:6-7 prolog-variable: `X` is a string here, not a variable => a variable is written `?X`; if the string is meant",
            "1:9-10 prolog-variable: `Y` is a string here, not a variable",
        ],
    ),
    "not": ("p(?x) :- q(?x), not r(?x) .", ["1:21-22 syntax: `r` was not expected here => negation is written `~p(?x)`"]),
    "an exclamation mark": (
        "p(?x) :- q(?x), !r(?x) .",
        ["1:17-18 syntax: `!` has no meaning here => negation is written `~p(?x)`"],
    ),
    "Prolog's negation": (
        "p(?x) :- q(?x), \\+ r(?x) .",
        ["1:17-18 syntax: `\\` has no meaning here => negation is written `~p(?x)`"],
    ),
    "a left arrow": ("p(?x) <- q(?x) .", ["1:7-8 syntax: `<` was not expected here => head and body are separated by `:-`"]),
    "a right arrow": ("p(?x) -> q(?x) .", ["1:7-8 syntax: `-` was not expected here => head and body are separated by `:-`"]),
    "a negated head": ("~p(a) :- q(a) .", ["1:1-2 syntax: `~` was not expected here => a head or fact cannot be negated"]),
    "a comma forgotten": (
        "p(?x) :- q(?x) r(?x) .",
        ["1:16-17 syntax: `r` was not expected here; `,` or `.` was => atoms are joined"],
    ),
    "a function term": (
        "p(f(?x)) :- q(?x) .",
        ["1:4-5 syntax: `(` was not expected here => terms are variables and constants"],
    ),
    "an empty body": ("p(a) :- .", ["1:9-10 syntax: `.` was not expected here => a fact is written without `:-`"]),
    "a semicolon": ("p(?x) :- q(?x); r(?x) .", ["1:15-16 syntax: `;` has no meaning here => alternatives are separate rules"]),
    "an unclosed string": (
        'p("a) .\nq(?x) .',
        [
            "1:3-8 unclosed-string: this string is not closed on its line => close it",
            "2:3-5 variable-in-fact: the variable `?x` stands in a fact => a fact is about constants",
        ],
    ),
    "an unknown escape": ('p("a\\d") .', ["1:5-7 invalid-escape: `\\d` is not an escape sequence => the escapes are"]),
    "half a surrogate pair": ('p("\\uD83D") .', ["1:4-10 invalid-escape: `\\uD83D` is not an escape sequence"]),
    "an IRI with a blank": ("p(<http://a b>) .", ["1:3-15 invalid-iri: `<http://a b>` is not an IRI => blanks"]),
    "a relative base": ("@base <a/b> .", ["1:1-14 invalid-iri: the base <a/b> is not absolute => begin it with a scheme"]),
    "an unknown directive": (
        "@declare p .",
        ["1:1-9 unknown-directive: there is no directive `@declare` => directives are @prefix"],
    ),
    "an unknown prefix, twice": (
        "p(ex:a, ex:b) .",
        ["1:3-6 unknown-prefix: the prefix `ex:` is not declared => declare it before its first use: @prefix ex:"],
    ),
    "uses of a prefix whose declaration failed": (
        "@prefix ex <http://e/> .\np(a) .",
        ["1:9-11 syntax: `ex` was not expected here; a prefix was"],
    ),
    "no cascade from a broken prefix declaration": (
        "@prefix ex: http .\np(ex:a) .",
        ["1:13-17 syntax: `http` was not expected here; an IRI was"],
    ),
    "a prefix declared twice": (
        "@prefix a: <http://x/> .\n@prefix a: <http://y/> .",
        ["2:1-25 duplicate-prefix: the prefix `a:` is declared twice, as <http://x/> before => use another prefix"],
    ),
    "an expression in a head": (
        "p(?x + 1) :- q(?x) .",
        ["1:3-9 expression-in-atom: a head takes terms, not expressions => put `?value = ?x + 1` into the body"],
    ),
    "an expression too deep": (
        f"p(?x) :- q(?x), ?x > 1{' + 1' * 101} .",
        ["1:17-427 too-deep: this expression nests more than 100 deep => give parts of it a name"],
    ),
    "an integer too long": (
        f"p({'9' * 5000}) .",
        ["1:3-5003 invalid-term: an integer of 5,000 digits is not a value a fact can hold"],
    ),
    "a variable in a fact": ("p(a, ?x) .", ["1:6-8 variable-in-fact: the variable `?x` stands in a fact"]),
    "unsafe variables": (
        "p(?x, ?y, _) :- q(?x), ~r(?z, _), ?w < 3 .",
        [
            "1:7-9 unsafe-variable: the variable `?y` of the head is not bound in the body => use `?y` in a positive atom",
            "1:11-12 unsafe-variable: `_` stands for nothing in a head => name the variable",
            "1:27-29 unsafe-variable: the variable `?z` of a negated atom is not bound by a positive one => write `_`",
            "1:35-37 unsafe-variable: the variable `?w` of a condition has no value => use `?w`",
        ],
    ),
    "a value that depends on itself": (
        "p(?y) :- q(?x), ?y = ?x + ?z, ?z = ?y - 1 .",
        [
            "1:3-5 unsafe-variable: the variable `?y` of the head is not bound",
            "1:27-29 unsafe-variable: the variable `?z` of a condition",
        ],
    ),
    "an arity clash": (
        "edge(a, b) .\nedge(b, c) .\npath(?x) :- edge(?x, ?y, ?z) .",
        ["3:13-29 arity-clash: `edge` has 3 terms here, but 2 at line 1 => a predicate has one number of terms"],
    ),
    "an arity clash with an import": (
        '@import p :- csv{resource = "p.csv", format = (int, skip, string)} .\nq(?x) :- p(?x) .',
        ["2:10-15 arity-clash: `p` has 1 term here, but 2 at line 1"],
    ),
    "negation in a cycle": (
        "win(?x) :- move(?x, ?y), ~win(?y) .",
        ["1:27-34 negation-cycle: `win` depends on its own negation: win(?x) needs ~win(?y) (line 1) => let"],
    ),
    "negation in a long cycle, through an anonymous variable": (
        "p(?x) :- q(?x), ~r(?x, _) .\nr(?x, ?x) :- s(?x) .\ns(?x) :- t(?x), p(?x) .",
        [
            "1:18-26 negation-cycle: `p` depends on its own negation: p(?x) needs ~r(?x, _) (line 1); "
            "r(?x, ?x) needs s(?x) (line 2); s(?x) needs p(?x) (line 3)"
        ],
    ),
    "negation in a cycle of triples": (
        "[?x, a, b] :- [?x, a, c], ~[?x, ?x, d] .\n[?y, e, d] :- [?y, a, b] .",
        ["1:28-39 negation-cycle: `triple` depends on its own negation: [?x, a, b] needs ~[?x, ?x, d] (line 1); [?y, e"],
    ),
    "arithmetic on a string": (
        "p(?x) :- q(?x), ?x > a + 1 .",
        ["1:22-23 type-mismatch: only numbers can be calculated with; `a` is a string"],
    ),
    "constants of different kinds": (
        "p(a) :- q(a), 1 = true .",
        ["1:15-23 type-mismatch: `1` is a number, `true` a boolean: they are never"],
    ),
    "a number compared with a string": (
        'p(?y) :- q(?x), ?y = ?x * 2, ?x != "a" .',
        ['1:30-39 type-mismatch: `?x` is a number, `"a"` a string: they are never equal and have no order => elsewhere'],
    ),
    "an order of IRIs": (
        "p(?x) :- q(?x), ?x < rdf:type .",
        ["1:17-30 type-mismatch: `<` compares by an order, and an IRI has none => `=`"],
    ),
    "an unknown format": (
        '@import p :- xls{resource = "p"} .',
        ["1:14-17 unknown-format: there is no format `xls` => the formats are csv"],
    ),
    "an export in a format that is only read": (
        '@export p :- turtle{resource = "p.ttl"} .\np(a) .',
        [
            "1:1-42 arity-clash: RDF has facts of 3 terms, or 4 with the graph, but `p` has 1",
            "1:14-20 unknown-format: `turtle` cannot be written => the formats to write are csv",
        ],
    ),
    "an unknown option": (
        '@import p :- csv{resource = "p.csv", delimeter = ";"} .',
        ["1:38-47 unknown-option: the format `csv` has no option `delimeter` => its options are resource, format, delimiter"],
    ),
    "an option of the wrong type": (
        '@import p :- csv{resource = "p.csv", ignore_headers = yes} .',
        ["1:38-52 invalid-option: the option `ignore_headers` takes true or false"],
    ),
    "an unknown column type": (
        '@import p :- csv{resource = "p.csv", format = (int, text)} .',
        ["1:38-44 invalid-option: the option `format` takes a list of column types, as in (int, string, skip)"],
    ),
    "an option given twice": (
        '@import p :- csv{resource = "p.csv", resource = "q.csv"} .',
        ["1:38-46 duplicate-option: the option `resource` is given twice"],
    ),
    "an import from nowhere": (
        "@import p :- csv{} .",
        ["1:1-21 missing-resource: it is not said what file to read from => as in"],
    ),
    "an output of nothing": (
        "path(a, b) .\n@output paths .",
        ["2:9-14 unknown-predicate: no rule, fact or import mentions `paths` => did you mean `path`?"],
    ),
    "syntax and meaning in one run": (
        "p(a) .. \nq(?x) :- r(?y) .",
        ["1:7-8 syntax: `.` was not expected here", "2:3-5 unsafe-variable: the variable `?x` of the head"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_is_reported(text: str, expected: list[str]) -> None:
    with pytest.raises(ProgramError) as caught:
        Program.parse(text)
    found = [
        f"{p.line}:{p.column}-{p.end_column} {p.code}: {p.message}" + (f" => {p.hint}" if p.hint else "")
        for p in caught.value.problems
    ]
    assert len(found) == len(expected), "\n".join(found)
    for actual, wanted in zip(found, expected, strict=True):
        message, _, hint = wanted.partition(" => ")
        assert actual.startswith(message)
        assert f" => {hint}" in actual or not hint


def test_the_formats_are_those_that_can_be_read() -> None:
    from tidelog.io import cells
    from tidelog.io import resources as io

    assert {name: set(options) for name, options in resources.FORMATS.items()} == io._OPTIONS
    assert {*resources.COLUMN_TYPES, *resources._SYNONYMS} == {*cells.TYPES, cells.SKIP}


def test_a_problem_as_it_is_printed() -> None:
    with pytest.raises(ProgramError) as caught:
        Program.parse("\tp(?x, ?y) :- q(?x) .", file="rules.rls")
    assert str(caught.value) == (
        "rules.rls:1:8: error[unsafe-variable]: the variable `?y` of the head is not bound in the body\n"
        "    \tp(?x, ?y) :- q(?x) .\n"
        "    \t      ^^\n"
        "    hint: use `?y` in a positive atom of the body"
    )


def test_problems_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.rls"
    path.write_bytes(b"p(a) .\nq(\xe4) .\n")
    with pytest.raises(ProgramError) as caught:
        Program.load(path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.file, problem.line, problem.column) == ("encoding", str(path), 2, 3)
