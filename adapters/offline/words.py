"""What was typed, as plain words: contractions spelled out, typos mended, cut into clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches

_MOST_CHARACTERS = 2_000  # of a question; what is longer is no question to a support desk
_LONGEST_CLAUSE = 400
_HANGING_WORDS = 2

_ENDINGS = {
    "n't": " not",
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
    "'m": " am",
    "'d": " would",
    "'s": " is",
}
_SPELLED_OUT = {
    "can't": "can not",
    "cant": "can not",
    "couldnt": "could not",
    "didnt": "did not",
    "doesnt": "does not",
    "dont": "do not",
    "gimme": "give me",
    "gonna": "going to",
    "hows": "how is",
    "id": "i would",
    "im": "i am",
    "isnt": "is not",
    "ive": "i have",
    "lemme": "let me",
    "let's": "let us",
    "lets": "let us",
    "n": "no",
    "nvm": "never mind",
    "pls": "please",
    "plz": "please",
    "r": "are",
    "thats": "that is",
    "thanx": "thanks",
    "thnx": "thanks",
    "thx": "thanks",
    "tnx": "thanks",
    "ty": "thanks",
    "u": "you",
    "ur": "your",
    "wanna": "want to",
    "whats": "what is",
    "wheres": "where is",
    "won't": "will not",
    "wont": "will not",
    "y": "yes",
    "👍": "yes",
    "👎": "no",
}
_TOKEN = re.compile(r"(?:(?<!\S)-(?=\d))?#?\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[👍👎]")
_THOUSANDS = re.compile(r"#?[1-9]\d{0,2}(?:,\d{3})+")
_SENTENCE = re.compile(r"[.!;:\n]+(?=\s|$)|(?<=\?)|\s[-–]+\s|—")
_STARTERS = (
    "what|whats|where|wheres|when|how|can|could|is|are|do|does|did|which|who|why|show|list|tell|whether|"
    "give|open|create|file|check|would|will|was|has|have|let|forget|erase|please|if|should"
)
_JOINT = re.compile(
    rf"(?:,|,?\s(?:and|then|also|plus|or))\s+(?:(?:and|then|also|please|so|just)\s+)*"
    rf"(?=(?:{_STARTERS})\b)",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r",?\s+(?=(?:(?:oh|ah|no|sorry),? )*"
    r"(?:no,? wait|wait,? no|hold on|scratch that|i meant|sorry,? i mean)\b)"
    r"|,\s*(?=(?:yes|no|thanks|yes please|no thanks)\W*$)",
    re.IGNORECASE,
)

Mend = Callable[[str], str]


def sentences(text: str, mend: Mend) -> list[list[str]]:
    """The clauses of each sentence as lower-case words; one that asks ends in " ?"."""
    text = text[:_MOST_CHARACTERS].replace("’", "'")
    return [_clauses(sentence, mend) for sentence in _SENTENCE.split(text)]


def _clauses(sentence: str, mend: Mend) -> list[str]:
    pieces = (part for piece in _CORRECTION.split(sentence) for part in _unjoined(piece))
    found = (_clause(piece, mend) for piece in pieces)
    return [clause for clause in found if clause.strip(" ?")]


def _unjoined(piece: str) -> Iterator[str]:
    """Cut where another question begins; what hangs on a word or two ("yes, can you …?") stays."""
    start = 0
    for joint in _JOINT.finditer(piece):
        left = piece[start : joint.start()]
        if joint.group().strip() != "," or len(left.split()) > _HANGING_WORDS:
            yield left
            start = joint.end()
    yield piece[start:]


def _clause(piece: str, mend: Mend) -> str:
    words = " ".join(_spell_out(token) for token in _TOKEN.findall(piece.lower())).split()
    mended = " ".join(map(mend, words))[:_LONGEST_CLAUSE]
    return f"{mended} ?" if "?" in piece else mended


def _spell_out(token: str) -> str:
    if _THOUSANDS.fullmatch(token):
        return token.replace(",", "")
    if token in _SPELLED_OUT:
        return _SPELLED_OUT[token]
    for ending, words in _ENDINGS.items():
        if token.endswith(ending):
            return token.removesuffix(ending) + words
    return token


def mender(known: Iterable[str]) -> Mend:
    """A function that makes a mistyped known word right and leaves every other word alone."""
    right = frozenset(known)
    long = sorted(word for word in right if len(word) >= 5)  # noqa: PLR2004 - short ones differ too little
    by_letters = {_letters(word): word for word in sorted(right) if len(word) >= 3}  # noqa: PLR2004

    def mend(word: str) -> str:
        if word in right or len(word) < 3 or not word.isalpha():  # noqa: PLR2004
            return word
        squeezed = re.sub(r"(.)\1+", r"\1", word)
        if squeezed in right:
            return squeezed
        return by_letters.get(_letters(word)) or closest(word, long) or word

    return mend


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that the word was most likely meant to be."""
    return next(iter(get_close_matches(word, list(candidates), n=1, cutoff=0.8)), None)


def _letters(word: str) -> str:
    return "".join(sorted(word))
