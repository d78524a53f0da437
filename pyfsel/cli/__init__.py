"""The command line: a file per subcommand.

For those who add a command or an option. Read `app`, `command`, then the file of any command; `groups`,
`measuring`, `options`, `side_options` and `files` hold what several of them take, `messages` turns errors
into the words of the command line.
"""
