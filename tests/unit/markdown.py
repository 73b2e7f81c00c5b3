"""Answers in Markdown for tests: real-looking ones, and those that hypothesis makes up.

And what is true of one, told by another reader of Markdown than ours.
"""

import re
from pathlib import Path

from hypothesis import strategies as st
from markdown_it import MarkdownIt

CORPUS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "markup_corpus").glob("*.md"))
}

_FENCE = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)]) )?\s*(`{3,}|~{3,})([^\n]*)")
_ADDED = re.compile(r"[\s>]*(```|~~~)[^\n]*\n[ >]*|\n?[\s>]*(```|~~~)[`~]*|")

_words = st.text(st.sampled_from("abcé漢字🎉é.,!?"), min_size=1, max_size=12)
_sentences = st.lists(_words, min_size=1, max_size=30).map(" ".join)
_links = st.tuples(_sentences, st.text("abc/?&=%_-", min_size=1, max_size=80)).map(
    lambda link: f"[{link[0]}](https://x.example/{link[1]})"
)
_inline = st.one_of(
    _sentences, _links, _sentences.map("**{}**".format), _words.map("`{} x`".format)
)
_paragraphs = st.lists(_inline, min_size=1, max_size=6).map(" ".join)
_headings = st.tuples(st.integers(1, 6), _sentences).map(lambda it: f"{'#' * it[0]} {it[1]}")
_lists = st.lists(_inline, min_size=1, max_size=8).map(
    lambda items: "\n".join(f"{'  ' * (n % 3)}- {item}" for n, item in enumerate(items))
)
_tables = st.lists(_words, min_size=1, max_size=8).map(
    lambda cells: "\n".join(["| a | b |", "|---|---|", *(f"| {cell} | 1 |" for cell in cells)])
)
_code_lines = st.text(st.sampled_from("xyz  (){}=漢"), max_size=90).map(
    lambda line: f"  {line}".rstrip()
)
_code = st.tuples(
    st.sampled_from(["```", "~~~", "````"]),
    st.sampled_from(["", "py", "sql"]),
    st.lists(_code_lines, min_size=1, max_size=25),
).map(lambda it: "\n".join([it[0] + it[1], *it[2], it[0]]))
_blocks = st.one_of(_paragraphs, _headings, _lists, _tables, _code, _code)

ANSWERS = st.lists(_blocks, min_size=1, max_size=8).map("\n\n".join)
"""Well-formed ones."""

ANYTHING = st.text(st.sampled_from("ab \n\n`~>-|#[](): 漢🇩\u0301\u200d\r"), max_size=600)
"""What no model should say."""


def code(text: str) -> str:
    """All that stands in code fences, without spaces and line ends."""
    tokens = MarkdownIt().parse(text)
    return re.sub(r"\s", "", "".join(token.content for token in tokens if token.type == "fence"))


def languages(text: str) -> set[str]:
    return {token.info for token in MarkdownIt().parse(text) if token.type == "fence"}


def is_balanced(text: str) -> bool:
    """Whether every fence that opens is closed, by a reader that knows nothing but fences."""
    opened = ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line.rstrip())
        if found and not opened and not ("`" in found[1] and "`" in found[2]):
            opened = found[1]
        elif found and opened and found[1].startswith(opened) and not found[2]:
            opened = ""
    return not opened


def is_made_of(text: str, stretch: str) -> bool:
    """Whether a text is this stretch, with nothing but fences added before and after it."""
    starts = [at for at in range(len(text) - len(stretch) + 1) if text.startswith(stretch, at)]
    return any(
        _ADDED.fullmatch(text[:at]) and _ADDED.fullmatch(text[at + len(stretch) :]) for at in starts
    )
