"""HTML in a user's own file, as a help desk exports it: read as the text that it shows."""

import html
import re
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
    "article blockquote br caption center dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre "
    "section table tr ul".split()
)
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
    reader = _Reader()
    text = KNOWN.sub(lambda tag: tag[0] if _has_pair(tag) else f"&lt;{tag[0][1:]}", text)
    reader.feed(re.sub(r"<(?!/?\w|!--)", "&lt;", text))
    reader.close()
    return "".join(reader.parts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.links: list[tuple[int, str]] = []  # where the text of an open link begins, its address
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, a link, or what nobody sees; keep a tag that is none of HTML's as text."""
        values = dict(attrs)
        whole = self.get_starttag_text() or ""
        if not KNOWN.fullmatch(whole):
            self.parts.append(whole)
        elif tag in UNSEEN:
            self.unseen += 1
        elif tag == "a":
            self.links.append((len(self.parts), values.get("href") or ""))
        elif tag == "img":
            self.parts.append(values.get("alt") or "")
        elif tag in BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End what a tag began; a link gets its address, unless its text is that."""
        if tag in UNSEEN:
            self.unseen = max(0, self.unseen - 1)
        elif tag == "a" and self.links:
            start, address = self.links.pop()
            text = "".join(self.parts[start:]).strip()
            if address.startswith(("http:", "https:", "mailto:")) and text != address:
                self.parts.append(f" ({address.removeprefix('mailto:')})")
        elif tag in BLOCKS:
            self.parts.append("\n")
        elif not KNOWN.fullmatch(f"</{tag}>"):
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Keep a text that is seen."""
        if not self.unseen:
            self.parts.append(data)
