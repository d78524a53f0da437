"""Tables: read from files, with columns as numbers, ready to be measured."""
