-- The statements that the engine sends, each under the first question that
-- sends it. The test of the dialect writes this file with -update.

-- KEY: one integer

-- read all rows, statement 1
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
ORDER BY x."id" LIMIT $1;
-- 3

-- read all rows, statement 2
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > $1
ORDER BY x."id" LIMIT $2;
-- "2", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL LIMIT $1;
-- 1

-- read a range of rows, statement 1
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < $1 AND x."id" >= $2
ORDER BY x."id" LIMIT $3;
-- 4, 1, 3

-- read a range of rows, statement 2
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < $1 AND x."id" > $2
ORDER BY x."id" LIMIT $3;
-- 4, "2", 3

-- read one row by key, statement 1
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" = ANY ($1)
ORDER BY x."id";
-- [2]

-- read the stamps of a window, statement 1
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2
ORDER BY x."u", x."id" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."u" >= $1 AND x."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window, statement 3
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."id") > ($1, $2) AND x."u" < $3 AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $4;
-- "2024-05-06 12:00:02+00", "2", "2024-05-06 12:00:09.000000+00", 3

-- read all stamps, statement 1
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
ORDER BY x."id" LIMIT $1;
-- 3

-- read all stamps, statement 2
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > $1
ORDER BY x."id" LIMIT $2;
-- "2", 3

-- read the stamps of a range, statement 1
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < $1 AND x."id" >= $2
ORDER BY x."id" LIMIT $3;
-- 4, 1, 3

-- read the stamps of a range, statement 2
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < $1 AND x."id" > $2
ORDER BY x."id" LIMIT $3;
-- 4, "2", 3

-- read the stamp of one key, statement 1
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" = ANY ($1);
-- [2]

-- find the ranges of a load, statement 1
SELECT k0
FROM (SELECT x."id" AS k0, row_number() OVER (ORDER BY x."id") - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL) numbered
WHERE n > 0 AND n % $1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- read some keys, statement 1
SELECT x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL LIMIT $1;
-- 3

-- look for a key of several rows, statement 1
SELECT x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
GROUP BY x."id" HAVING count(*) > 1 LIMIT $1;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT $1) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 LIMIT $3) few;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x."u")
FROM (SELECT * FROM doc
) x) = (SELECT max(x."u")
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x."id", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE x."id" = ANY ($1);
-- [1, 2]

-- read the stamps of a window with a child, statement 2
SELECT x."id", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE x."id" = ANY ($1)
GROUP BY x."id";
-- [1, 2]

-- read the stamps of a window with a child, statement 6
SELECT x."id", x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a child, statement 9
SELECT x."id", x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u", x."id") > ($1, $2) AND x."u" < $3 AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $4;
-- "2024-05-06 12:00:01+00", "2", "2024-05-06 12:00:09.000000+00", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x."id", x."u"
FROM (SELECT id, u FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the rows that left in a window with changes, statement 2
SELECT x."id", x."u"
FROM (SELECT id, u FROM doc
) x
WHERE (x."u", x."id") > ($1, $2) AND x."u" < $3 AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $4;
-- "2024-05-06 12:00:02+00", "2", "2024-05-06 12:00:09.000000+00", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1) OR EXISTS (SELECT 1
FROM (SELECT id, u FROM doc
) x
WHERE x."u" >= $2);
-- "2024-05-06 12:00:02.000000+00", "2024-05-06 12:00:02.000000+00"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0
ORDER BY x."id" LIMIT $3;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > $1 AND (CASE WHEN x."v" IN ($2, $3) THEN 1 ELSE 0 END) = 0
ORDER BY x."id" LIMIT $4;
-- "2", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0 LIMIT $3;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x."id", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."id" = ANY ($1) AND (CASE WHEN x."v" IN ($2, $3) THEN 1 ELSE 0 END) = 0
ORDER BY x."id";
-- [3, 4], 1, 2

-- read rows by key marked by a column, statement 2
SELECT x."id"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND x."id" = ANY ($3);
-- 1, 2, [3, 4]

-- read the stamps of a window marked by a column, statement 1
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."id" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0 LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x."id", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."id") > ($1, $2) AND x."u" < $3 AND x."id" IS NOT NULL AND (CASE WHEN x."v" IN ($4, $5) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."id" LIMIT $6;
-- "2024-05-06 12:00:02+00", "2", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x."id", x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."v" IN ($3, $4) AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d."id"
FROM (SELECT * FROM gone
) d
WHERE d."id" = ANY ($1);
-- [1, 2]

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."id" = x."id");

-- describe a table with updateTimes of numbers, statement 1
SELECT x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= $1 AND x."n" < $2 OR x."n" >= $3 AND x."n" < $4 OR x."n" >= $5 AND x."n" < $6 OR x."n" >= $7 AND x."n" < $8) LIMIT $9;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x."id", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."n" >= $1 AND x."n" < $2
ORDER BY x."n", x."id" LIMIT $3;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."n" >= $1 AND x."n" < $2 LIMIT $3;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x."id", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."n", x."id") > ($1, $2) AND x."n" < $3 AND x."id" IS NOT NULL
ORDER BY x."n", x."id" LIMIT $4;
-- "1714996800", "2", 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < $1 OR x."n" >= $2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1."id", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL
ORDER BY x1."id" LIMIT $1;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1."id"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL
ORDER BY x1."id" LIMIT $1;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1."id", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1)
ORDER BY x1."id";
-- [1, 2]

