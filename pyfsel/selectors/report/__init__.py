"""One page about the sets of a table, for the people whose features they are.

Read `write` (the public function), `findings` (what is looked up and solved for it), `page` and
`page.html.jinja` (what is shown), `figures` and `figures.svg.jinja` (small SVG elements), and `style.css`
(how it looks in light, in dark, on paper and on a phone).
"""
