"""The compiled core: inner loops of searches, in C11, as one library that needs nothing of Python.

For whoever reads or changes such a loop. A declaration in Python (`in_core`) says what a function of the
library does and takes, a `Struct` what `arrays` it works on; both are in `binding`, the one place where
dtypes, shapes and layouts of arrays are checked. The C sources are next to it, one or two for each folder of
`pyfsel.algorithms`, and one each for `pyfsel.measures.copies` and `pyfsel.measures.streams`: `core.h` is
what they share, and the header of a source holds its structs. `building` compiles them, when pyfsel is
installed (`hatch_build`), and in a checkout whenever a source is newer than the library.

The functions take no memory and keep no state: all that they need is given to them, and searches return after
some work, so limits and interrupts are seen in Python.
"""