-- read all rows with a row that fails, statement 5
SELECT x1."id", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL AND x1."id" > $1
ORDER BY x1."id" LIMIT $2;
-- "2", 3

-- read all rows with a row that fails, statement 6
SELECT x1."id"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL AND x1."id" > $1
ORDER BY x1."id" LIMIT $2;
-- "2", 2

-- read all rows with a row that fails, statement 8
SELECT x1."id", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1);
-- [<nil>]

-- read all rows with a row that fails, statement 11
SELECT x1."id"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1);
-- [3]

-- read all rows with a row that fails, statement 13
SELECT x1."id", x1."title"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1);
-- [3]

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NULL LIMIT $1;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1."id", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."id" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1."id", x1."u"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."id" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1."id", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1);
-- [1, 2]

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" IS NULL AND x1."u" >= $1 AND x1."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1."id", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."u", x1."id") > ($1, $2) AND x1."u" < $3 AND x1."id" IS NOT NULL
ORDER BY x1."u", x1."id" LIMIT $4;
-- "2024-05-06 12:00:02+00", "2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1."id", x1."u"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."u", x1."id") > ($1, $2) AND x1."u" < $3 AND x1."id" IS NOT NULL
ORDER BY x1."u", x1."id" LIMIT $4;
-- "2024-05-06 12:00:02+00", "2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 15
SELECT x1."id", x1."u"
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."id" = ANY ($1);
-- [3]

-- KEY: one text

-- read all rows, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $1;
-- 3

-- read all rows, statement 2
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= $1 AND (x."name" <> $2 OR x."name"::text COLLATE "C" > $3))
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $4;
-- "k2", "k2", "k2", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL LIMIT $1;
-- 1

-- read a range of rows, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < $1 AND x."name" >= $2
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $3;
-- "k4", "k1", 3

-- read a range of rows, statement 2
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < $1 AND (x."name" >= $2 AND (x."name" <> $3 OR x."name"::text COLLATE "C" > $4))
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $5;
-- "k4", "k2", "k2", "k2", 3

-- read one row by key, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."name" = ANY ($1) AND x."name"::text COLLATE "C" = $2)
ORDER BY x."name", x."name"::text COLLATE "C";
-- ["k2"], "k2"

-- read rows by key, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" = ANY ($1)
ORDER BY x."name", x."name"::text COLLATE "C";
-- ["k3", "k4"]

-- read the stamps of a window, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."u" >= $1 AND x."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window, statement 3
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."name") >= ($1, $2) AND (x."u" <> $3 OR x."name" <> $4 OR x."name"::text COLLATE "C" > $5)) AND x."u" < $6 AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $7;
-- "2024-05-06 12:00:02+00", "k2", "2024-05-06 12:00:02+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read all stamps, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $1;
-- 3

-- read all stamps, statement 2
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= $1 AND (x."name" <> $2 OR x."name"::text COLLATE "C" > $3))
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $4;
-- "k2", "k2", "k2", 3

-- read the stamps of a range, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < $1 AND x."name" >= $2
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $3;
-- "k4", "k1", 3

-- read the stamps of a range, statement 2
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < $1 AND (x."name" >= $2 AND (x."name" <> $3 OR x."name"::text COLLATE "C" > $4))
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $5;
-- "k4", "k2", "k2", "k2", 3

-- read the stamp of one key, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."name" = ANY ($1) AND x."name"::text COLLATE "C" = $2);
-- ["k2"], "k2"

-- read stamps by key, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" = ANY ($1);
-- ["k3", "k4"]

-- find the ranges of a load, statement 1
SELECT k0
FROM (SELECT x."name" AS k0, row_number() OVER (ORDER BY x."name") - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL) numbered
WHERE n > 0 AND n % $1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (current_setting('server_encoding') = 'SQL_ASCII' AND x."name"::text COLLATE "C" ~ '[^\x01-\x7f]');

-- look for rows without a key in a window, statement 2
SELECT x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (current_setting('server_encoding') = 'SQL_ASCII' AND x."name"::text COLLATE "C" ~ '[^\x01-\x7f]') AND x."u" >= $1 AND x."u" < $2;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00"

-- read some keys, statement 1
SELECT x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL LIMIT $1;
-- 3

