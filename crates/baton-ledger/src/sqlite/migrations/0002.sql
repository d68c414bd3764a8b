-- Streams in somebody's hand, and the last fence that was given out, to whomever.
CREATE TABLE lease (
  stream TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;
ALTER TABLE state ADD COLUMN fence BLOB; -- with its sum, so that none is ever given out twice; NULL before the first
