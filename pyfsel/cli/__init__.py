"""The command line: options are the parameters of the Python functions that a command calls.

For whoever adds a command. Read `options` (how parameters become options, and the one table that says which
are usual), with `text_values` (from texts to values), `parse` (from words to arguments), `named_files`
(checked before anything else), `help`, `output` with `exit_codes`. Then the commands: `table_options` reads
what `select`, `explore` and `estimates` need, `instances` and `compare` are about files, `bench` and `papers`
about experiments. `app` lists all, and handles SIGTERM by `termination`.
"""
