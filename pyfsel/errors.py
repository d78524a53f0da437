"""The errors that a user can meet; each message names the argument, its value and what is allowed."""


class PyfselError(Exception):
    """Base class of every error that this package raises on purpose."""


class InputError(PyfselError, ValueError):
    """An argument, a table or a file is not what the function can take."""


class ModelInputError(InputError):
    """A model of the user's own, or its data, are not what MiniZinc can take."""


class NoSolutionError(PyfselError):
    """No feature set was found."""


class InfeasibleError(NoSolutionError):
    """No feature set satisfies the constraints."""


class UnsupportedError(PyfselError):
    """The backend cannot solve this kind of problem."""


class BackendMissingError(PyfselError):
    """The backend is known, but what it needs is not installed."""


class BackendError(PyfselError):
    """The backend crashed, or ended in a way that it should not."""


class VerificationError(PyfselError):
    """A backend's claim is contradicted by the independent check."""
