"""HTML in a user's own file, as a help desk exports it: read as the text that it shows."""

import html
import re
from collections import Counter
from html.parser import HTMLParser

# Other words in angle brackets are text: an answer may speak of <title>, or say that a<b.
NAMES = (
    "a abbr article b blockquote br caption center code dd del div dl dt em figcaption figure font "
    "h[1-6] hr i img ins kbd li mark o:p ol p pre s script section small span strike strong style sub "
    "sup table tbody td tfoot th thead tr u ul wbr"
)
VALUE = r"""\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+)"""
ATTRIBUTE = rf"\s+(?:[a-z][\w:-]*{VALUE}|hidden|nowrap|noshade|download|reversed)"
KNOWN = re.compile(rf"<(/?)({'|'.join(NAMES.split())})(?:{ATTRIBUTE})*\s*/?>", re.IGNORECASE)
NO_PAIR = set("br dd dt hr img li p td th tr wbr".split())  # they may stand without an end
ENTITY = re.compile(r"&(?:#\d+|#x[\da-f]+|[a-z]+\d*);", re.IGNORECASE)
BLOCKS = set(
    "article blockquote caption center dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre "
    "section table tr ul".split()
)
BREAKS = {*BLOCKS, "br"}
UNSEEN = {"script", "style"}


def has_html(text: str) -> bool:
    """Tell whether a text holds tags or entities of HTML."""
    is_tag = any(map(_has_pair, KNOWN.finditer(text)))
    return is_tag or any(html.unescape(e) != e for e in ENTITY.findall(text))


def _has_pair(tag: re.Match) -> bool:
    """Tell whether a tag has its other end in the text: ``Use <b> for bold.`` speaks of one."""
    slash, name = tag.groups()
    other = re.compile(rf"<{'' if slash else '/'}{name}\b", re.IGNORECASE)
    return name.lower() in NO_PAIR or bool(other.search(tag.string))


def shown_text(text: str) -> str:
    """Return what HTML shows: blocks on lines of their own, of a link its text and (address)."""
    reader = _Reader(any(tag[2].lower() in BREAKS for tag in KNOWN.finditer(text)))
    text = KNOWN.sub(lambda tag: tag[0] if _has_pair(tag) else f"&lt;{tag[0][1:]}", text)
    reader.feed(re.sub(r"<(?!/?\w|!--)", "&lt;", text))
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    def __init__(self, has_blocks: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.has_blocks = has_blocks  # which part lines, so that those of the source do not
        self.parts: list[str] = []
        self.links: list[tuple[int, str]] = []  # where the text of an open link begins, its address
        self.lists: list[int | None] = []  # of each open list the number of its item, if it counts
        self.within = Counter[str]()  # how many of each element are open
        self.starts_line = True

    def add(self, text: str) -> None:
        """Add a text to the line."""
        self.parts.append(text)
        self.starts_line = self.starts_line and not text

    def end_line(self, mark: str = "") -> None:
        """End the line if there is a text in it; the next one may begin with the mark of an item."""
        self.parts.append("\n" * (not self.starts_line) + mark)
        self.starts_line = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, a link, or what nobody sees; keep a tag that is none of HTML's as text."""
        values = dict(attrs)
        whole = self.get_starttag_text() or ""
        if not KNOWN.fullmatch(whole):
            self.add(whole)
            return
        self.within[tag] += 1
        if tag == "a":
            self.links.append((len(self.parts), values.get("href") or ""))
        elif tag == "img":
            self.add(values.get("alt") or "")
        elif tag == "br":
            self.parts.append("\n")
            self.starts_line = True
        elif tag in ("ol", "ul"):
            self.lists.append(0 if tag == "ol" else None)
        elif tag in ("td", "th"):
            self.add(" ")
        if tag in BLOCKS:
            self.end_line(self._mark() if tag == "li" else "")

    def _mark(self) -> str:
        """Return what stands before an item of a list."""
        if not self.lists or self.lists[-1] is None:
            return "- "
        self.lists[-1] += 1
        return f"{self.lists[-1]}. "

    def handle_endtag(self, tag: str) -> None:
        """End what a tag began; a link gets its address, unless its text is that."""
        self.within[tag] -= 1
        if tag == "a" and self.links:
            start, address = self.links.pop()
            text = "".join(self.parts[start:]).strip()
            if address.startswith(("http:", "https:", "mailto:")) and text != address:
                self.add(f" ({address.removeprefix('mailto:')})")
        elif tag in ("ol", "ul") and self.lists:
            self.lists.pop()
        elif not KNOWN.fullmatch(f"</{tag}>"):
            self.add(f"</{tag}>")
        if tag in BLOCKS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        """Keep a text that is seen, in the lines of the source where nothing else parts them."""
        if any(self.within[tag] > 0 for tag in UNSEEN):
            return
        if self.has_blocks and self.within["pre"] < 1:
            data = re.sub(r"\s+", " ", data)
            data = data.lstrip() if self.starts_line else data
        self.add(data)
