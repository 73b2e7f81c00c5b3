-- Where a thread hangs, on a platform whose threads do not name their channel: a list of channels
-- means it, and a channel that goes takes its threads along.

ALTER TABLE conversations ADD COLUMN parent TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_parent ON conversations (platform, workspace, parent);
