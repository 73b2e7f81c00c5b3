"""What the offline model takes words for: people's own phrases, typos and small talk."""

import pytest

from adapters.offline.intents import understand
from adapters.offline.references import Reference, reference
from adapters.offline.words import mender, sentences

PHRASES = {
    "list": [
        "Show me my orders",
        "what have I bought so far from you?",
        "wich orders do i have",
        "Could you please list everything I ordered?",
        "order history pls",
        "how many orders are there",
    ],
    "details": [
        "Where is my parcel with the order number 1042?",
        "has 1042 shipped yet",
        "How much did the grinder cost?",
        "staus of order 1043",
        "when did I buy the headphones",
        "Is it paid?",
        "what is order 1042?",
        "has it been dispatched",
        "which of my orders is the oldest",
        "whose order is 2051",
    ],
    "refund": [
        "Can I get a refund for order #1043?",
        "i'd like my money back for 1043",
        "am I still able to send the grinder back?",
        "is the 1042 refundabel?",
        "cna i retrun it",
        "These headphones are broken",
        "Would I be eligible?",
        "how do I open a refund request?",
        "Should I open a ticket?",
        "how many days are left for 1042",
        "how much time do I have?",
        "I'd like to hand it back",
    ],
    "open": [
        "Please open a refund request for 1042",
        "create a tiket for the headphones",
        "can you file a claim for it",
        "go open one for 1042",
        "raise a refund case pls",
        "please start the process",
        "then go ahead with the request",
    ],
    "yes": ["Yes please.", "yep", "sure, go ahead", "YES!!", "yess", "do it", "Sounds good", "👍"],
    "no": [
        "No thanks",
        "nah",
        "don't open anything",
        "never mind",
        "not now",
        "rather not",
    ],
    "recall": [
        "What did I ask first?",
        "what was my first question",
        "Which order did I ask about before?",
        "waht have we talked about",
        "Can you give me a summary of our chat?",
        "remind me what I wanted to know",
        "what's my name?",
    ],
    "said": ["What did you say about 1043?", "repeat that please", "what was your answer"],
    "ticket": [
        "did you open the ticket?",
        "What's the ticket number?",
        "has it been opened",
        "did it go through?",
    ],
    "policy": ["What is your refund policy?", "how long can i return things?"],
    "forget": [
        "Forget everything I told you",
        "please delete this conversation",
        "erase my data",
        "what about my data",
    ],
    "cannot": [
        "cancel my order",
        "please make an exception",
        "can I talk to a human",
        "change the address of 1042",
    ],
    "greet": ["Hello!", "good morning"],
    "thanks": ["Thank you so much", "thx"],
    "bye": ["Goodbye!", "see you later"],
    "help": ["help", "What can you do?"],
    "who": ["Who are you?", "are you a real person?"],
    "mood": ["how are you?"],
    "date": ["What day is it today?"],
    "note": ["My name is Anna", "remember that I like blue"],
    "correct": ["I meant 1043", "sorry, I meant the other one"],
    "about": ["What about my other order, 1042?", "and 1043?", "the grinder", "1042", "for 1042"],
    "why": ["Why?", "are you sure?"],
    "reversal": ["I changed my mind"],
    "unsure": ["maybe", "not sure", "sure?"],
    "other": [
        "What is the capital of France?",
        "tell me a joke",
        "Burn it down",
        "日本 語 で す ね",
    ],
}


@pytest.mark.parametrize(
    ("phrase", "intent"),
    [(phrase, intent) for intent, phrases in PHRASES.items() for phrase in phrases],
)
def test_a_phrase_is_understood(phrase: str, intent: str) -> None:
    assert [ask.intent for ask in understand([phrase])] == [intent]


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Hi! How are you? Can I return 1042?", ["greet", "mood", "refund"]),
        ("OK. What about 1042?", ["okay", "about"]),
        ("yes, and what about 1043?", ["yes", "about"]),
        ("yes, can the refund of 1043 wait?", ["refund"]),
        ("no wait, I meant 1043", ["no", "hold", "correct"]),
        ("List my orders and tell me who you are", ["list", "who"]),
        ("Yes open it", ["open"]),
        ("?!", []),
        ("yes, for the headphones", ["yes"]),
        ("Yes, I know that film", ["unsure"]),
        ("I thought about it, yes", ["other", "yes"]),
        ("status of 1042 and whether 1043 can go back", ["details", "refund"]),
        ("thanks, bye", ["thanks", "bye"]),
        ("Where is 1042, and is it refundable?", ["details", "refund"]),
    ],
)
def test_a_message_may_want_several_things(text: str, intents: list[str]) -> None:
    assert [ask.intent for ask in understand([text])] == intents


@pytest.mark.parametrize(
    ("clause", "meant"),
    [
        ("order 7", Reference(numbers=(7,))),
        ("is 1042 or #1043 mine", Reference(numbers=(1042, 1043))),
        ("not 1042 but 1043", Reference(numbers=(1043,))),
        ("bought 200 days ago for 129.00 eur", Reference()),
        ("my other order", Reference(pointer="other")),
        ("both of them", Reference(pointer="all")),
        ("the older one", Reference(pointer="oldest")),
        ("my latest order", Reference(pointer="newest")),
        ("the less expensive one", Reference(pointer="cheapest")),
        ("the expensive one", Reference(pointer="dearest")),
        ("the first one", Reference(pointer="first")),
        ("the second one", Reference(pointer="second")),
        ("can i return them", Reference(pointer="them")),
        ("the coffee grinder", Reference(names=("coffee", "grinder"), named=True)),
    ],
)
def test_an_order_is_referred_to(clause: str, meant: Reference) -> None:
    assert reference(clause) == meant


def test_what_is_known_is_mended_and_names_are_left_alone() -> None:
    mend = mender(["refund", "order", "yes", "please"])

    mended = [
        mend(word) for word in ("refnud", "ordr", "yse", "pleeease", "grinder", "#1042", "no")
    ]

    assert mended == ["refund", "order", "yes", "please", "grinder", "#1042", "no"]


def test_a_very_long_question_is_read_at_its_beginning() -> None:
    assert understand([f"Can I return 1042? {'bla ' * 25_000}"])[0].intent == "refund"


def test_a_clause_keeps_its_question_mark() -> None:
    found = sentences("It’s broken. Can't I send it back?", lambda word: word)

    assert found == [["it is broken"], ["can not i send it back ?"], []]
