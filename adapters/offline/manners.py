"""What people say around a matter: greetings, thanks, yes and no, "so, well"."""

from __future__ import annotations

from adapters.offline.phrases import Intent

# Said before the matter itself, or alone; taken off one after the other.
LEADS: tuple[tuple[Intent, tuple[str, ...]], ...] = (
    (
        "yes",
        (
            r"yes|yep|yeah|yup|yea|yah|ya|sure|absolutely|definitely|certainly|of course|indeed",
            r"please do(?! not)|go (?:ahead|for it|on)(?! with)",
            "do (?:it|that|so)|please$|sounds good|by all means",
            "(?:please )?proceed(?! with)|make it so|confirm(?:ed)?|i would like that",
            "let us do (?:it|that)",
            r"that would be (?:great|nice|good|lovely|perfect)",
        ),
    ),
    (
        "no",
        (r"no thanks|no thank you|nope|nah|no way|no(?! (?:problem|idea|need|refund|ticket)\b)",),
    ),
    ("hold", (r"wait|hold on|stop|one moment|hang on|not so fast",)),
    (
        "thanks",
        (
            r"(?:many )?thanks(?: a lot| so much| very much| again)?|cheers|much appreciated",
            r"thank you(?: so much| very much| again)?",
        ),
    ),
    (
        "greet",
        (r"hi|hello|hey|hiya|howdy|greetings|hallo|good (?:morning|afternoon|evening|day)",),
    ),
    (
        "bye",
        (
            r"bye(?: bye)?|good ?bye|good night|see you(?: later| soon)?|nothing else|ciao",
            r"that is (?:all|it)(?: for (?:now|today))?|have a (?:nice|good|great) \w+",
        ),
    ),
    ("okay", (r"ok|okay|okey(?: dokey)?|k|kk|alright|all right|fine",)),
)
PADDING = (
    r"great|brilliant|super|wonderful|fantastic|lovely|damn",
    r"whatever|good|cool|perfect|nice|hmm+|well|so|now|then|wow|interesting",
    "i see|got it|understood",
    r"oh|ah|aha|um+|uh|btw|by the way|also|and|but|actually|sorry|please|just|nimbus|there|again",
    r"dear|lol|haha|no problem|excuse me|anyway|awesome|excellent|too|kindly|or|yay|in that case",
)
# What may stand around a yes without making it less clear.
YES_COMPANY = (
    r"please|do|it|that|this|so|go|ahead|the|an?|my|refund|return|request|ticket|open|create|file",
    r"submit|for|me|order|number|now|thanks|thank|you|would|be|great|nice|good|i|like|want|to|one",
    r"just|very|much|really|with|on|of|course|#?\d+|kindly|right away|right now|then|ok|okay|can",
    r"perfect|lovely|by|all|means|proceed|sure|yes|why not|make|start|send|in|up|and|am",
    "certain|cool",
)
# Asks how, whether or what if: no order to act.
HOW = (
    "how (?:do|can|would|could|to|does)|what (?:happens|if|would)",
    "(?:should|could|can|may|must|shall) (?:i|we)",
    "(?:is|was) it possible|if (?:i|you|we) .. (?:open|create|file)|when (?:i|you)",
    "before you|are you able",
)
