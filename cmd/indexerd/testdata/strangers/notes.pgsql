-- A schema for the short form of make strangers: psql runs it.
\set ON_ERROR_STOP on
CREATE TABLE author (author_id SERIAL PRIMARY KEY, name VARCHAR(80) NOT NULL, height DOUBLE PRECISION);
CREATE TABLE note (
    note_id SERIAL PRIMARY KEY,
    author_id INTEGER,
    title VARCHAR(80) NOT NULL,
    body TEXT,
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX note_updated_at ON note (updated_at);
