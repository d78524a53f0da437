"""``python -m pyfsel.cli``."""

import sys

from pyfsel.cli import main

sys.exit(main())
