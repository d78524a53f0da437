"""The command ``pyfsel``, and ``python -m pyfsel``."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while its modules load has the exit code of any other."""
    try:
        from pyfsel.cli import app

        return app.main()
    except KeyboardInterrupt:
        return 130
    finally:
        exec("")  # Python would end by a signal after an interrupt inside `exec`, which dataclasses call


if __name__ == "__main__":
    sys.exit(main())
