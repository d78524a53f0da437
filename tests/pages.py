"""Pages of HTML, as a browser reads them."""

from html.parser import HTMLParser

VOID = {"meta", "br"}


class Page(HTMLParser):
    """What a page consists of; fails for tags that are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], set(), [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def loaded(self):
        """What a browser would load from elsewhere."""
        links = (value for name, value in self.attributes if name in ("src", "href", "xlink:href"))
        return [link for link in links if not link.startswith("#")]
