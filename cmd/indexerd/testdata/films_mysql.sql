-- The tables that configs/pagila.yaml selects, for MariaDB, with rows.
CREATE TABLE language (language_id int PRIMARY KEY, name char(20) NOT NULL, last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6));
CREATE TABLE film (film_id int PRIMARY KEY, title varchar(255) NOT NULL, description text, release_year year, language_id int NOT NULL,
    rating enum('G', 'PG', 'PG-13', 'R', 'NC-17') DEFAULT 'G', last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6));
CREATE TABLE actor (actor_id int PRIMARY KEY, first_name varchar(45) NOT NULL, last_name varchar(45) NOT NULL, last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6));
CREATE TABLE category (category_id int PRIMARY KEY, name varchar(25) NOT NULL, last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6));
CREATE TABLE film_actor (actor_id int, film_id int, last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6), PRIMARY KEY (actor_id, film_id), KEY (film_id));
CREATE TABLE film_category (film_id int, category_id int, last_update timestamp(6) NOT NULL DEFAULT now(6) ON UPDATE now(6), PRIMARY KEY (film_id, category_id));
INSERT INTO language (language_id, name) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6) SELECT i, 'Language ' || i FROM s;
INSERT INTO category (category_id, name) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 16) SELECT i, 'Category ' || i FROM s;
INSERT INTO actor (actor_id, first_name, last_name) WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 200) SELECT i, 'First ' || i, 'Last ' || i FROM s;
INSERT INTO film (film_id, title, description, release_year, language_id, rating)
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000) SELECT i, 'Title ' || i, 'Drama of a shark ' || i, 1990 + i % 30, 1 + i % 6, 1 + i % 5 FROM s;
INSERT INTO film_category (film_id, category_id) SELECT film_id, 1 + film_id % 16 FROM film;
INSERT INTO film_actor (actor_id, film_id) SELECT actor_id, film_id FROM film JOIN actor ON (film_id * 7 + actor_id * 13) % 40 = 0;
