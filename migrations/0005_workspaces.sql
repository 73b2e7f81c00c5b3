-- What the operator has decided for one workspace, and when it was last left. No content.

CREATE TABLE workspaces (
  platform       TEXT NOT NULL,
  workspace      TEXT NOT NULL,
  retention_days BIGINT CHECK (retention_days > 0),  -- null: as NIMBUS_RETENTION_DAYS says
  removed_at     BIGINT,
  PRIMARY KEY (platform, workspace)
);