-- look for a key of several rows, statement 1
SELECT x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
GROUP BY x."name", x."name"::text COLLATE "C" HAVING count(*) > 1 LIMIT $1;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT $1) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 LIMIT $3) few;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x."u")
FROM (SELECT * FROM doc
) x) = (SELECT max(x."u")
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x."name", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE x."name" = ANY ($1);
-- ["k1", "k2"]

-- read the stamps of a window with a child, statement 2
SELECT x."name"::text COLLATE "C", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE x."name" = ANY ($1)
GROUP BY x."name"::text COLLATE "C";
-- ["k1", "k2"]

-- read the stamps of a window with a child, statement 6
SELECT x."name", x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a child, statement 9
SELECT x."name", x."u"
FROM (SELECT * FROM part
) x
WHERE ((x."u", x."name") >= ($1, $2) AND (x."u" <> $3 OR x."name" <> $4 OR x."name"::text COLLATE "C" > $5)) AND x."u" < $6 AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $7;
-- "2024-05-06 12:00:01+00", "k2", "2024-05-06 12:00:01+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x."name", x."u"
FROM (SELECT name, u FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the rows that left in a window with changes, statement 2
SELECT x."name", x."u"
FROM (SELECT name, u FROM doc
) x
WHERE ((x."u", x."name") >= ($1, $2) AND (x."u" <> $3 OR x."name" <> $4 OR x."name"::text COLLATE "C" > $5)) AND x."u" < $6 AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $7;
-- "2024-05-06 12:00:02+00", "k2", "2024-05-06 12:00:02+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1) OR EXISTS (SELECT 1
FROM (SELECT name, u FROM doc
) x
WHERE x."u" >= $2);
-- "2024-05-06 12:00:02.000000+00", "2024-05-06 12:00:02.000000+00"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $3;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= $1 AND (x."name" <> $2 OR x."name"::text COLLATE "C" > $3)) AND (CASE WHEN x."v" IN ($4, $5) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name"::text COLLATE "C" LIMIT $6;
-- "k2", "k2", "k2", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0 LIMIT $3;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x."name", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."name" = ANY ($1) AND (CASE WHEN x."v" IN ($2, $3) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name"::text COLLATE "C";
-- ["k3", "k4"], 1, 2

-- read rows by key marked by a column, statement 2
SELECT x."name"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND x."name" = ANY ($3);
-- 1, 2, ["k3", "k4"]

-- read the stamps of a window marked by a column, statement 1
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0 LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x."name", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."name") >= ($1, $2) AND (x."u" <> $3 OR x."name" <> $4 OR x."name"::text COLLATE "C" > $5)) AND x."u" < $6 AND x."name" IS NOT NULL AND (CASE WHEN x."v" IN ($7, $8) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $9;
-- "2024-05-06 12:00:02+00", "k2", "2024-05-06 12:00:02+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x."name", x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."v" IN ($3, $4) AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name"::text COLLATE "C" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d."name"
FROM (SELECT * FROM gone
) d
WHERE d."name" = ANY ($1);
-- ["k1", "k2"]

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."name" = x."name" AND d."name"::text COLLATE "C" = x."name"::text COLLATE "C");

-- describe a table with updateTimes of numbers, statement 1
SELECT x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= $1 AND x."n" < $2 OR x."n" >= $3 AND x."n" < $4 OR x."n" >= $5 AND x."n" < $6 OR x."n" >= $7 AND x."n" < $8) LIMIT $9;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x."name", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."n" >= $1 AND x."n" < $2
ORDER BY x."n", x."name", x."name"::text COLLATE "C" LIMIT $3;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."n" >= $1 AND x."n" < $2 LIMIT $3;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x."name", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."n", x."name") >= ($1, $2) AND (x."n" <> $3 OR x."name" <> $4 OR x."name"::text COLLATE "C" > $5)) AND x."n" < $6 AND x."name" IS NOT NULL
ORDER BY x."n", x."name", x."name"::text COLLATE "C" LIMIT $7;
-- "1714996800", "k2", "1714996800", "k2", "k2", 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < $1 OR x."n" >= $2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1."name", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL
ORDER BY x1."name", x1."name"::text COLLATE "C" LIMIT $1;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1."name"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL
ORDER BY x1."name", x1."name"::text COLLATE "C" LIMIT $1;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1."name", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" = ANY ($1)
ORDER BY x1."name", x1."name"::text COLLATE "C";
-- ["k1", "k2"]

-- read all rows with a row that fails, statement 5
SELECT x1."name", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL AND (x1."name" >= $1 AND (x1."name" <> $2 OR x1."name"::text COLLATE "C" > $3))
ORDER BY x1."name", x1."name"::text COLLATE "C" LIMIT $4;
-- "k2", "k2", "k2", 3

-- read all rows with a row that fails, statement 6
SELECT x1."name"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL AND (x1."name" >= $1 AND (x1."name" <> $2 OR x1."name"::text COLLATE "C" > $3))
ORDER BY x1."name", x1."name"::text COLLATE "C" LIMIT $4;
-- "k2", "k2", "k2", 2

-- read all rows with a row that fails, statement 8
SELECT x1."name", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" = ANY ($1);
-- [<nil>]

-- read all rows with a row that fails, statement 10
SELECT x1."name", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."name" = ANY ($1) AND x1."name"::text COLLATE "C" = $2)
ORDER BY x1."name", x1."name"::text COLLATE "C";
-- ["k3"], "k3"

-- read all rows with a row that fails, statement 11
SELECT x1."name"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."name" = ANY ($1) AND x1."name"::text COLLATE "C" = $2);
-- ["k3"], "k3"

-- read all rows with a row that fails, statement 13
SELECT x1."name", x1."title"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."name" = ANY ($1) AND x1."name"::text COLLATE "C" = $2);
-- ["k3"], "k3"

