-- The log, which is the truth: one row per append. A row's position is that of its first record; the next row's
-- follows its last. `data` holds the records packed and summed, `payloads` what can be erased of them.
CREATE TABLE entry (
  position INTEGER PRIMARY KEY,
  data BLOB NOT NULL,
  payloads BLOB
);

-- Everything below is a view of the log up to `viewed`, brought up to date every few thousand records.
CREATE TABLE state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  viewed INTEGER NOT NULL,  -- the last position that the views cover
  scrub INTEGER NOT NULL    -- 1 while erased bytes may still lie in the write-ahead log
);
INSERT INTO state VALUES (1, 0, 0);

-- Streams as they stand; `id` is the position of the first record.
CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  last INTEGER NOT NULL,
  hash BLOB NOT NULL,
  labels BLOB NOT NULL,
  due INTEGER,
  sum BLOB NOT NULL
);
CREATE UNIQUE INDEX stream_name ON stream (name);
CREATE INDEX stream_due ON stream (due, id) WHERE due IS NOT NULL;

CREATE TABLE label (
  label TEXT NOT NULL,
  stream INTEGER NOT NULL,
  PRIMARY KEY (label, stream)
) WITHOUT ROWID;

-- Where in the log the records of a stream are: the first sequence of each entry.
CREATE TABLE place (
  stream INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (stream, seq)
) WITHOUT ROWID;

-- Claims and payload digests, as sorted runs of short hashes with the position of their entry.
CREATE TABLE segment (
  id INTEGER PRIMARY KEY,
  level INTEGER NOT NULL,
  keys INTEGER NOT NULL,
  first_chunk INTEGER NOT NULL,
  fences BLOB NOT NULL,     -- the first key of each chunk, and their sum
  filter BLOB NOT NULL      -- says of most keys that they are not here, and its sum
);
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
);
