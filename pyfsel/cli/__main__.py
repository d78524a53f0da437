"""``python -m pyfsel.cli``."""

import sys

from pyfsel.cli.app import main

sys.exit(main())