-- read all rows with a row that fails, statement 15
SELECT x."name", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE (x."name" = ANY ($1) AND x."name"::text COLLATE "C" = $2);
-- ["k4"], "k4"

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NULL LIMIT $1;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1."name", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."name", x1."name"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1."name", x1."u"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."name", x1."name"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1."name", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" = ANY ($1);
-- ["k1", "k2"]

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."name" IS NULL AND x1."u" >= $1 AND x1."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1."name", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."u", x1."name") >= ($1, $2) AND (x1."u" <> $3 OR x1."name" <> $4 OR x1."name"::text COLLATE "C" > $5)) AND x1."u" < $6 AND x1."name" IS NOT NULL
ORDER BY x1."u", x1."name", x1."name"::text COLLATE "C" LIMIT $7;
-- "2024-05-06 12:00:02+00", "k2", "2024-05-06 12:00:02+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1."name", x1."u"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."u", x1."name") >= ($1, $2) AND (x1."u" <> $3 OR x1."name" <> $4 OR x1."name"::text COLLATE "C" > $5)) AND x1."u" < $6 AND x1."name" IS NOT NULL
ORDER BY x1."u", x1."name", x1."name"::text COLLATE "C" LIMIT $7;
-- "2024-05-06 12:00:02+00", "k2", "2024-05-06 12:00:02+00", "k2", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT x1."name", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."name" = ANY ($1) AND x1."name"::text COLLATE "C" = $2);
-- ["k3"], "k3"

-- read the stamps of a window with a row that fails, statement 15
SELECT x1."name", x1."u"
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."name" = ANY ($1) AND x1."name"::text COLLATE "C" = $2);
-- ["k3"], "k3"

-- read the stamps of a window with a row that fails, statement 17
SELECT x."name"::text COLLATE "C", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE (x."name" = ANY ($1) AND x."name"::text COLLATE "C" = $2)
GROUP BY x."name"::text COLLATE "C";
-- ["k4"], "k4"

-- KEY: three parts

-- read all rows, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $1;
-- 3

-- read all rows, statement 2
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= ($1, $2, $3) AND (x."a" <> $4 OR x."b" <> $5 OR x."c" <> $6 OR x."b"::text COLLATE "C" > $7))
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $8;
-- "1", "k2", "3", "1", "k2", "3", "k2", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) LIMIT $1;
-- 1

-- read a range of rows, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < ($1, $2, $3) AND (x."a", x."b", x."c") >= ($4, $5, $6)
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $7;
-- 1, "k4", 3, 1, "k1", 3, 3

-- read a range of rows, statement 2
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < ($1, $2, $3) AND ((x."a", x."b", x."c") >= ($4, $5, $6) AND (x."a" <> $7 OR x."b" <> $8 OR x."c" <> $9 OR x."b"::text COLLATE "C" > $10))
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- 1, "k4", 3, "1", "k2", "3", "1", "k2", "3", "k2", 3

-- read one row by key, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x."b"::text COLLATE "C" = $4)
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C";
-- [1], ["k2"], [3], "k2"

-- read rows by key, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3))
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C";
-- [1, 1], ["k3", "k4"], [3, 3]

-- read the stamps of a window, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."u" >= $1 AND x."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window, statement 3
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= ($1, $2, $3, $4) AND (x."u" <> $5 OR x."a" <> $6 OR x."b" <> $7 OR x."c" <> $8 OR x."b"::text COLLATE "C" > $9)) AND x."u" < $10 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- "2024-05-06 12:00:02+00", "1", "k2", "3", "2024-05-06 12:00:02+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read all stamps, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $1;
-- 3

-- read all stamps, statement 2
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= ($1, $2, $3) AND (x."a" <> $4 OR x."b" <> $5 OR x."c" <> $6 OR x."b"::text COLLATE "C" > $7))
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $8;
-- "1", "k2", "3", "1", "k2", "3", "k2", 3

-- read the stamps of a range, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < ($1, $2, $3) AND (x."a", x."b", x."c") >= ($4, $5, $6)
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $7;
-- 1, "k4", 3, 1, "k1", 3, 3

-- read the stamps of a range, statement 2
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < ($1, $2, $3) AND ((x."a", x."b", x."c") >= ($4, $5, $6) AND (x."a" <> $7 OR x."b" <> $8 OR x."c" <> $9 OR x."b"::text COLLATE "C" > $10))
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- 1, "k4", 3, "1", "k2", "3", "1", "k2", "3", "k2", 3

-- read the stamp of one key, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x."b"::text COLLATE "C" = $4);
-- [1], ["k2"], [3], "k2"

-- read stamps by key, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3));
-- [1, 1], ["k3", "k4"], [3, 3]

-- find the ranges of a load, statement 1
SELECT k0, k1, k2
FROM (SELECT x."a" AS k0, x."b" AS k1, x."c" AS k2, row_number() OVER (ORDER BY x."a", x."b", x."c") - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL) numbered
WHERE n > 0 AND n % $1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT x."a", x."b", x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (current_setting('server_encoding') = 'SQL_ASCII' AND x."b"::text COLLATE "C" ~ '[^\x01-\x7f]');

-- look for rows without a key in a window, statement 2
SELECT x."a", x."b", x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (current_setting('server_encoding') = 'SQL_ASCII' AND x."b"::text COLLATE "C" ~ '[^\x01-\x7f]') AND x."u" >= $1 AND x."u" < $2;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00"

-- read some keys, statement 1
SELECT x."a", x."b", x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL LIMIT $1;
-- 3

