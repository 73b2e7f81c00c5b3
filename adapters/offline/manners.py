"""What people say around a matter: greetings, thanks, yes and no, "so, well"."""

from __future__ import annotations

from adapters.offline.phrases import Intent

# Said before the matter itself, or alone; taken off one after the other.
LEADS: tuple[tuple[Intent, tuple[str, ...]], ...] = (
    (
        "yes",
        (
            r"yes|yep|yeah|yup|yea|yah|ya|sure|indeed",
            r"(?:absolutely|definitely|certainly|of course)(?! not)",
            r"please do(?! not)|go (?:ahead|for it|on)(?! with)",
            "do (?:it|that|so)|please$|sounds good|by all means",
            "(?:please )?proceed(?! with)|make it so|confirm(?:ed)?|i would like that",
            "let us do (?:it|that)",
            r"that would be (?:great|nice|good|lovely|perfect)",
        ),
    ),
    (
        "no",
        (
            "(?:absolutely|definitely|certainly|of course|surely) not",
            "no thanks|no thank you|nope|nah|no way",
            r"no(?! (?:problem|idea|need|refund|ticket)\b)",
        ),
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
    "thank you|(?:can|could|would|will) you|(?:it|that|this) would be|for me|why not",
    "i (?:do )?(?:want|would (?:like|love)|am (?:sure|certain))|you to|i do",
    "right (?:away|now)|sure thing|by all means|go ahead|of course|make it so|be so kind",
    r"please|do(?! i\b)|thing|it|that|this|so|the|an?|my|refund|return|request|ticket|open",
    r"create|file|submit|for|order|number|now|thanks|great|nice|good|to|one|just|very|much|really|with|on",
    r"#?\d+|kindly|then|ok|okay|perfect|lovely|proceed|sure|yes|start|send|and|cool",
)
# Said after a yes it tells that something was heard, and agrees to nothing.
HEARD = (r"(?:i see|got it|understood|interesting|whatever|wow|right)(?: \?)?$",)
# Asks how, whether or what if: no order to act.
HOW = (
    "how (?:do|can|would|could|to|does)|what (?:happens|if|would)",
    "(?:should|could|can|may|must|shall) (?:i|we)",
    "(?:is|was) it possible|if (?:i|you|we) .. (?:open|create|file)|when (?:i|you)",
    "before you|are you able",
)
