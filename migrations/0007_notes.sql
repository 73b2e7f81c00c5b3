-- What is known about a person beyond one conversation, and whether they want that.

CREATE TABLE notes (
  id           TEXT PRIMARY KEY,
  person       TEXT NOT NULL,
  number       BIGINT NOT NULL,                -- for the person: theirs never get another one
  platform     TEXT NOT NULL,                  -- where it was said: whose window counts
  workspace    TEXT NOT NULL,
  surface      TEXT NOT NULL,                  -- who may see it: memory/keys.py, `surface_of`
  topic        TEXT NOT NULL,
  subject      TEXT NOT NULL,                  -- a newer note on the same takes its place
  text         TEXT NOT NULL,                  -- empty: deleted, and not to be drawn from there again
  conversation TEXT,                           -- where it was said; retention sets both to null,
  turn         BIGINT,                         -- a forget takes the note along
  said_at      BIGINT NOT NULL,
  used_at      BIGINT NOT NULL,
  uses         BIGINT NOT NULL DEFAULT 0,      -- on how many days it was shown to a model
  FOREIGN KEY (conversation, turn) REFERENCES turns (conversation, number) ON DELETE CASCADE
);
CREATE INDEX notes_person ON notes (person, surface);
CREATE INDEX notes_source ON notes (conversation, turn);
CREATE INDEX notes_used ON notes (used_at);

ALTER TABLE people ADD COLUMN next_note BIGINT NOT NULL DEFAULT 1;
-- Nothing that was said before is noted: notes were switched off then.
ALTER TABLE people ADD COLUMN notes_from BIGINT NOT NULL DEFAULT 0;
