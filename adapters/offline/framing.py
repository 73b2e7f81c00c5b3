"""The words that make a request, and those that make somebody else's, a quotation or a joke."""

from __future__ import annotations

# How somebody asks somebody to do something. What follows is the deed.
_ADVERBS = "please|kindly|now|just|also|then|really|still|hereby|perhaps"
_ON = f"(?: (?:{_ADVERBS}|go ahead and|go and|help me to|help me|be so kind as to|be so kind and))*"
ASKING = (
    f"(?:can|could|would|will) you{_ON}",
    f"(?:i|we)(?: (?:{_ADVERBS}|do))* (?:want|wish|need|ask|beg)(?: for)?(?: you)? to{_ON}",
    f"(?:i|we) would (?:like|love)(?: for)?(?: you)? to{_ON}",
    f"(?:i am|we are) asking(?: you)? to{_ON}",
    f"(?:let us|go ahead and|go and|go|help me to|help me|feel free to){_ON}",
    f"be so (?:kind|good) (?:as to|and){_ON}",
)
DEEDS = (
    "open|create|file|raise|submit|start|make|send|log|issue|place|begin|initiate|process",
    "set up|put in|(?:go ahead|proceed|go on|continue) with",
)
ASKED_TO_MIND = "would you mind (?:opening|creating|filing|raising|submitting|starting|making)"
# All that may stand beside a deed; a word that means nothing here must be the item's name.
BESIDE = (
    r"an?|the|my|our|this|that|these|those|it|one|them|another|both|all|each|me|us|new|up|in",
    "refund|refunding|refunded|return|money|back|request|ticket|claim|case|process|procedure",
    "support|for|of|about|regarding|concerning|on|with|to|order|number|item|product|purchase",
    r"please|now|immediately|today|then|too|also|again|kindly|thanks|thank|you|first",
    "second|last|other|older|oldest|newer|newest|latest|cheaper|cheapest|expensive|more|most|less",
    "recent|former|latter|delivered|shipped|paid|i|bought|ordered|got|purchased|have|broken|and",
    r"damaged|defective|faulty|#?\d+|thing|things|quickly|asap",
)
# What is opened: a request, or what stands for one; an order is none.
REQUESTS = "refunds?|returns?|requests?|tickets?|claims?|cases?|process|procedure"
STAND_INS = "it|one|that|this|another|them|both|all|each"
ORDERS = "orders?|items?|products?|purchases?|things?"
BEFORE_AN_ORDER = "for|of|about|regarding|concerning|on|to|with|because|as|since"
SEVERAL = "both|all|each"
PLURAL = "requests|tickets|claims|cases"
# What may follow "because".
REASONS = (
    "is|are|was|were|they|do|does|did|not|want|need|like|use|any|longer|too|work|works|working",
    "stopped|arrived|came|broke|wrong|loud|late|hurt|hurts|unhappy|happy|disappointed|so|very",
)
BECAUSE = "because|as|since"
NEGATIVE = (
    "not|never|no|nobody|none|nothing|neither|nor|without|hardly|refuse|forbid|avoid|stop|against"
    "|instead of|far from|anything but|only a fool"
)
# "I do not like it": of the thing, not of what is to be done about it.
COMPLAINT = (
    r"(?:\w+ ){1,4}(?:do|does|did|is|are|was|were|will|can|has|have) not "
    r"(?:really |even |seem to )?(?:like|need|work|fit|charge|use|want|sound|turn|working"
    r"|happy|good|arrived|connect|satisfied)"
    r"(?: (?:it|them|this|that|these|those|any ?more|any longer|at all|on|me|properly|well|right))*"
)
# Somebody else's words, thoughts about words, what might be, and fun.
FRAMES = (
    "said|says?|saying|wrote|writes?|writing|written|typed?|types|typing|told|tells|tell (?!me)",
    "claim(?:ed|s) (?:that|to)|asked|asks|quot(?:e|ed|es|ing)|reads?|reading|heard|hear",
    "texted|texts",
    "messages?|letters?|scripts?|examples?|instance|sentences?|phrases?|words?|translat(?:e|ed|ion)",
    "spell(?:ed)?|repeat|pretend(?:ing)?|imagin(?:e|ed|ing)|supposed?|supposing|assum(?:e|ed|ing)",
    "hypothetical(?:ly)?|theor(?:y|etical|etically)|if|unless|until",
    "would have|could have|should have",
    "jok(?:e|es|ed|ing)|kidding|jk|pranks?|sarcas(?:m|tic)|iron(?:y|ic|ically)|test|testing|tests",
    "stor(?:y|ies)|novel|poem|songs?|movie|films?|dream(?:s|ed|t|ing)?|wonder(?:s|ed|ing)?|whether",
    "curious|system|admin|administrator|developer|operator|override|users?|customers?|assistant",
    "agree(?:d|s)|approv(?:e|ed|es|al)|authori[sz](?:e|ed|ation)|instructions?|ignore|prompts?",
    "simulat(?:e|ed|ion)|roleplay|following|called|means?|meaning|false|untrue|lies?|lying|wrongly",
    "friends?|brother|sister|mother|father|mom|mum|dad|wife|wifes|husband|boss|colleagues?|neighbou?r",
    "everyone|everybody|someone|somebody|anyone|anybody|people|nobody|who",
)
LAUGHTER = r"lol|l+o+l+|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|hihi|not"


def any_of(*phrases: str) -> str:
    return f"(?:{'|'.join(phrases)})"
