-- What one message's way through Nimbus needs: conversations, turns, messages, deliveries,
-- and what may outlive a conversation because it holds no content.

CREATE TABLE conversations (
  id            TEXT PRIMARY KEY,              -- 32 hex, random
  place         TEXT NOT NULL,                 -- PlaceKey as text
  is_current    BIGINT NOT NULL DEFAULT 1 CHECK (is_current IN (0, 1)),   -- `new` sets it to 0
  platform      TEXT NOT NULL,
  workspace     TEXT NOT NULL,
  channel       TEXT NOT NULL,
  thread        TEXT NOT NULL,
  surface       TEXT NOT NULL CHECK (surface IN ('direct', 'private', 'public', 'terminal')),
  owner         TEXT NOT NULL,                 -- PersonKey of who started it
  muted         BIGINT NOT NULL DEFAULT 0 CHECK (muted IN (0, 1)),
  created_at    BIGINT NOT NULL,
  active_at     BIGINT NOT NULL,               -- retention counts from here
  next_position BIGINT NOT NULL DEFAULT 1,     -- bumping it locks the row, on both engines
  next_turn     BIGINT NOT NULL DEFAULT 1,
  window_from   BIGINT NOT NULL DEFAULT 1,     -- the first turn of the window
  summary       TEXT,
  read_to       TEXT NOT NULL DEFAULT '',      -- newest platform message known here
  called_in     BIGINT NOT NULL DEFAULT 0,     -- earlier messages were read once
  revision      BIGINT NOT NULL DEFAULT 1      -- bumped by all that changes what left the window
);
CREATE UNIQUE INDEX conversations_current ON conversations (place) WHERE is_current = 1;
CREATE INDEX conversations_place ON conversations (place);
CREATE INDEX conversations_channel ON conversations (platform, workspace, channel);
CREATE INDEX conversations_active ON conversations (active_at);

CREATE TABLE turns (
  conversation     TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  number           BIGINT NOT NULL,
  place            TEXT NOT NULL,              -- turns are serial in a place, not a conversation
  id               TEXT NOT NULL UNIQUE,       -- 32 hex; call keys and nonces derive from it
  cause            TEXT NOT NULL CHECK (cause IN ('message', 'decision')),
  state            TEXT NOT NULL CHECK (state IN ('running', 'sending', 'done', 'failed')),
  outcome          TEXT CHECK (outcome IN ('answered', 'api_error', 'step_limit', 'time_limit',
                     'stopped', 'refused', 'limited', 'empty', 'interrupted', 'expired')),
  asker            TEXT NOT NULL,
  asked_at         BIGINT NOT NULL,
  address          TEXT NOT NULL,              -- JSON: where the answer goes
  worker           TEXT NOT NULL,
  fence            BIGINT NOT NULL DEFAULT 1,
  attempts         BIGINT NOT NULL DEFAULT 1,
  lease_until      BIGINT NOT NULL,
  stop             TEXT CHECK (stop IN ('stopped', 'changed')),
  erased           BIGINT NOT NULL DEFAULT 0 CHECK (erased IN (0, 1, 2)),
  started_at       BIGINT NOT NULL,
  ended_at         BIGINT,
  steps            BIGINT NOT NULL DEFAULT 0,
  model            TEXT,
  input_tokens     BIGINT NOT NULL DEFAULT 0,
  cached_tokens    BIGINT NOT NULL DEFAULT 0,
  output_tokens    BIGINT NOT NULL DEFAULT 0,
  reasoning_tokens BIGINT NOT NULL DEFAULT 0,
  model_ms         BIGINT NOT NULL DEFAULT 0,
  tool_ms          BIGINT NOT NULL DEFAULT 0,
  first_text_ms    BIGINT,
  full_size        BIGINT NOT NULL DEFAULT 0,  -- characters of each form: the budget needs no JSON
  compact_size     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (conversation, number),
  CHECK ((state = 'running') = (outcome IS NULL))
);
-- The lock: one open turn in a place, whoever runs it.
CREATE UNIQUE INDEX turns_open ON turns (place) WHERE state IN ('running', 'sending');
CREATE INDEX turns_leases ON turns (lease_until) WHERE state IN ('running', 'sending');
CREATE INDEX turns_started ON turns (started_at);

CREATE TABLE messages (
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  position     BIGINT NOT NULL,
  turn         BIGINT,                         -- null while waiting, or observed and not taken
  role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  state        TEXT NOT NULL CHECK (state IN ('waiting', 'observed', 'taken')),
  remote_id    TEXT,
  sent_order   TEXT,                           -- the platform's id, padded to sort as it sorts
  author       TEXT,
  author_name  TEXT,
  said_at      BIGINT NOT NULL,
  edited_at    BIGINT,
  address      TEXT,                           -- of a waiting message: where its answer goes
  content      TEXT NOT NULL,                  -- JSON: parts and provider data
  PRIMARY KEY (conversation, position),
  FOREIGN KEY (conversation, turn) REFERENCES turns (conversation, number) ON DELETE CASCADE,
  CHECK (state <> 'waiting' OR (turn IS NULL AND role = 'user')),
  CHECK (state <> 'taken' OR turn IS NOT NULL)
);
CREATE UNIQUE INDEX messages_remote ON messages (remote_id, conversation)
  WHERE remote_id IS NOT NULL;
CREATE INDEX messages_turn ON messages (conversation, turn, position);
-- The queue.
CREATE INDEX messages_waiting ON messages (conversation, sent_order) WHERE state = 'waiting';

CREATE TABLE participants (
  conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  person       TEXT NOT NULL,
  name         TEXT NOT NULL,
  first_at     BIGINT NOT NULL,
  last_at      BIGINT NOT NULL,
  PRIMARY KEY (conversation, person)
);
CREATE INDEX participants_person ON participants (person);

CREATE TABLE deliveries (                      -- the parts of an answer on the platform
  conversation TEXT NOT NULL,
  turn         BIGINT NOT NULL,
  part         BIGINT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('open', 'sent')),
  remote_id    TEXT,
  ends_at      BIGINT NOT NULL DEFAULT 0,      -- character of the answer at which the part ends
  PRIMARY KEY (conversation, turn, part),
  FOREIGN KEY (conversation, turn) REFERENCES turns (conversation, number) ON DELETE CASCADE
);
CREATE INDEX deliveries_remote ON deliveries (remote_id);

CREATE TABLE people (
  person     TEXT PRIMARY KEY,
  keep_notes BIGINT NOT NULL DEFAULT 1,
  customer   TEXT,
  linked_at  BIGINT
);

-- Without content, so that they may outlive a conversation. Keys are keyed digests.
CREATE TABLE seen (
  key     TEXT PRIMARY KEY,
  seen_at BIGINT NOT NULL
);
CREATE INDEX seen_seen_at ON seen (seen_at);

CREATE TABLE forgotten (
  key         TEXT PRIMARY KEY,
  said_before BIGINT NOT NULL,                 -- the platform's time of the command
  expires_at  BIGINT NOT NULL
);
CREATE INDEX forgotten_expires_at ON forgotten (expires_at);

CREATE TABLE erasures (                        -- a `forget me` on its way
  id               TEXT PRIMARY KEY,
  person           TEXT NOT NULL,
  said_before      BIGINT NOT NULL,
  found_nothing_at BIGINT
);

CREATE TABLE leases (                          -- periodic work that only one process does
  name        TEXT PRIMARY KEY,
  holder      TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  last_done   BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE installation (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
