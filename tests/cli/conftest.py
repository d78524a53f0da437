"""What tests of commands share."""

import pytest

from pyfsel.cli.app import main


@pytest.fixture
def run(capsys):
    def run_command(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command
