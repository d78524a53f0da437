"""One page about the sets of a table, for the people whose columns they are.

Read `findings` (what is looked up and solved for it), `figures` (small SVG elements), `page` (what is shown),
`page.html.jinja` (the HTML), and `style.css` (how it looks in light, in dark, on paper and on a phone).
"""
