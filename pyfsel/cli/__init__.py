"""The command line: a file per subcommand.

For those who add a command or an option. Read `app`, `command`, then the file of any command. What several
commands take are groups of options, dataclasses whose fields `options` makes: `tables`, `question`,
`measuring`, `solving` and `output`. To give an option to every command of a group, add a field there; a
command that cannot take all options of a group derives a class that names in `lacks` what it leaves out, or
says otherwise what an option means. `messages` turns errors into the words of the command line.
"""
