"""The words that people use, as tables. In a phrase ` .. ` stands for up to four words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Intent = Literal[
    "about",  # "and the other one?": the question before, about something else
    "bye",
    "cannot",  # understood, but beyond the tools
    "correct",  # "I meant 1043"
    "date",
    "details",
    "forget",
    "greet",
    "help",
    "hold",  # "wait"
    "list",
    "mood",
    "no",
    "note",  # "my name is …"
    "okay",
    "open",
    "other",
    "policy",
    "recall",
    "refund",
    "reversal",  # "I changed my mind": for or against, as it stood before
    "said",  # what Nimbus answered
    "thanks",
    "ticket",  # whether one was opened
    "unsure",  # neither a clear yes nor a clear no
    "who",
    "why",
    "yes",
]


@dataclass(frozen=True, slots=True)
class Cue:
    """Phrases that speak for an intent, and how strongly."""

    intent: Intent
    weight: int
    phrases: tuple[str, ...]


def compiled(*phrases: str) -> re.Pattern[str]:
    words = "|".join(phrases).replace(" .. ", r" (?:\w+ ){0,4}?")
    return re.compile(rf"\b(?:{words})(?!\w)")


_TICKETS = "(?:requests?|tickets?|claims?|cases?)"
_ORDERS = "(?:orders|purchases)"
_BOUGHT = "(?:buy|bought|order|ordered|purchased?)"
_OPENED = "(?:open|opened|create|created|file|filed|submit|submitted|raised?)"
_TALKED = "(?:talk|talked|talking|discuss|discussed|discussing|spoken|speak|chatted)"
_PLACE = "(?:first|second|third|last|latest|previous|earlier|initial|original|opening)"
_ERASE = "(?:forget|erase|delete|wipe|clear|purge)"
_ERASED = "(?:forgotten|erased|deleted|wiped|cleared|purged|removed)"
_RETURN = "(?:return|returned|refund|refunded|send|give)"
_MY = "(?:my |the )?"
_CHANGE = "(?:cancel|exchange|replace|swap|upgrade|change|update|modify|close|withdraw|undo)"
OTHER_MATTERS = (  # what a request may be about that is no refund
    "late|delays?|delayed|delivery|shipping|address|invoice|complaints?|complain|password|login",
    "account|bug|technical|exchange|replacement|repair|warranty|discount|cancellation",
)
_ASKED = f"(?:ask|asked|say|said|mention|mentioned|tell|told|write|wrote|{_TALKED}|begin|started?)"

_HAD_ASKED = (
    "(?:asked|said|mentioned|told|written|wrote|talked|talking|discussed|discussing|spoken|spoke"
    "|wanted to know|started with|begun)"
)

# The intent with the highest sum wins; among equals the one that stands first.
CUES = (
    Cue(
        "recall",
        9,
        (
            rf"(?:did|have|had) (?:i|we) (?:\w+ )?{_ASKED}",
            rf"(?<!if )(?:i|we) (?:just |first |originally |already |have )?(?:been )?{_HAD_ASKED}",
            f"(?:my|the) (?:very )?{_PLACE} (?:questions?|messages?|thing i)",
            rf"(?:was|were) (?:i|we) (?:\w+ )?(?:asking|saying|wondering|{_TALKED})",
            rf"(?:i|we) (?:was|were) (?:asking|wondering|{_TALKED})",
            r"(?:questions|things) (?:have|did) (?:i|we)",
            r"my (?:questions|messages)",
        ),
    ),
    Cue(
        "recall",
        8,
        (
            r"summary|summarise|summarize|recap|sum up|remind me",
            r"(?:our|this|the|of) (?:conversation|chat|discussion|talk)",
            r"(?:do|can) you (?:still )?(?:remember|recall|know my name)",
            "where do i live|who am i|what do i do|what (?:do|did) you (?:know|note) .. about me",
            r"what is my (?:role|name|(?:favorite|favourite) \w+|birthday|job|city)",
        ),
    ),
    Cue(
        "said",
        12,
        (
            r"(?:did|have|had) you (?:\w+ )?(?:say|said|answer|answered|tell|told|reply|replied)",
            r"you (?:just |already )?(?:said|answered|told me|replied)",
            r"(?:say|repeat|tell me) (?:that|it|this) again|come again|repeat (?:that|it|your|the)",
            r"your (?:last|previous|first|earlier) (?:answer|reply|message)",
            r"was your (?:\w+ )?(?:answer|reply)",
        ),
    ),
    Cue(
        "note",
        12,
        (
            r"(?<!what is )my (?:name|(?:favorite|favourite) \w+|birthday|job|city) is \w+",
            r"(?:you can |please )?call me (?!back)|i am called|keep in mind|note that",
            r"(?<!you )remember that",
        ),
    ),
    Cue(
        "forget",
        13,
        (
            f"{_ERASE} .. (?:everything|all|me|us|conversation|chat|history|data|messages?|memory)",
            "my data|privacy|^forget(?: me| now| all)?$",
            "(?:do|will|can) you .. (?:store|keep|save) (?:what|my|this|that|it|any)",
            f"{_ERASE} .. (?:said|told|talk|name|this|that|traces?|orders?|questions?)",
            "remove .. (?:conversation|chat|history|data|messages?|memory|everything i)",
            f"(?:messages?|data|conversation|chat|history|everything) .. {_ERASED}",
        ),
    ),
    Cue(
        "ticket",
        11,
        (
            rf"(?:did|have) (?:you|we|i) (?:\w+ )?{_OPENED} .. (?:{_TICKETS}|it|one|that)",
            rf"(?:is|was|has|been) .. {_OPENED}",
            "(?:did|have) you (?:do|done|make|made|send|sent) (?:it|that|this)",
            "(?:go|gone|went) through|did (?:it|that) work|is (?:it|that) done|reference number",
            "(?:what|which) is .. (?:reference|confirmation)",
            rf"{_TICKETS} (?:\w+ )?(?:did|have|has) (?:you|been)",
            rf"(?:is|are|was|were) (?:there|the|my) .. {_TICKETS}",
            rf"{_TICKETS} (?:numbers?|ids?|id|status|reference)|status of .. {_TICKETS}",
            rf"(?:which|what|any|my|list|show) (?:\w+ )?{_TICKETS}|already {_OPENED}",
        ),
    ),
    Cue(
        "open",
        9,
        (
            f"(?:open|create|file|raise|submit|start|make|send|log|issue|place) .. {_TICKETS}",
            f"(?:set up|put in|go ahead with|proceed with|go on with) .. {_TICKETS}",
            "(?:go ahead|proceed|go on|continue) with .. refund",
            "(?:start|begin|initiate|process) .. (?:process|procedure|refund|return)",
            "(?:open|create|file|raise|submit) (?:it|one|that|this|them|another)",
            f"(?:opening|creating|filing|raising|submitting|starting|making) .. {_TICKETS}",
            "open .. for",
        ),
    ),
    Cue(
        "cannot",
        8,
        (
            rf"{_CHANGE} .. (?:order|address|it|that|them|item|one|payment|name|email|#?\d+)",
            rf"(?:cancel|close|withdraw|undo|delete) .. {_TICKETS}",
            r"exception|discount|voucher|coupon|invoice|receipt|warranty|replacement|phone number",
            "when (?:will|do|can) (?:i|we) .. (?:money|refund)",
            "where is my (?:money|refund)",
            "how long (?:does|will|would) .. take",
            "(?:to|with) (?:an? |some )?(?:real )?(?:human|agent|person|manager|someone)",
        ),
    ),
    Cue(
        "policy",
        9,
        (
            r"(?:refund|return|returns) (?:policy|rules?|window|period|deadline|limit|conditions)",
            r"(?:policy|rules?|conditions|deadline|limit) .. (?:refunds?|returns?|returning)",
            r"how (?:do|does) .. (?:refunds?|returns?) work",
            f"how (?:long|many days|much time) .. {_RETURN} (?:things|something|stuff|an|a)",
            f"how (?:long|many days|much time) .. {_RETURN} (?:orders|items|anything)",
        ),
    ),
    Cue(
        "refund",
        7,
        (
            r"refund(?:s|ed|able|ing)?|money back|reimburse(?:d|ment)?|eligible|eligibility",
            r"qualif(?:y|ies)|return(?:s|ed|ing|able)?|(?:send|give|take|bring) .. back",
            "(?:ship|hand|go) .. back",
            "how (?:much time|long|many days) (?:do|have) i (?:still )?(?:have|got)",
        ),
    ),
    Cue(
        "refund",
        3,
        (
            "broken|broke|damaged|defective|faulty|not work(?:ing)?|stopped working",
            "days? (?:are )?left",
            r"too late|still in time|not (?:like|want|need) (?:it|them|the|my|this)|get rid of",
            r"unhappy|not happy|disappointed|my money|not eligible",
        ),
    ),
    Cue(
        "list",
        6,
        (
            rf"(?:list|show|see|what|which|any|how many|all|are) (?:of )?{_MY}(?:\w+ )?{_ORDERS}",
            rf"my (?:\w+ )?{_ORDERS}|order (?:history|list|overview|numbers)",
            f"{_ORDERS} (?:do|have|did)",
            rf"what (?:all )?(?:did|have|had) i (?:\w+ )?(?:{_BOUGHT}|got)|everything i",
            rf"(?:things|stuff|items) (?:that )?i (?:have )?{_BOUGHT}",
            rf"(?:did|have) i (?:ever )?{_BOUGHT} (?:anything|something|from)|list (?:them|all)",
        ),
    ),
    Cue(
        "details",
        5,
        (
            "status|where (?:is|are)|track(?:ing)?|ship|shipped|shipping|shipment|delivery",
            "delivered|dispatch|dispatched|sent out|been sent",
            r"arriv(?:e|ed|ing|es)|details?|information|info|look up|on (?:its|the) way|here yet",
            r"how (?:much|expensive|old|long ago)|price|costs?|paid|when (?:did|was|have|were)",
            r"what (?:is|was) (?:in |inside )?(?:order|#?\d{3,}|it|that one)|purchase date",
        ),
    ),
    Cue("details", 1, (r"(?:what|which) (?:is|was) .. (?:order|one|#?\d{3,})|called",)),
    Cue(
        "details",
        2,
        (
            rf"tell me .. about|show (?:me )?(?:order|it|the|my|that)|i (?:have |had )?{_BOUGHT}",
            r"(?:check|look) (?:on |at |into )?(?:order|it|the|my|#?\d{3,})",
        ),
    ),
    Cue(
        "mood",
        7,
        (r"how are you|how is it going|what is up(?! with)|how do you do|how is your day",),
    ),
    Cue("reversal", 10, ("chang(?:e|ed|ing) my mind|reconsidered|second thoughts?",)),
    Cue("unsure", 4, ("maybe|perhaps|not sure|i do not know|dunno|let me think|depends|possibly",)),
    Cue("why", 4, (r"why|how come|are you (?:\w+ )?(?:sure|certain)|explain|what does that mean",)),
    Cue(
        "correct",
        3,
        (
            r"(?:i|we) (?:actually )?mean|(?:i |we )?meant|instead|rather|mistake|typo|correction",
            r"wrong (?:one|order|number)|not (?:that|this|it|#?\d+) .. but",
        ),
    ),
    Cue(
        "about",
        2,
        (
            r"(?:what|how) about|(?:wrong|problem|matter|up|going on) with",
            r"same (?:\w+ )?(?:for|with)",
            "^for|what of|regarding|concerning",
        ),
    ),
    Cue(
        "date",
        6,
        (r"(?:what|which) (?:day|date|time|year) is|(?:today|current) date|is the (?:date|time)",),
    ),
    Cue(
        "who",
        6,
        (
            r"(?:who|what) (?:are you|you are)|your name|made you",
            r"are you (?:an? )?(?:\w+ )?(?:bot|robot|human|ai|machine|real|person|offline|there)",
        ),
    ),
    Cue(
        "help",
        6,
        (
            "(?<!can not )help|what (?:can|do) you (?:do|understand|know|offer)",
            "how (?:do|does) (?:this|it|you) work",
            r"what (?:can|could|may|should) i (?:ask|say|do|type)|commands|features",
        ),
    ),
    Cue(
        "no",
        10,
        (
            r"not (?:\w+ ){0,2}?(?:open|create|file|raise|submit)(?! yet)",
            "(?:do|did) not (?:do (?:it|that|anything)|bother)|i (?:said|told you) no",
            "(?:do|did) not want (?:a|any|to|it|that|one)(?! any ?more| any longer)",
            "no need|^do not$|^not (?:now|yet|today|necessary|needed|interested)",
            "leave (?:it|that)",
            "let it be|rather not|skip (?:it|that)|drop it|forget (?:about )?it|never mind",
            "maybe later|(?:do|ask|come back) .. later|think about it",
            "no (?:refund|ticket|request)",
        ),
    ),
)