-- look for a key of several rows, statement 1
SELECT x."a", x."b", x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
GROUP BY x."a", x."b", x."c", x."b"::text COLLATE "C" HAVING count(*) > 1 LIMIT $1;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT $1) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 LIMIT $3) few;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x."u")
FROM (SELECT * FROM doc
) x) = (SELECT max(x."u")
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x."a", x."b", x."c", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE (x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3));
-- [1, 1], ["k1", "k2"], [3, 3]

-- read the stamps of a window with a child, statement 2
SELECT x."a", x."b"::text COLLATE "C", x."c", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE (x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3))
GROUP BY x."a", x."b"::text COLLATE "C", x."c";
-- [1, 1], ["k1", "k2"], [3, 3]

-- read the stamps of a window with a child, statement 6
SELECT x."a", x."b", x."c", x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a child, statement 9
SELECT x."a", x."b", x."c", x."u"
FROM (SELECT * FROM part
) x
WHERE ((x."u", x."a", x."b", x."c") >= ($1, $2, $3, $4) AND (x."u" <> $5 OR x."a" <> $6 OR x."b" <> $7 OR x."c" <> $8 OR x."b"::text COLLATE "C" > $9)) AND x."u" < $10 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- "2024-05-06 12:00:01+00", "1", "k2", "3", "2024-05-06 12:00:01+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x."a", x."b", x."c", x."u"
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the rows that left in a window with changes, statement 2
SELECT x."a", x."b", x."c", x."u"
FROM (SELECT a, b, c, u FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= ($1, $2, $3, $4) AND (x."u" <> $5 OR x."a" <> $6 OR x."b" <> $7 OR x."c" <> $8 OR x."b"::text COLLATE "C" > $9)) AND x."u" < $10 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- "2024-05-06 12:00:02+00", "1", "k2", "3", "2024-05-06 12:00:02+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1) OR EXISTS (SELECT 1
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x."u" >= $2);
-- "2024-05-06 12:00:02.000000+00", "2024-05-06 12:00:02.000000+00"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $3;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= ($1, $2, $3) AND (x."a" <> $4 OR x."b" <> $5 OR x."c" <> $6 OR x."b"::text COLLATE "C" > $7)) AND (CASE WHEN x."v" IN ($8, $9) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $10;
-- "1", "k2", "3", "1", "k2", "3", "k2", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0 LIMIT $3;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x."a", x."b", x."c", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3)) AND (CASE WHEN x."v" IN ($4, $5) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b"::text COLLATE "C";
-- [1, 1], ["k3", "k4"], [3, 3], 1, 2

-- read rows by key marked by a column, statement 2
SELECT x."a", x."b", x."c"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND (x."a", x."b", x."c") IN (SELECT * FROM unnest($3, $4, $5));
-- 1, 2, [1, 1], ["k3", "k4"], [3, 3]

-- read the stamps of a window marked by a column, statement 1
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0 LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x."a", x."b", x."c", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= ($1, $2, $3, $4) AND (x."u" <> $5 OR x."a" <> $6 OR x."b" <> $7 OR x."c" <> $8 OR x."b"::text COLLATE "C" > $9)) AND x."u" < $10 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (CASE WHEN x."v" IN ($11, $12) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $13;
-- "2024-05-06 12:00:02+00", "1", "k2", "3", "2024-05-06 12:00:02+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x."a", x."b", x."c", x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."v" IN ($3, $4) AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d."a", d."b", d."c"
FROM (SELECT * FROM gone
) d
WHERE (d."a", d."b", d."c") IN (SELECT * FROM unnest($1, $2, $3));
-- [1, 1], ["k1", "k2"], [3, 3]

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."a" = x."a" AND d."b" = x."b" AND d."b"::text COLLATE "C" = x."b"::text COLLATE "C" AND d."c" = x."c");

-- describe a table with updateTimes of numbers, statement 1
SELECT x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= $1 AND x."n" < $2 OR x."n" >= $3 AND x."n" < $4 OR x."n" >= $5 AND x."n" < $6 OR x."n" >= $7 AND x."n" < $8) LIMIT $9;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x."a", x."b", x."c", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."n" >= $1 AND x."n" < $2
ORDER BY x."n", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $3;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."n" >= $1 AND x."n" < $2 LIMIT $3;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x."a", x."b", x."c", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE ((x."n", x."a", x."b", x."c") >= ($1, $2, $3, $4) AND (x."n" <> $5 OR x."a" <> $6 OR x."b" <> $7 OR x."c" <> $8 OR x."b"::text COLLATE "C" > $9)) AND x."n" < $10 AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."n", x."a", x."b", x."c", x."b"::text COLLATE "C" LIMIT $11;
-- "1714996800", "1", "k2", "3", "1714996800", "1", "k2", "3", "k2", 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < $1 OR x."n" >= $2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1."a", x1."b", x1."c", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $1;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1."a", x1."b", x1."c"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $1;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1."a", x1."b", x1."c", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3))
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C";
-- [1, 1], ["k1", "k2"], [3, 3]

-- read all rows with a row that fails, statement 5
SELECT x1."a", x1."b", x1."c", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL AND ((x1."a", x1."b", x1."c") >= ($1, $2, $3) AND (x1."a" <> $4 OR x1."b" <> $5 OR x1."c" <> $6 OR x1."b"::text COLLATE "C" > $7))
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $8;
-- "1", "k2", "3", "1", "k2", "3", "k2", 3

