-- Which streams changed behind a position, for whoever seals them.
CREATE INDEX stream_last ON stream (last);
