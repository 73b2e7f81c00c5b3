"""The words by which people say what they are, have and plan. Each is a pattern."""

from __future__ import annotations

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
DAYS = rf"(?i:{_DAY}|{_MONTH}|tomorrow|later|back)(?!\w)"

# Said before a statement: greetings, connectives, since when.
LEADS = (
    "hi there|hey there|hi|hello|hey|there|okay|ok|well|oh|ah|and|also|anyway|sorry|thanks",
    r"by the way|btw|actually|in fact|just so you know|for the record|fyi|quick \w+|update",
    "thank you|please|now|then|yes|no|to be honest|honestly|these days|new job",
    r"from now on(?=,? (?:i|my)\b)",
    r"(?:since|as of|after|until) (?:(?:the|my|last|this|next) )*\w+(?: \w+)?(?= (?:i|we)\b)",
)
# A clause with one of these states nothing: it is thought up, told of others, or fun.
FRAMES = (
    "if|suppose|supposing|imagine|pretend|let's say|lets say|say|says|saying|said|assume|assuming",
    "translate|for example|for instance|joking|kidding|hypothetically|unless|would have|wish",
    "whatever that|story|character",
)
# What is said of the moment, or of an order, is no matter for a note: it begins so, or has this.
OF_THE_MOMENT = (
    "it|that|this|them|those|these|not|one|the (?:first|second|other|last|same)|to know|you|my"
)
OF_A_SHOP = (
    r"(?:refund|return|deliver|purchase)\w*|(?:order|parcel|package|receipt|request|ticket)s?|money"
    r"|invoice|shop|shipping|bought|headphones?|grinders?|#?\d{3,}"
)
# Not a name or a place after "my name is", "I live in", in small letters.
NO_NAMES = (
    "on|in|not|at|a|an|the|my|your|it|is|invalid|wrong|missing|there|spelled|misspelled|listed|what"
    "|also|still|already|too|just|common|important|unknown|different|being|no|none|another|this"
    "|that|constant|fear|peace"
)
# After "I'm" no name either.
NATIONS = (
    r"\w+(?:ish|ese|lander)|(?:Americ|Mexic|Afric|Europe|Kore|Germ|Indi|Canadi|Itali|Russi|Austri)an"
    "|(?:Australi|Brazili|Ukraini|Belgi|Norwegi|Hungari|Romani|Bulgari|Egypti|Irani|Nigeri|Asi)an"
    "|French|Dutch|Swiss|Czech|Greek|Thai|OK|Okay|Not|Sorry"
)
# What somebody may be by profession ends like this, or is one of these.
ROLES = (
    r"\w{2,}(?:er|or|ist|ian|ant|wife|man|woman|smith|eer)(?<!never)(?<!number)(?<!other)"
    "|nurse|chef|cook|judge|pilot|student|intern|lead|head|chief|clerk|agent|coach|guide|vet|monk"
    "|poet|priest|architect|apprentice|trainee|analyst|medic|paramedic|mechanic|nun"
)
NO_ROLES = (
    "bit|little|lot|fan|friend|member of|big|huge|night|customer|user|beginner|newcomer|loser|one"
    "|owner of (?:the|this|order)|only|first|last|same|winner|type of|kind of|sort of"
)
# What somebody may be as a matter of fact.
STATES = (
    "vegetarian|vegan|diabetic|colou?r[- ]?blind|blind|deaf|hard of hearing|left[- ]handed"
    "|pregnant|dyslexic|lactose intolerant|gluten intolerant|coeliac|asthmatic|married|divorced"
    "|retired|widowed|epileptic|teetotal|muslim|jewish|hindu|christian|buddhist|autistic"
)
HAVES = (
    "cats?|dogs?|kids?|child|children|twins?|sons?|daughters?|bab(?:y|ies)|rabbits?|hamsters?"
    "|birds?|parrots?|horses?|grandchildren|siblings|brothers?|sisters?|wheelchair|pets?"
)
COUNTS = r"an?|one|two|three|four|five|six|\d+"
# When a plan is for: not now.
WHEN = (
    r"tomorrow|tonight|next \w+|this (?:evening|weekend|week|month|summer|autumn|winter|spring)"
    rf"|(?:on|by|until|from|in|this|next) {_DAY}|(?:in|from|until|on|of|by) (?:\d+\w* )?{_MONTH}"
    r"|in (?:an?|two|three|\d+) (?:days?|weeks?|months?|years?)"
    "|in the (?:morning|afternoon|evening)|in (?:spring|summer|autumn|winter)"
)
NO_PLANS = (
    "not|never|having (?:trouble|problems?|issues?)|waiting|looking|trying|hoping|wondering|asking"
    "|talking|wait|ask|call|check|try|be back|let|see|tell|come back|think|sending|send"
)
# One subject under several words.
SYNONYMS = dict.fromkeys(
    ("answer", "answers", "explanation", "explanations", "reply", "replies", "responses"),
    "answers",
)
