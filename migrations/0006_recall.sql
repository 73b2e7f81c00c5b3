-- By which terms the turns before the cut are found again.

CREATE TABLE recall (
  conversation TEXT NOT NULL,
  term         TEXT NOT NULL,                  -- a word without its ending, an identifier, two signs
  turn         BIGINT NOT NULL,
  hits         BIGINT NOT NULL,
  PRIMARY KEY (conversation, term, turn),
  FOREIGN KEY (conversation, turn) REFERENCES turns (conversation, number) ON DELETE CASCADE
);
CREATE INDEX recall_turn ON recall (conversation, turn);

-- What had left the window is worked up once.
UPDATE conversations SET window_from = 1, revision = revision + 1 WHERE window_from > 1;
