"""``python -m pyfsel``."""

import sys

from pyfsel.cli.app import main

sys.exit(main())
