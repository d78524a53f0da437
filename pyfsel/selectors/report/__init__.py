"""One page about the sets of a table, for the people whose features they are.

Read `report_page` (what is looked up and solved for it), `page.html.jinja` (what is shown), and `style.css`
(how it looks in light, in dark, on paper and on a phone).
"""
