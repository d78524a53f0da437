"""What is priced: the sets that are allowed, by one feature (`single`), by pairs (`pairwise`), or `listed`.

Read `allowed` first.
"""
