-- What a list of streams shows of each without reading records; empty before the first.
ALTER TABLE stream ADD COLUMN summary BLOB NOT NULL DEFAULT x'';
