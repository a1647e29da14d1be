"""`python -m tidelog.cli` is the command `tidelog`, for where the scripts of the environment are not on the path."""

from __future__ import annotations

import sys

from tidelog.cli import main

sys.exit(main())
