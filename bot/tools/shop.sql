-- A demo shop: what somebody else's order system might keep.
-- A purchase has an age and no date, so that the demo is the same on every day.
CREATE TABLE IF NOT EXISTS orders (
  id              INTEGER PRIMARY KEY,
  customer        TEXT NOT NULL,
  item            TEXT NOT NULL,
  price_cents     INTEGER NOT NULL,
  currency        TEXT NOT NULL,
  paid            INTEGER NOT NULL CHECK (paid IN (0, 1)),
  status          TEXT NOT NULL,
  bought_days_ago INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS tickets (
  number      INTEGER PRIMARY KEY,
  request_key TEXT NOT NULL UNIQUE,   -- the same request again is the same ticket
  customer    TEXT NOT NULL,
  order_id    INTEGER REFERENCES orders (id),
  category    TEXT NOT NULL,
  summary     TEXT NOT NULL,
  opened_on   TEXT NOT NULL
);

INSERT OR IGNORE INTO orders VALUES
  (1042, 'demo',  'wireless headphones', 12900, 'EUR', 1, 'shipped',   3),
  (1043, 'demo',  'coffee grinder',       8950, 'EUR', 1, 'delivered', 20),
  (2051, 'other', 'standing desk',       39900, 'EUR', 1, 'delivered', 5),
  (2052, 'other', 'desk lamp',            4500, 'EUR', 0, 'awaiting payment', 1);
