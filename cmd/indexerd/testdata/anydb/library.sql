-- A library for both databases: tables with and without a time of the last
-- change, with names in mixed case and of keywords, links, references to the same
-- table, numbers only, texts of two scripts, and no rows.
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, born DATE);
CREATE TABLE publisher (publisher_id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE book (
    book_id      INTEGER PRIMARY KEY,
    title        VARCHAR(160) NOT NULL,
    author_id    INTEGER NOT NULL REFERENCES author (author_id),
    publisher_id INTEGER REFERENCES publisher (publisher_id),
    summary      TEXT,
    price        DECIMAL(8, 2),
    modified     INTEGER
);
CREATE TABLE "BookCopy" ("BookCopyId" INTEGER PRIMARY KEY, "BookId" INTEGER NOT NULL REFERENCES book (book_id), "Number" INTEGER NOT NULL);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, "select" TEXT, "from where" VARCHAR(80), "group" INTEGER);
CREATE TABLE shelf (code VARCHAR(8) PRIMARY KEY NOT NULL, place TEXT);
CREATE TABLE shelf_book (
    shelf_code VARCHAR(8) NOT NULL REFERENCES shelf (code),
    book_id    INTEGER NOT NULL REFERENCES book (book_id),
    PRIMARY KEY (shelf_code, book_id)
);
CREATE TABLE member (
    member_id     INTEGER PRIMARY KEY,
    first_name    VARCHAR(40) NOT NULL,
    last_name     VARCHAR(40) NOT NULL,
    invited_by    INTEGER REFERENCES member (member_id),
    password_hash VARCHAR(80),
    remarks_zh    TEXT
);
CREATE TABLE review (
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    number  INTEGER NOT NULL,
    words   TEXT,
    PRIMARY KEY (book_id, number)
);
CREATE TABLE notice (notice_id INTEGER PRIMARY KEY, body TEXT NOT NULL, updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE nothing_yet (id INTEGER PRIMARY KEY, note TEXT);
CREATE INDEX notice_updated_at ON notice (updated_at);
CREATE INDEX book_author ON book (author_id);
