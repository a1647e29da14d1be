"""Settings of the whole test suite: how hard Hypothesis tries.

`ci` is the default; `HYPOTHESIS_PROFILE=deep` runs thousands of examples of each property.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

ROOT = str(Path(__file__).parent.parent)
if ROOT not in sys.path:  # so that tests can say `from tests.oracle import ...`, however pytest was started
    sys.path.insert(0, ROOT)

BASE = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("ci", BASE, max_examples=80)
settings.register_profile("deep", BASE, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
