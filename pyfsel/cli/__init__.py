"""The command line: a file per subcommand.

For whoever adds a command or an option. Read `app`, then any command, whose file has `register`; `options`,
`side_options`, `groups`, `measuring` and `files` hold what several of them take, `messages` turns errors into
the words of the command line.
"""
