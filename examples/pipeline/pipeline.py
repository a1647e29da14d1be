"""Who may open what, kept true on Spark: files in, access rights and their changes out.

    python examples/pipeline/pipeline.py WORK

takes in the files that are new in WORK/incoming/member, WORK/incoming/within and WORK/incoming/grant, says what that changed,
and stops. What holds is in WORK/warehouse. Stop it whenever you like, also in the hard way: the next run goes on where the
last whole batch ended.

    cp -r examples/pipeline/monday work/incoming && python examples/pipeline/pipeline.py work
    cp -r examples/pipeline/tuesday/* work/incoming/ && python examples/pipeline/pipeline.py work
"""

from __future__ import annotations

import sys
from pathlib import Path

from tidelog import Program
from tidelog.spark.pipeline import Applied, Pipeline
from tidelog.spark.session import session
from tidelog.spark.stream import follow_files

PROGRAM = Path(__file__).with_name("access.rls")
SHOWN = "may_open", "forgotten"


def main(work: Path) -> None:
    pipeline = Pipeline(session(), work / "warehouse", Program.load(PROGRAM))

    def tell(done: Applied) -> None:
        print(f"version {done.version}: {done.records} records, {done.bad} of them bad")
        for predicate in SHOWN:
            for row in sorted(pipeline.warehouse.changes(predicate).collect()):
                *fact, change = row
                print(f"  {change:+} {predicate}({', '.join(fact)})")

    for predicate in ("member", "within", "grant"):
        incoming = work / "incoming" / predicate
        incoming.mkdir(parents=True, exist_ok=True)
        checkpoint = work / "checkpoints" / predicate
        query = follow_files(
            pipeline, incoming, predicate, name=predicate, checkpoint=checkpoint, tell=tell, trigger={"availableNow": True}
        )
        query.awaitTermination()
    for row in pipeline.warehouse.quarantine().collect():
        print(f"quarantine: {Path(row.source).name}:{row.line}: {row.reason}: {row.text}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
