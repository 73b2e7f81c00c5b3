-- What was used in a day, and how fast somebody writes: limits hold across a restart. No content.

CREATE TABLE usage (
  day         BIGINT NOT NULL,                 -- days since 1970, UTC
  subject     TEXT NOT NULL,                   -- a person's keyed digest, or 'total'
  turns       BIGINT NOT NULL DEFAULT 0,
  tokens      BIGINT NOT NULL DEFAULT 0,
  told_at     BIGINT,                          -- when the person heard that a budget is used up
  minute_from BIGINT NOT NULL DEFAULT 0,       -- the minute in which `messages` are counted
  messages    BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, subject)
);
