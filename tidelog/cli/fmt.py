"""`tidelog fmt`: put programs into the one form that the formatter prints."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Put programs into their usual form.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a file is not in its form.")
@click.option("--write", is_flag=True, help="Rewrite the files in place.")
def fmt(files: tuple[Path, ...], check: bool, write: bool) -> int:
    """Format rule programs.

    Without an option, prints the formatted text of FILES. A program with problems is not touched; they are shown.

    \b
    Examples:
      tidelog fmt paths.rls
      tidelog fmt --write rules/*.rls
      tidelog fmt --check rules/*.rls
    """
    if check and write:
        raise click.UsageError("--check and --write exclude each other")
    formatted = {file: format_file(file) for file in files}
    if not (check or write):
        click.echo("\n".join(after for _, after in formatted.values()), nl=False)
        return 0
    changed = [file for file, (before, after) in formatted.items() if before != after]
    for file in changed:
        if write:
            file.write_text(formatted[file][1], encoding="utf-8")
        click.echo(f"{'formatted' if write else 'would format'} {file}", err=True)
    return 1 if check and changed else 0


def format_file(file: Path) -> tuple[str, str]:
    """A file's text as it is and as it should be; nothing is written before all files are known to be programs."""
    from tidelog.program import Program

    program = Program.load(file)
    return program.source.text, str(program)