-- read all rows with a row that fails, statement 6
SELECT x1."a", x1."b", x1."c"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL AND ((x1."a", x1."b", x1."c") >= ($1, $2, $3) AND (x1."a" <> $4 OR x1."b" <> $5 OR x1."c" <> $6 OR x1."b"::text COLLATE "C" > $7))
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $8;
-- "1", "k2", "3", "1", "k2", "3", "k2", 2

-- read all rows with a row that fails, statement 8
SELECT x1."a", x1."b", x1."c", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3));
-- [<nil>], [<nil>], [<nil>]

-- read all rows with a row that fails, statement 10
SELECT x1."a", x1."b", x1."c", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x1."b"::text COLLATE "C" = $4)
ORDER BY x1."a", x1."b", x1."c", x1."b"::text COLLATE "C";
-- [1], ["k3"], [3], "k3"

-- read all rows with a row that fails, statement 11
SELECT x1."a", x1."b", x1."c"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x1."b"::text COLLATE "C" = $4);
-- [1], ["k3"], [3], "k3"

-- read all rows with a row that fails, statement 13
SELECT x1."a", x1."b", x1."c", x1."title"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x1."b"::text COLLATE "C" = $4);
-- [1], ["k3"], [3], "k3"

-- read all rows with a row that fails, statement 15
SELECT x."a", x."b", x."c", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE ((x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x."b"::text COLLATE "C" = $4);
-- [1], ["k4"], [3], "k4"

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."a" IS NULL OR x1."b" IS NULL OR x1."c" IS NULL) LIMIT $1;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1."a", x1."b", x1."c", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1."a", x1."b", x1."c", x1."u"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1."a", x1."b", x1."c", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3));
-- [1, 1], ["k1", "k2"], [3, 3]

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."a" IS NULL OR x1."b" IS NULL OR x1."c" IS NULL) AND x1."u" >= $1 AND x1."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1."a", x1."b", x1."c", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."u", x1."a", x1."b", x1."c") >= ($1, $2, $3, $4) AND (x1."u" <> $5 OR x1."a" <> $6 OR x1."b" <> $7 OR x1."c" <> $8 OR x1."b"::text COLLATE "C" > $9)) AND x1."u" < $10 AND x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $11;
-- "2024-05-06 12:00:02+00", "1", "k2", "3", "2024-05-06 12:00:02+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1."a", x1."b", x1."c", x1."u"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."u", x1."a", x1."b", x1."c") >= ($1, $2, $3, $4) AND (x1."u" <> $5 OR x1."a" <> $6 OR x1."b" <> $7 OR x1."c" <> $8 OR x1."b"::text COLLATE "C" > $9)) AND x1."u" < $10 AND x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b"::text COLLATE "C" LIMIT $11;
-- "2024-05-06 12:00:02+00", "1", "k2", "3", "2024-05-06 12:00:02+00", "1", "k2", "3", "k2", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT x1."a", x1."b", x1."c", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x1."b"::text COLLATE "C" = $4);
-- [1], ["k3"], [3], "k3"

-- read the stamps of a window with a row that fails, statement 15
SELECT x1."a", x1."b", x1."c", x1."u"
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x1."b"::text COLLATE "C" = $4);
-- [1], ["k3"], [3], "k3"

-- read the stamps of a window with a row that fails, statement 17
SELECT x."a", x."b"::text COLLATE "C", x."c", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE ((x."a", x."b", x."c") IN (SELECT * FROM unnest($1, $2, $3)) AND x."b"::text COLLATE "C" = $4)
GROUP BY x."a", x."b"::text COLLATE "C", x."c";
-- [1], ["k4"], [3], "k4"

-- KEY: further types

-- read all rows, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $1;
-- 3

-- read all rows, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8)
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $9;
-- "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL OR x."k5" IS NULL OR x."k6" IS NULL OR x."k7" IS NULL OR x."k8" IS NULL) LIMIT $1;
-- 1

-- read a range of rows, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") < ($1, $2, $3, $4, $5, $6, $7, $8) AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") >= ($9, $10, $11, $12, $13, $14, $15, $16)
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $17;
-- false, -infinity, -infinity, 2026-02-15T01:02:03.000004, 7, -12345678901234567890123456789, 123456789012345678901234567890.5, 0.1, true, 0044-03-15 BC, 2026-02-15T01:02:03.000000Z, 1999-12-31T23:59:59.000000, -1.5, -12345678901234567890123456789, -1.5, -1.5, 3

-- read one row by key, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8))
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8";
-- [false], [12026-01-01], [0044-03-15T00:00:00.000000Z BC], [0044-03-15T00:00:00.000000 BC], [1.1], [7], [10], [1e+300]

-- read the stamps of a window, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL OR x."k5" IS NULL OR x."k6" IS NULL OR x."k7" IS NULL OR x."k8" IS NULL) AND x."u" >= $1 AND x."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window, statement 3
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x."u" < $10 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $11;
-- "2024-05-06 12:00:02+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 3

-- read all stamps, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $1;
-- 3

-- read all stamps, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8)
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $9;
-- "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", 3

