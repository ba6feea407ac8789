-- The tables that configs/pagila.yaml and the documents select, and two that
-- init treats specially: a partitioned table and a view. No last_update has an
-- index.
CREATE TYPE film_rating AS ENUM ('G', 'PG', 'PG-13', 'R', 'NC-17');
CREATE DOMAIN film_year AS integer CHECK (VALUE BETWEEN 1900 AND 2100);

CREATE TABLE language (
    language_id integer PRIMARY KEY,
    name        character(20) NOT NULL,
    last_update timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE film (
    film_id          integer PRIMARY KEY,
    title            text NOT NULL,
    description      text,
    release_year     film_year,
    language_id      integer NOT NULL REFERENCES language,
    length           smallint,
    rental_rate      numeric(4,2) NOT NULL DEFAULT 2.50,
    rating           film_rating DEFAULT 'G',
    last_update      timestamptz NOT NULL DEFAULT now(),
    special_features text[],
    lexemes          tsvector GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || coalesce(description, ''))) STORED
);
CREATE INDEX ON film (language_id);

CREATE TABLE actor (
    actor_id    integer PRIMARY KEY,
    first_name  text NOT NULL,
    last_name   text NOT NULL,
    last_update timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE category (
    category_id integer PRIMARY KEY,
    name        text NOT NULL,
    last_update timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE film_actor (
    actor_id    integer NOT NULL REFERENCES actor,
    film_id     integer NOT NULL REFERENCES film,
    last_update timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor_id, film_id)
);
CREATE INDEX ON film_actor (film_id);

CREATE TABLE film_category (
    film_id     integer NOT NULL REFERENCES film,
    category_id integer NOT NULL REFERENCES category,
    last_update timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (film_id, category_id)
);

CREATE TABLE customer (
    customer_id integer PRIMARY KEY,
    first_name  text NOT NULL,
    last_name   text NOT NULL,
    email       text,
    activebool  boolean NOT NULL DEFAULT true,
    create_date date NOT NULL DEFAULT CURRENT_DATE,
    last_update timestamptz DEFAULT now()
);

CREATE TABLE payment (
    payment_id   integer NOT NULL,
    customer_id  integer NOT NULL REFERENCES customer,
    amount       numeric(5,2) NOT NULL,
    payment_date timestamptz NOT NULL,
    PRIMARY KEY (payment_date, payment_id)
) PARTITION BY RANGE (payment_date);
CREATE TABLE payment_p2024_01 PARTITION OF payment FOR VALUES FROM ('2024-01-01Z') TO ('2024-02-01Z');
CREATE TABLE payment_p2024_02 PARTITION OF payment FOR VALUES FROM ('2024-02-01Z') TO ('2024-03-01Z');

CREATE VIEW film_list AS
    SELECT f.film_id, f.title, f.description, c.name AS category
    FROM film f JOIN film_category USING (film_id) JOIN category c USING (category_id);

CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_update = CURRENT_TIMESTAMP;
    RETURN NEW;
END $$;
CREATE TRIGGER touch BEFORE UPDATE ON language FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON film FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON actor FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON category FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON film_actor FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON film_category FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER touch BEFORE UPDATE ON customer FOR EACH ROW EXECUTE FUNCTION touch();
