-- Since when (UTC ms, the platform's time) what was said in the place may have been missed, and is to
-- be read there; null: nothing was. It outlives a worker that dies before it has read.

ALTER TABLE conversations ADD COLUMN behind_from BIGINT;
CREATE INDEX conversations_behind ON conversations (platform) WHERE behind_from IS NOT NULL;