-- read the stamps of a range, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") < ($1, $2, $3, $4, $5, $6, $7, $8) AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") >= ($9, $10, $11, $12, $13, $14, $15, $16)
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $17;
-- false, -infinity, -infinity, 2026-02-15T01:02:03.000004, 7, -12345678901234567890123456789, 123456789012345678901234567890.5, 0.1, true, 0044-03-15 BC, 2026-02-15T01:02:03.000000Z, 1999-12-31T23:59:59.000000, -1.5, -12345678901234567890123456789, -1.5, -1.5, 3

-- read the stamp of one key, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [false], [12026-01-01], [0044-03-15T00:00:00.000000Z BC], [0044-03-15T00:00:00.000000 BC], [1.1], [7], [10], [1e+300]

-- find the ranges of a load, statement 1
SELECT k0, k1, k2, k3, k4, k5, k6, k7
FROM (SELECT x."k1" AS k0, x."k2" AS k1, x."k3" AS k2, x."k4" AS k3, x."k5" AS k4, x."k6" AS k5, x."k7" AS k6, x."k8" AS k7, row_number() OVER (ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL) numbered
WHERE n > 0 AND n % $1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k5" = 'NaN');

-- look for rows without a key, statement 3
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k6" = 'NaN');

-- look for rows without a key, statement 4
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k7" = 'NaN');

-- look for rows without a key in a window, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k5" = 'NaN') AND x."u" >= $1 AND x."u" < $2;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00"

-- look for rows without a key in a window, statement 3
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k6" = 'NaN') AND x."u" >= $1 AND x."u" < $2;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00"

-- look for rows without a key in a window, statement 4
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k7" = 'NaN') AND x."u" >= $1 AND x."u" < $2;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00"

-- read some keys, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL LIMIT $1;
-- 3

-- look for a key of several rows, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
GROUP BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" HAVING count(*) > 1 LIMIT $1;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT $1) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 LIMIT $3) few;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x."u")
FROM (SELECT * FROM doc
) x) = (SELECT max(x."u")
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."word", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [false, false], [-infinity, 12026-01-01], [-infinity, 0044-03-15T00:00:00.000000Z BC], [2026-02-15T01:02:03.000004, 0044-03-15T00:00:00.000000 BC], [7, 1.1], [-12345678901234567890123456789, 7], [123456789012345678901234567890.5, 10], [0.1, 1e+300]

-- read the stamps of a window with a child, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", count(*), sum(hashtextextended(concat_ws('|', (x.*)::text), 0)), max(x."u")
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8))
GROUP BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8";
-- [true, false], [0044-03-15 BC, 12026-01-01], [2026-02-15T01:02:03.000000Z, 0044-03-15T00:00:00.000000Z BC], [1999-12-31T23:59:59.000000, 0044-03-15T00:00:00.000000 BC], [-1.5, 1.1], [-12345678901234567890123456789, 7], [-1.5, 10], [-1.5, 1e+300]

-- read the stamps of a window with a child, statement 6
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a child, statement 9
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x."u" < $10 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $11;
-- "2024-05-06 12:00:01+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < $1 OR x."u" >= $2);
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the rows that left in a window with changes, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x."u" < $10 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $11;
-- "2024-05-06 12:00:02+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1) OR EXISTS (SELECT 1
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u FROM doc
) x
WHERE x."u" >= $2);
-- "2024-05-06 12:00:02.000000+00", "2024-05-06 12:00:02.000000+00"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $3;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8) AND (CASE WHEN x."v" IN ($9, $10) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $11;
-- "t", "0044-03-15 BC", "2026-02-15 01:02:03+00", "1999-12-31 23:59:59", "-1.5", "-12345678901234567890123456789", "-1.5000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "-1.5", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL OR x."k5" IS NULL OR x."k6" IS NULL OR x."k7" IS NULL OR x."k8" IS NULL) AND (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0 LIMIT $3;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", x."n", x."v", x."title", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)) AND (CASE WHEN x."v" IN ($9, $10) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8";
-- [true, false], [infinity, -infinity], [infinity, -infinity], [infinity, 2026-02-15T01:02:03.000004], [123456789012345678901234567890, 7], [0, -12345678901234567890123456789], [9.0000000001, 123456789012345678901234567890.5], [5e-324, 0.1], 1, 2

-- read rows by key marked by a column, statement 2
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN ($1, $2) AND (x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") IN (SELECT * FROM unnest($3, $4, $5, $6, $7, $8, $9, $10));
-- 1, 2, [true, false], [infinity, -infinity], [infinity, -infinity], [infinity, 2026-02-15T01:02:03.000004], [123456789012345678901234567890, 7], [0, -12345678901234567890123456789], [9.0000000001, 123456789012345678901234567890.5], [5e-324, 0.1]

-- read the stamps of a window marked by a column, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL OR x."k5" IS NULL OR x."k6" IS NULL OR x."k7" IS NULL OR x."k8" IS NULL) AND x."u" >= $1 AND x."u" < $2 AND (CASE WHEN x."v" IN ($3, $4) THEN 1 ELSE 0 END) = 0 LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x."u" < $10 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL AND (CASE WHEN x."v" IN ($11, $12) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $13;
-- "2024-05-06 12:00:02+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= $1 AND x."u" < $2 AND x."v" IN ($3, $4) AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $5;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN ($1, $2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d."k1", d."k2", d."k3", d."k4", d."k5", d."k6", d."k7", d."k8"
FROM (SELECT * FROM gone
) d
WHERE (d."k1", d."k2", d."k3", d."k4", d."k5", d."k6", d."k7", d."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [false, false], [-infinity, 12026-01-01], [-infinity, 0044-03-15T00:00:00.000000Z BC], [2026-02-15T01:02:03.000004, 0044-03-15T00:00:00.000000 BC], [7, 1.1], [-12345678901234567890123456789, 7], [123456789012345678901234567890.5, 10], [0.1, 1e+300]

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."k1" = x."k1" AND d."k2" = x."k2" AND d."k3" = x."k3" AND d."k4" = x."k4" AND d."k5" = x."k5" AND d."k6" = x."k6" AND d."k7" = x."k7" AND d."k8" = x."k8");

-- describe a table with updateTimes of numbers, statement 1
SELECT x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= $1 AND x."n" < $2 OR x."n" >= $3 AND x."n" < $4 OR x."n" >= $5 AND x."n" < $6 OR x."n" >= $7 AND x."n" < $8) LIMIT $9;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE x."n" >= $1 AND x."n" < $2
ORDER BY x."n", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $3;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL OR x."k5" IS NULL OR x."k6" IS NULL OR x."k7" IS NULL OR x."k8" IS NULL) AND x."n" >= $1 AND x."n" < $2 LIMIT $3;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8", x."n", hashtextextended(concat_ws('|', (x.*)::text), 0)
FROM (SELECT * FROM doc
) x
WHERE (x."n", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x."n" < $10 AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND x."k5" IS NOT NULL AND x."k6" IS NOT NULL AND x."k7" IS NOT NULL AND x."k8" IS NOT NULL
ORDER BY x."n", x."k1", x."k2", x."k3", x."k4", x."k5", x."k6", x."k7", x."k8" LIMIT $11;
-- "1714996800", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < $1 OR x."n" >= $2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $1;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $1;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8))
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8";
-- [false, false], [-infinity, 12026-01-01], [-infinity, 0044-03-15T00:00:00.000000Z BC], [2026-02-15T01:02:03.000004, 0044-03-15T00:00:00.000000 BC], [7, 1.1], [-12345678901234567890123456789, 7], [123456789012345678901234567890.5, 10], [0.1, 1e+300]

-- read all rows with a row that fails, statement 5
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL AND (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") > ($1, $2, $3, $4, $5, $6, $7, $8)
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $9;
-- "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", 3

-- read all rows with a row that fails, statement 6
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL AND (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") > ($1, $2, $3, $4, $5, $6, $7, $8)
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $9;
-- "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", 2

-- read all rows with a row that fails, statement 8
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", x1."title", x1."x", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [<nil>], [<nil>], [<nil>], [<nil>], [<nil>], [<nil>], [<nil>], [<nil>]

-- read all rows with a row that fails, statement 13
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [true], [infinity], [infinity], [infinity], [123456789012345678901234567890], [0], [9.0000000001], [5e-324]

-- read all rows with a row that fails, statement 15
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."title"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [true], [infinity], [infinity], [infinity], [123456789012345678901234567890], [0], [9.0000000001], [5e-324]

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1" IS NULL OR x1."k2" IS NULL OR x1."k3" IS NULL OR x1."k4" IS NULL OR x1."k5" IS NULL OR x1."k6" IS NULL OR x1."k7" IS NULL OR x1."k8" IS NULL) LIMIT $1;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE x1."u" >= $1 AND x1."u" < $2
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [true, false], [0044-03-15 BC, 12026-01-01], [2026-02-15T01:02:03.000000Z, 0044-03-15T00:00:00.000000Z BC], [1999-12-31T23:59:59.000000, 0044-03-15T00:00:00.000000 BC], [-1.5, 1.1], [-12345678901234567890123456789, 7], [-1.5, 10], [-1.5, 1e+300]

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1" IS NULL OR x1."k2" IS NULL OR x1."k3" IS NULL OR x1."k4" IS NULL OR x1."k5" IS NULL OR x1."k6" IS NULL OR x1."k7" IS NULL OR x1."k8" IS NULL) AND x1."u" >= $1 AND x1."u" < $2 LIMIT $3;
-- "2024-05-06 12:00:00.000000+00", "2024-05-06 12:00:09.000000+00", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u", hashtextextended(concat_ws('|', (x1.*)::text), 0)
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x1."u" < $10 AND x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $11;
-- "2024-05-06 12:00:02+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") > ($1, $2, $3, $4, $5, $6, $7, $8, $9) AND x1."u" < $10 AND x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND x1."k5" IS NOT NULL AND x1."k6" IS NOT NULL AND x1."k7" IS NOT NULL AND x1."k8" IS NOT NULL
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8" LIMIT $11;
-- "2024-05-06 12:00:02+00", "f", "12026-01-01", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC", "1.1", "7", "10.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "1e+300", "2024-05-06 12:00:09.000000+00", 3

-- read the stamps of a window with a row that fails, statement 15
SELECT x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8", x1."u"
FROM (SELECT k1, k2, k3, k4, k5, k6, k7, k8, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4", x1."k5", x1."k6", x1."k7", x1."k8") IN (SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8));
-- [true], [infinity], [infinity], [infinity], [123456789012345678901234567890], [0], [9.0000000001], [5e-324]
