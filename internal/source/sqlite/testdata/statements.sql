-- The statements that the engine sends, each under the first question that
-- sends it. The test of the dialect writes this file with -update.

-- KEY: one integer

-- describe a table, statement 1
SELECT +x."u"
FROM (SELECT * FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
ORDER BY x."id" LIMIT ?;
-- 3

-- read all rows, statement 2
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > +?
ORDER BY x."id" LIMIT ?;
-- 2, 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL LIMIT ?;
-- 1

-- read a range of rows, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < +? AND x."id" >= +?
ORDER BY x."id" LIMIT ?;
-- 4, 1, 3

-- read a range of rows, statement 2
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < +? AND x."id" > +?
ORDER BY x."id" LIMIT ?;
-- 4, 2, 3

-- read one row by key, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IN (+?)
ORDER BY x."id";
-- 2

-- read rows by key, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IN (+?, +?)
ORDER BY x."id";
-- 3, 4

-- read the stamps of a window, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +?
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."u" >= +? AND x."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window, statement 3
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."id") > (+?, +?) AND x."u" < +? AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 2, "2024-05-06 12:00:09", 3

-- read all stamps, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
ORDER BY x."id" LIMIT ?;
-- 3

-- read all stamps, statement 2
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > +?
ORDER BY x."id" LIMIT ?;
-- 2, 3

-- read the stamps of a range, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < +? AND x."id" >= +?
ORDER BY x."id" LIMIT ?;
-- 4, 1, 3

-- read the stamps of a range, statement 2
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" < +? AND x."id" > +?
ORDER BY x."id" LIMIT ?;
-- 4, 2, 3

-- read the stamp of one key, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IN (+?);
-- 2

-- read stamps by key, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."id" IN (+?, +?);
-- 3, 4

-- find the ranges of a load, statement 1
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
ORDER BY x."id";

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND typeof(x."id") NOT IN ('integer');

-- look for rows without a key in a window, statement 2
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND typeof(x."id") NOT IN ('integer') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- read some keys, statement 1
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL LIMIT ?;
-- 3

-- look for a key of several rows, statement 1
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL
GROUP BY x."id" HAVING count(*) > 1 LIMIT ?;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT ?) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? LIMIT ?) few;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 10

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
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with a child, statement 2
SELECT +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a child, statement 2
SELECT +x."id", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE x."id" IN (+?, +?);
-- 1, 2

-- read the stamps of a window with a child, statement 2
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE x."id" IN (+?, +?);
-- 1, 2

-- read the stamps of a window with a child, statement 6
SELECT +x."id", +x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= +? AND x."u" < +? AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a child, statement 9
SELECT +x."id", +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u", x."id") > (+?, +?) AND x."u" < +? AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00:01.000000", 2, "2024-05-06 12:00:09", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with changes, statement 2
SELECT +x."u"
FROM (SELECT id, u FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read the rows that left in a window with changes, statement 1
SELECT +x."id", +x."u"
FROM (SELECT id, u FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the rows that left in a window with changes, statement 2
SELECT +x."id", +x."u"
FROM (SELECT id, u FROM doc
) x
WHERE (x."u", x."id") > (+?, +?) AND x."u" < +? AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 2, "2024-05-06 12:00:09", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +?) OR EXISTS (SELECT 1
FROM (SELECT id, u FROM doc
) x
WHERE x."u" >= +?);
-- "2024-05-06 12:00:02", "2024-05-06 12:00:02"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."id" LIMIT ?;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NOT NULL AND x."id" > +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."id" LIMIT ?;
-- 2, 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT +x."id", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."id" IN (+?, +?) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."id";
-- 3, 4, 1, 2

-- read rows by key marked by a column, statement 2
SELECT +x."id"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND x."id" IN (+?, +?);
-- 1, 2, 3, 4

-- read the stamps of a window marked by a column, statement 1
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."id") > (+?, +?) AND x."u" < +? AND x."id" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 2, "2024-05-06 12:00:09", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT +x."id", +x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."v" IN (+?, +?) AND x."id" IS NOT NULL
ORDER BY x."u", x."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT +d."id"
FROM (SELECT * FROM gone
) d
WHERE d."id" IN (+?, +?);
-- 1, 2

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."id" = x."id");

-- describe a table with updateTimes of numbers, statement 1
SELECT +x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ?) LIMIT ?;
-- 13 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT +x."id", +x."n", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."n" >= +? AND x."n" < +?
ORDER BY x."n", x."id" LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."id" IS NULL AND x."n" >= +? AND x."n" < +? LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT +x."id", +x."n", indexerd_token(x."id", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."n", x."id") > (+?, +?) AND x."n" < +? AND x."id" IS NOT NULL
ORDER BY x."n", x."id" LIMIT ?;
-- 1714996800, 2, 1.7149968089999995e+09, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < +? OR x."n" >= +?);
-- 2 parameters

-- describe a table with a row that fails, statement 1
SELECT +x1."u"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a row that fails, statement 1
SELECT +x1."id", +x1."u", +x1."title", +x1."x"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL
ORDER BY x1."id" LIMIT ?;
-- 3

-- read all rows with a row that fails, statement 2
SELECT +x1."id"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL
ORDER BY x1."id" LIMIT ?;
-- 2

-- read all rows with a row that fails, statement 3
SELECT +x1."id", +x1."u", +x1."title", +x1."x"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?, +?)
ORDER BY x1."id";
-- 1, 2

-- read all rows with a row that fails, statement 5
SELECT +x1."id", +x1."u", +x1."title", +x1."x"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL AND x1."id" > +?
ORDER BY x1."id" LIMIT ?;
-- 2, 3

-- read all rows with a row that fails, statement 6
SELECT +x1."id"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NOT NULL AND x1."id" > +?
ORDER BY x1."id" LIMIT ?;
-- 2, 2

-- read all rows with a row that fails, statement 8
SELECT +x1."id", +x1."u", +x1."title", +x1."x"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?);
-- <nil>

-- read all rows with a row that fails, statement 9
SELECT +x."id", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE x."id" IN (+?);
-- <nil>

-- read all rows with a row that fails, statement 10
SELECT +x1."id", +x1."u", +x1."title", +x1."x"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?)
ORDER BY x1."id";
-- 3

-- read all rows with a row that fails, statement 11
SELECT +x1."id"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?);
-- 3

-- read all rows with a row that fails, statement 13
SELECT +x1."id", +x1."title"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?);
-- 3

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NULL LIMIT ?;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT +x1."id", +x1."u", indexerd_token(x1."id", x1."u", x1."title", x1."x")
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT +x1."id", +x1."u"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."id" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT +x1."id", +x1."u", indexerd_token(x1."id", x1."u", x1."title", x1."x")
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?, +?);
-- 1, 2

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IS NULL AND x1."u" >= +? AND x1."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT +x1."id", +x1."u", indexerd_token(x1."id", x1."u", x1."title", x1."x")
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u", x1."id") > (+?, +?) AND x1."u" < +? AND x1."id" IS NOT NULL
ORDER BY x1."u", x1."id" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 2, "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT +x1."id", +x1."u"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u", x1."id") > (+?, +?) AND x1."u" < +? AND x1."id" IS NOT NULL
ORDER BY x1."u", x1."id" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 2, "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT +x1."id", +x1."u", indexerd_token(x1."id", x1."u", x1."title", x1."x")
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?);
-- 3

-- read the stamps of a window with a row that fails, statement 15
SELECT +x1."id", +x1."u"
FROM (SELECT id, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."id" IN (+?);
-- 3

-- read the stamps of a window with a row that fails, statement 17
SELECT +x."id", +x."u", indexerd_token(x."id", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE x."id" IN (+?);
-- 4

-- KEY: one text

-- describe a table, statement 1
SELECT +x."u"
FROM (SELECT * FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- 3

-- read all rows, statement 2
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= +? AND (x."name" <> +? OR x."name" COLLATE BINARY > ?))
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k2", "k2", "k2", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL LIMIT ?;
-- 1

-- read a range of rows, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < +? AND x."name" >= +?
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k4", "k1", 3

-- read a range of rows, statement 2
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < +? AND (x."name" >= +? AND (x."name" <> +? OR x."name" COLLATE BINARY > ?))
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k4", "k2", "k2", "k2", 3

-- read one row by key, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."name" IN (+?) AND x."name" COLLATE BINARY = ?)
ORDER BY x."name", x."name" COLLATE BINARY;
-- "k2", "k2"

-- read rows by key, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IN (+?, +?)
ORDER BY x."name", x."name" COLLATE BINARY;
-- "k3", "k4"

-- read the stamps of a window, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +?
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."u" >= +? AND x."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window, statement 3
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."name") >= (+?, +?) AND (x."u" <> +? OR x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND x."u" < +? AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", "k2", "2024-05-06 12:00:02.000000", "k2", "k2", "2024-05-06 12:00:09", 3

-- read all stamps, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- 3

-- read all stamps, statement 2
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= +? AND (x."name" <> +? OR x."name" COLLATE BINARY > ?))
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k2", "k2", "k2", 3

-- read the stamps of a range, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < +? AND x."name" >= +?
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k4", "k1", 3

-- read the stamps of a range, statement 2
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND x."name" < +? AND (x."name" >= +? AND (x."name" <> +? OR x."name" COLLATE BINARY > ?))
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k4", "k2", "k2", "k2", 3

-- read the stamp of one key, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."name" IN (+?) AND x."name" COLLATE BINARY = ?);
-- "k2", "k2"

-- read stamps by key, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."name" IN (+?, +?);
-- "k3", "k4"

-- find the ranges of a load, statement 1
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
ORDER BY x."name", x."name" COLLATE BINARY;

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND 1 = 1;

-- look for rows without a key in a window, statement 2
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND 1 = 1 AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- read some keys, statement 1
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL LIMIT ?;
-- 3

-- look for a key of several rows, statement 1
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL
GROUP BY x."name", x."name" COLLATE BINARY HAVING count(*) > 1 LIMIT ?;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT ?) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? LIMIT ?) few;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 10

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
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with a child, statement 2
SELECT +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a child, statement 2
SELECT +x."name", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE x."name" IN (+?, +?);
-- "k1", "k2"

-- read the stamps of a window with a child, statement 2
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE x."name" IN (+?, +?);
-- "k1", "k2"

-- read the stamps of a window with a child, statement 6
SELECT +x."name", +x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= +? AND x."u" < +? AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a child, statement 9
SELECT +x."name", +x."u"
FROM (SELECT * FROM part
) x
WHERE ((x."u", x."name") >= (+?, +?) AND (x."u" <> +? OR x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND x."u" < +? AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:01.000000", "k2", "2024-05-06 12:00:01.000000", "k2", "k2", "2024-05-06 12:00:09", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with changes, statement 2
SELECT +x."u"
FROM (SELECT name, u FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read the rows that left in a window with changes, statement 1
SELECT +x."name", +x."u"
FROM (SELECT name, u FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the rows that left in a window with changes, statement 2
SELECT +x."name", +x."u"
FROM (SELECT name, u FROM doc
) x
WHERE ((x."u", x."name") >= (+?, +?) AND (x."u" <> +? OR x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND x."u" < +? AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", "k2", "2024-05-06 12:00:02.000000", "k2", "k2", "2024-05-06 12:00:09", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +?) OR EXISTS (SELECT 1
FROM (SELECT name, u FROM doc
) x
WHERE x."u" >= +?);
-- "2024-05-06 12:00:02", "2024-05-06 12:00:02"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NOT NULL AND (x."name" >= +? AND (x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name" COLLATE BINARY LIMIT ?;
-- "k2", "k2", "k2", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT +x."name", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."name" IN (+?, +?) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."name", x."name" COLLATE BINARY;
-- "k3", "k4", 1, 2

-- read rows by key marked by a column, statement 2
SELECT +x."name"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND x."name" IN (+?, +?);
-- 1, 2, "k3", "k4"

-- read the stamps of a window marked by a column, statement 1
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."name") >= (+?, +?) AND (x."u" <> +? OR x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND x."u" < +? AND x."name" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", "k2", "2024-05-06 12:00:02.000000", "k2", "k2", "2024-05-06 12:00:09", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT +x."name", +x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."v" IN (+?, +?) AND x."name" IS NOT NULL
ORDER BY x."u", x."name", x."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT +d."name"
FROM (SELECT * FROM gone
) d
WHERE d."name" IN (+?, +?);
-- "k1", "k2"

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."name" = x."name" AND d."name" COLLATE BINARY = x."name" COLLATE BINARY);

-- describe a table with updateTimes of numbers, statement 1
SELECT +x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ?) LIMIT ?;
-- 13 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT +x."name", +x."n", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."n" >= +? AND x."n" < +?
ORDER BY x."n", x."name", x."name" COLLATE BINARY LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."name" IS NULL AND x."n" >= +? AND x."n" < +? LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT +x."name", +x."n", indexerd_token(x."name", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."n", x."name") >= (+?, +?) AND (x."n" <> +? OR x."name" <> +? OR x."name" COLLATE BINARY > ?)) AND x."n" < +? AND x."name" IS NOT NULL
ORDER BY x."n", x."name", x."name" COLLATE BINARY LIMIT ?;
-- 1714996800, "k2", 1714996800, "k2", "k2", 1.7149968089999995e+09, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < +? OR x."n" >= +?);
-- 2 parameters

-- describe a table with a row that fails, statement 1
SELECT +x1."u"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a row that fails, statement 1
SELECT +x1."name", +x1."u", +x1."title", +x1."x"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL
ORDER BY x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- 3

-- read all rows with a row that fails, statement 2
SELECT +x1."name"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL
ORDER BY x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- 2

-- read all rows with a row that fails, statement 3
SELECT +x1."name", +x1."u", +x1."title", +x1."x"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IN (+?, +?)
ORDER BY x1."name", x1."name" COLLATE BINARY;
-- "k1", "k2"

-- read all rows with a row that fails, statement 5
SELECT +x1."name", +x1."u", +x1."title", +x1."x"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL AND (x1."name" >= +? AND (x1."name" <> +? OR x1."name" COLLATE BINARY > ?))
ORDER BY x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "k2", "k2", "k2", 3

-- read all rows with a row that fails, statement 6
SELECT +x1."name"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NOT NULL AND (x1."name" >= +? AND (x1."name" <> +? OR x1."name" COLLATE BINARY > ?))
ORDER BY x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "k2", "k2", "k2", 2

-- read all rows with a row that fails, statement 8
SELECT +x1."name", +x1."u", +x1."title", +x1."x"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IN (+?);
-- <nil>

-- read all rows with a row that fails, statement 9
SELECT +x."name", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE x."name" IN (+?);
-- <nil>

-- read all rows with a row that fails, statement 10
SELECT +x1."name", +x1."u", +x1."title", +x1."x"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."name" IN (+?) AND x1."name" COLLATE BINARY = ?)
ORDER BY x1."name", x1."name" COLLATE BINARY;
-- "k3", "k3"

-- read all rows with a row that fails, statement 11
SELECT +x1."name"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."name" IN (+?) AND x1."name" COLLATE BINARY = ?);
-- "k3", "k3"

-- read all rows with a row that fails, statement 13
SELECT +x1."name", +x1."title"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."name" IN (+?) AND x1."name" COLLATE BINARY = ?);
-- "k3", "k3"

-- read all rows with a row that fails, statement 15
SELECT +x."name", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE (x."name" IN (+?) AND x."name" COLLATE BINARY = ?);
-- "k4", "k4"

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NULL LIMIT ?;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT +x1."name", +x1."u", indexerd_token(x1."name", x1."u", x1."title", x1."x")
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT +x1."name", +x1."u"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT +x1."name", +x1."u", indexerd_token(x1."name", x1."u", x1."title", x1."x")
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IN (+?, +?);
-- "k1", "k2"

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."name" IS NULL AND x1."u" >= +? AND x1."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT +x1."name", +x1."u", indexerd_token(x1."name", x1."u", x1."title", x1."x")
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."u", x1."name") >= (+?, +?) AND (x1."u" <> +? OR x1."name" <> +? OR x1."name" COLLATE BINARY > ?)) AND x1."u" < +? AND x1."name" IS NOT NULL
ORDER BY x1."u", x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", "k2", "2024-05-06 12:00:02.000000", "k2", "k2", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT +x1."name", +x1."u"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."u", x1."name") >= (+?, +?) AND (x1."u" <> +? OR x1."name" <> +? OR x1."name" COLLATE BINARY > ?)) AND x1."u" < +? AND x1."name" IS NOT NULL
ORDER BY x1."u", x1."name", x1."name" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", "k2", "2024-05-06 12:00:02.000000", "k2", "k2", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT +x1."name", +x1."u", indexerd_token(x1."name", x1."u", x1."title", x1."x")
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."name" IN (+?) AND x1."name" COLLATE BINARY = ?);
-- "k3", "k3"

-- read the stamps of a window with a row that fails, statement 15
SELECT +x1."name", +x1."u"
FROM (SELECT name, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."name" IN (+?) AND x1."name" COLLATE BINARY = ?);
-- "k3", "k3"

-- read the stamps of a window with a row that fails, statement 17
SELECT +x."name", +x."u", indexerd_token(x."name", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE (x."name" IN (+?) AND x."name" COLLATE BINARY = ?);
-- "k4", "k4"

-- KEY: three parts

-- describe a table, statement 1
SELECT +x."u"
FROM (SELECT * FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 3

-- read all rows, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= (+?, +?, +?) AND (x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?))
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k2", 3, 1, "k2", 3, "k2", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) LIMIT ?;
-- 1

-- read a range of rows, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < (+?, +?, +?) AND (x."a", x."b", x."c") >= (+?, +?, +?)
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k4", 3, 1, "k1", 3, 3

-- read a range of rows, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < (+?, +?, +?) AND ((x."a", x."b", x."c") >= (+?, +?, +?) AND (x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?))
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k4", 3, 1, "k2", 3, 1, "k2", 3, "k2", 3

-- read one row by key, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE ((x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x."b" COLLATE BINARY = ?)
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY;
-- "[[1,\"k2\",3]]", "k2"

-- read rows by key, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY;
-- "[[1,\"k3\",3],[1,\"k4\",3]]"

-- read the stamps of a window, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +?
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."u" >= +? AND x."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window, statement 3
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= (+?, +?, +?, +?) AND (x."u" <> +? OR x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1, "k2", 3, "2024-05-06 12:00:02.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 3

-- read all stamps, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 3

-- read all stamps, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= (+?, +?, +?) AND (x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?))
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k2", 3, 1, "k2", 3, "k2", 3

-- read the stamps of a range, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < (+?, +?, +?) AND (x."a", x."b", x."c") >= (+?, +?, +?)
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k4", 3, 1, "k1", 3, 3

-- read the stamps of a range, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (x."a", x."b", x."c") < (+?, +?, +?) AND ((x."a", x."b", x."c") >= (+?, +?, +?) AND (x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?))
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k4", 3, 1, "k2", 3, 1, "k2", 3, "k2", 3

-- read the stamp of one key, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x."b" COLLATE BINARY = ?);
-- "[[1,\"k2\",3]]", "k2"

-- read stamps by key, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[1,\"k3\",3],[1,\"k4\",3]]"

-- find the ranges of a load, statement 1
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY;

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND typeof(x."a") NOT IN ('integer');

-- look for rows without a key, statement 3
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND 1 = 1;

-- look for rows without a key, statement 4
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND typeof(x."c") NOT IN ('integer');

-- look for rows without a key in a window, statement 2
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND typeof(x."a") NOT IN ('integer') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- look for rows without a key in a window, statement 3
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND 1 = 1 AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- look for rows without a key in a window, statement 4
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND typeof(x."c") NOT IN ('integer') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- read some keys, statement 1
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL LIMIT ?;
-- 3

-- look for a key of several rows, statement 1
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
GROUP BY x."a", x."b", x."c", x."b" COLLATE BINARY HAVING count(*) > 1 LIMIT ?;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT ?) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? LIMIT ?) few;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 10

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
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with a child, statement 2
SELECT +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a child, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[1,\"k1\",3],[1,\"k2\",3]]"

-- read the stamps of a window with a child, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[1,\"k1\",3],[1,\"k2\",3]]"

-- read the stamps of a window with a child, statement 6
SELECT +x."a", +x."b", +x."c", +x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= +? AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a child, statement 9
SELECT +x."a", +x."b", +x."c", +x."u"
FROM (SELECT * FROM part
) x
WHERE ((x."u", x."a", x."b", x."c") >= (+?, +?, +?, +?) AND (x."u" <> +? OR x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:01.000000", 1, "k2", 3, "2024-05-06 12:00:01.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with changes, statement 2
SELECT +x."u"
FROM (SELECT a, b, c, u FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read the rows that left in a window with changes, statement 1
SELECT +x."a", +x."b", +x."c", +x."u"
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the rows that left in a window with changes, statement 2
SELECT +x."a", +x."b", +x."c", +x."u"
FROM (SELECT a, b, c, u FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= (+?, +?, +?, +?) AND (x."u" <> +? OR x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1, "k2", 3, "2024-05-06 12:00:02.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +?) OR EXISTS (SELECT 1
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x."u" >= +?);
-- "2024-05-06 12:00:02", "2024-05-06 12:00:02"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND ((x."a", x."b", x."c") >= (+?, +?, +?) AND (x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1, "k2", 3, 1, "k2", 3, "k2", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."a", x."b", x."c", x."b" COLLATE BINARY;
-- "[[1,\"k3\",3],[1,\"k4\",3]]", 1, 2

-- read rows by key marked by a column, statement 2
SELECT +x."a", +x."b", +x."c"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND (x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- 1, 2, "[[1,\"k3\",3],[1,\"k4\",3]]"

-- read the stamps of a window marked by a column, statement 1
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."u", x."a", x."b", x."c") >= (+?, +?, +?, +?) AND (x."u" <> +? OR x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND x."u" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1, "k2", 3, "2024-05-06 12:00:02.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT +x."a", +x."b", +x."c", +x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."v" IN (+?, +?) AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."u", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT +d."a", +d."b", +d."c"
FROM (SELECT * FROM gone
) d
WHERE (d."a", d."b", d."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[1,\"k1\",3],[1,\"k2\",3]]"

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."a" = x."a" AND d."b" = x."b" AND d."b" COLLATE BINARY = x."b" COLLATE BINARY AND d."c" = x."c");

-- describe a table with updateTimes of numbers, statement 1
SELECT +x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ?) LIMIT ?;
-- 13 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT +x."a", +x."b", +x."c", +x."n", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."n" >= +? AND x."n" < +?
ORDER BY x."n", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."a" IS NULL OR x."b" IS NULL OR x."c" IS NULL) AND x."n" >= +? AND x."n" < +? LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT +x."a", +x."b", +x."c", +x."n", indexerd_token(x."a", x."b", x."c", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE ((x."n", x."a", x."b", x."c") >= (+?, +?, +?, +?) AND (x."n" <> +? OR x."a" <> +? OR x."b" <> +? OR x."c" <> +? OR x."b" COLLATE BINARY > ?)) AND x."n" < +? AND x."a" IS NOT NULL AND x."b" IS NOT NULL AND x."c" IS NOT NULL
ORDER BY x."n", x."a", x."b", x."c", x."b" COLLATE BINARY LIMIT ?;
-- 1714996800, 1, "k2", 3, 1714996800, 1, "k2", 3, "k2", 1.7149968089999995e+09, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < +? OR x."n" >= +?);
-- 2 parameters

-- describe a table with a row that fails, statement 1
SELECT +x1."u"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a row that fails, statement 1
SELECT +x1."a", +x1."b", +x1."c", +x1."u", +x1."title", +x1."x"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- 3

-- read all rows with a row that fails, statement 2
SELECT +x1."a", +x1."b", +x1."c"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- 2

-- read all rows with a row that fails, statement 3
SELECT +x1."a", +x1."b", +x1."c", +x1."u", +x1."title", +x1."x"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY;
-- "[[1,\"k1\",3],[1,\"k2\",3]]"

-- read all rows with a row that fails, statement 5
SELECT +x1."a", +x1."b", +x1."c", +x1."u", +x1."title", +x1."x"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL AND ((x1."a", x1."b", x1."c") >= (+?, +?, +?) AND (x1."a" <> +? OR x1."b" <> +? OR x1."c" <> +? OR x1."b" COLLATE BINARY > ?))
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- 1, "k2", 3, 1, "k2", 3, "k2", 3

-- read all rows with a row that fails, statement 6
SELECT +x1."a", +x1."b", +x1."c"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL AND ((x1."a", x1."b", x1."c") >= (+?, +?, +?) AND (x1."a" <> +? OR x1."b" <> +? OR x1."c" <> +? OR x1."b" COLLATE BINARY > ?))
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- 1, "k2", 3, 1, "k2", 3, "k2", 2

-- read all rows with a row that fails, statement 8
SELECT +x1."a", +x1."b", +x1."c", +x1."u", +x1."title", +x1."x"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[null,null,null]]"

-- read all rows with a row that fails, statement 10
SELECT +x1."a", +x1."b", +x1."c", +x1."u", +x1."title", +x1."x"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x1."b" COLLATE BINARY = ?)
ORDER BY x1."a", x1."b", x1."c", x1."b" COLLATE BINARY;
-- "[[1,\"k3\",3]]", "k3"

-- read all rows with a row that fails, statement 11
SELECT +x1."a", +x1."b", +x1."c"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x1."b" COLLATE BINARY = ?);
-- "[[1,\"k3\",3]]", "k3"

-- read all rows with a row that fails, statement 13
SELECT +x1."a", +x1."b", +x1."c", +x1."title"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x1."b" COLLATE BINARY = ?);
-- "[[1,\"k3\",3]]", "k3"

-- read all rows with a row that fails, statement 15
SELECT +x."a", +x."b", +x."c", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE ((x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x."b" COLLATE BINARY = ?);
-- "[[1,\"k4\",3]]", "k4"

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."a" IS NULL OR x1."b" IS NULL OR x1."c" IS NULL) LIMIT ?;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT +x1."a", +x1."b", +x1."c", +x1."u", indexerd_token(x1."a", x1."b", x1."c", x1."u", x1."title", x1."x")
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT +x1."a", +x1."b", +x1."c", +x1."u"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT +x1."a", +x1."b", +x1."c", +x1."u", indexerd_token(x1."a", x1."b", x1."c", x1."u", x1."title", x1."x")
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?));
-- "[[1,\"k1\",3],[1,\"k2\",3]]"

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."a" IS NULL OR x1."b" IS NULL OR x1."c" IS NULL) AND x1."u" >= +? AND x1."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT +x1."a", +x1."b", +x1."c", +x1."u", indexerd_token(x1."a", x1."b", x1."c", x1."u", x1."title", x1."x")
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."u", x1."a", x1."b", x1."c") >= (+?, +?, +?, +?) AND (x1."u" <> +? OR x1."a" <> +? OR x1."b" <> +? OR x1."c" <> +? OR x1."b" COLLATE BINARY > ?)) AND x1."u" < +? AND x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1, "k2", 3, "2024-05-06 12:00:02.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT +x1."a", +x1."b", +x1."c", +x1."u"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."u", x1."a", x1."b", x1."c") >= (+?, +?, +?, +?) AND (x1."u" <> +? OR x1."a" <> +? OR x1."b" <> +? OR x1."c" <> +? OR x1."b" COLLATE BINARY > ?)) AND x1."u" < +? AND x1."a" IS NOT NULL AND x1."b" IS NOT NULL AND x1."c" IS NOT NULL
ORDER BY x1."u", x1."a", x1."b", x1."c", x1."b" COLLATE BINARY LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1, "k2", 3, "2024-05-06 12:00:02.000000", 1, "k2", 3, "k2", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT +x1."a", +x1."b", +x1."c", +x1."u", indexerd_token(x1."a", x1."b", x1."c", x1."u", x1."title", x1."x")
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x1."b" COLLATE BINARY = ?);
-- "[[1,\"k3\",3]]", "k3"

-- read the stamps of a window with a row that fails, statement 15
SELECT +x1."a", +x1."b", +x1."c", +x1."u"
FROM (SELECT a, b, c, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE ((x1."a", x1."b", x1."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x1."b" COLLATE BINARY = ?);
-- "[[1,\"k3\",3]]", "k3"

-- read the stamps of a window with a row that fails, statement 17
SELECT +x."a", +x."b", +x."c", +x."u", indexerd_token(x."a", x."b", x."c", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE ((x."a", x."b", x."c") IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) AND x."b" COLLATE BINARY = ?);
-- "[[1,\"k4\",3]]", "k4"

-- KEY: further types

-- describe a table, statement 1
SELECT typeof(min(x."k3")), typeof(max(x."k3")), max(typeof(x."k3") = 'real')
FROM (SELECT * FROM doc
) x;
-- 0 parameters

-- describe a table, statement 2
SELECT typeof(min(x."k4")), typeof(max(x."k4")), max(typeof(x."k4") = 'real')
FROM (SELECT * FROM doc
) x;
-- 0 parameters

-- describe a table, statement 3
SELECT +x."u"
FROM (SELECT * FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 3

-- read all rows, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?)
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 5e-324, 9.01, [0 0], 9.25, 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL) LIMIT ?;
-- 1

-- read a range of rows, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4") < (+?, +?, +?, +?) AND (x."k1", x."k2", x."k3", x."k4") >= (+?, +?, +?, +?)
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 0.1, 9007199254740993, [255], 9223372036854775807, -1.5, -1.5, [0], -3, 3

-- read one row by key, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?))
ORDER BY x."k1", x."k2", x."k3", x."k4";
-- 1e+300, 10, [0 255], 10

-- read rows by key, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?))
ORDER BY x."k1", x."k2", x."k3", x."k4";
-- 5e-324, 9.01, [0 0], 9.25, 0.1, 9007199254740993, [255], 9223372036854775807

-- read the stamps of a window, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +?
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL) AND x."u" >= +? AND x."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window, statement 3
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?, +?) AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1e+300, 10, [0 255], 10, "2024-05-06 12:00:09", 3

-- read all stamps, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 3

-- read all stamps, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?)
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 5e-324, 9.01, [0 0], 9.25, 3

-- read the stamps of a range, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4") < (+?, +?, +?, +?) AND (x."k1", x."k2", x."k3", x."k4") >= (+?, +?, +?, +?)
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 0.1, 9007199254740993, [255], 9223372036854775807, -1.5, -1.5, [0], -3, 3

-- read the stamp of one key, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?));
-- 1e+300, 10, [0 255], 10

-- read stamps by key, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- 5e-324, 9.01, [0 0], 9.25, 0.1, 9007199254740993, [255], 9223372036854775807

-- find the ranges of a load, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."k1", x."k2", x."k3", x."k4";

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- look for rows without a key, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k1") NOT IN ('real');

-- look for rows without a key, statement 3
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k2") NOT IN ('integer', 'real');

-- look for rows without a key, statement 4
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k3") NOT IN ('blob');

-- look for rows without a key, statement 5
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k4") NOT IN ('integer', 'real');

-- look for rows without a key in a window, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k1") NOT IN ('real') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- look for rows without a key in a window, statement 3
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k2") NOT IN ('integer', 'real') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- look for rows without a key in a window, statement 4
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k3") NOT IN ('blob') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- look for rows without a key in a window, statement 5
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND typeof(x."k4") NOT IN ('integer', 'real') AND x."u" >= +? AND x."u" < +?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09"

-- read some keys, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL LIMIT ?;
-- 3

-- look for a key of several rows, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
GROUP BY x."k1", x."k2", x."k3", x."k4" HAVING count(*) > 1 LIMIT ?;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" IS NULL LIMIT ?) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? LIMIT ?) few;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 10

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
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with a child, statement 3
SELECT typeof(min(x."k3")), typeof(max(x."k3")), max(typeof(x."k3") = 'real')
FROM (SELECT * FROM part
) x;
-- 0 parameters

-- describe a table with a child, statement 4
SELECT typeof(min(x."k4")), typeof(max(x."k4")), max(typeof(x."k4") = 'real')
FROM (SELECT * FROM part
) x;
-- 0 parameters

-- describe a table with a child, statement 6
SELECT +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a child, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- -1.5, -1.5, [0], -3, 5e-324, 9.01, [0 0], 9.25

-- read the stamps of a window with a child, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- -1.5, -1.5, [0], -3, 1e+300, 10, [0 255], 10

-- read the stamps of a window with a child, statement 6
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u"
FROM (SELECT * FROM part
) x
WHERE x."u" >= +? AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a child, statement 9
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u"
FROM (SELECT * FROM part
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?, +?) AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00:01.000000", 5e-324, 9.01, [0 0], 9.25, "2024-05-06 12:00:09", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x."u" < +? OR x."u" >= +?);
-- 2 parameters

-- describe a table with changes, statement 3
SELECT typeof(min(x."k3")), typeof(max(x."k3")), max(typeof(x."k3") = 'real')
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x;
-- 0 parameters

-- describe a table with changes, statement 4
SELECT typeof(min(x."k4")), typeof(max(x."k4")), max(typeof(x."k4") = 'real')
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x;
-- 0 parameters

-- describe a table with changes, statement 6
SELECT +x."u"
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x
WHERE (x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ? OR x."u" >= ? AND x."u" < ?) LIMIT ?;
-- 13 parameters

-- read the rows that left in a window with changes, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u"
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the rows that left in a window with changes, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u"
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?, +?) AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1e+300, 10, [0 255], 10, "2024-05-06 12:00:09", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +?) OR EXISTS (SELECT 1
FROM (SELECT k1, k2, k3, k4, u FROM doc
) x
WHERE x."u" >= +?);
-- "2024-05-06 12:00:02", "2024-05-06 12:00:02"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 5e-324, 9.01, [0 0], 9.25, 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."n", +x."v", +x."title"
FROM (SELECT * FROM doc
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?)) AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."k1", x."k2", x."k3", x."k4";
-- 5e-324, 9.01, [0 0], 9.25, 0.1, 9007199254740993, [255], 9223372036854775807, 1, 2

-- read rows by key marked by a column, statement 2
SELECT +x."k1", +x."k2", +x."k3", +x."k4"
FROM (SELECT * FROM doc
) x
WHERE x."v" IN (+?, +?) AND (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- 1, 2, 5e-324, 9.01, [0 0], 9.25, 0.1, 9007199254740993, [255], 9223372036854775807

-- read the stamps of a window marked by a column, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL) AND x."u" >= +? AND x."u" < +? AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0 LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."u", x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?, +?) AND x."u" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL AND (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1e+300, 10, [0 255], 10, "2024-05-06 12:00:09", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u"
FROM (SELECT * FROM doc
) x
WHERE x."u" >= +? AND x."u" < +? AND x."v" IN (+?, +?) AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."u", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x."v" IN (+?, +?) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- describe a table marked by a list, statement 3
SELECT typeof(min(d."k3")), typeof(max(d."k3")), max(typeof(d."k3") = 'real')
FROM (SELECT * FROM gone
) d;
-- 0 parameters

-- describe a table marked by a list, statement 4
SELECT typeof(min(d."k4")), typeof(max(d."k4")), max(typeof(d."k4") = 'real')
FROM (SELECT * FROM gone
) d;
-- 0 parameters

-- read all rows marked by a list, statement 2
SELECT +d."k1", +d."k2", +d."k3", +d."k4"
FROM (SELECT * FROM gone
) d
WHERE (d."k1", d."k2", d."k3", d."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- -1.5, -1.5, [0], -3, 5e-324, 9.01, [0 0], 9.25

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d."k1" = x."k1" AND d."k2" = x."k2" AND d."k3" = x."k3" AND d."k4" = x."k4");

-- describe a table with updateTimes of numbers, statement 3
SELECT +x."n"
FROM (SELECT * FROM doc
) x
WHERE (x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ? OR x."n" >= ? AND x."n" < ?) LIMIT ?;
-- 13 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."n", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE x."n" >= +? AND x."n" < +?
ORDER BY x."n", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x."k1" IS NULL OR x."k2" IS NULL OR x."k3" IS NULL OR x."k4" IS NULL) AND x."n" >= +? AND x."n" < +? LIMIT ?;
-- 1.7149967999999995e+09, 1.7149968089999995e+09, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."n", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."n", x."v", x."title")
FROM (SELECT * FROM doc
) x
WHERE (x."n", x."k1", x."k2", x."k3", x."k4") > (+?, +?, +?, +?, +?) AND x."n" < +? AND x."k1" IS NOT NULL AND x."k2" IS NOT NULL AND x."k3" IS NOT NULL AND x."k4" IS NOT NULL
ORDER BY x."n", x."k1", x."k2", x."k3", x."k4" LIMIT ?;
-- 1714996800, 5e-324, 9.01, [0 0], 9.25, 1.7149968089999995e+09, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x."n" < +? OR x."n" >= +?);
-- 2 parameters

-- describe a table with a row that fails, statement 1
SELECT typeof(min(x1."k3")), typeof(max(x1."k3")), max(typeof(x1."k3") = 'real')
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1;
-- 0 parameters

-- describe a table with a row that fails, statement 2
SELECT typeof(min(x1."k4")), typeof(max(x1."k4")), max(typeof(x1."k4") = 'real')
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1;
-- 0 parameters

-- describe a table with a row that fails, statement 5
SELECT +x1."u"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ? OR x1."u" >= ? AND x1."u" < ?) LIMIT ?;
-- 13 parameters

-- read all rows with a row that fails, statement 1
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", +x1."title", +x1."x"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- 3

-- read all rows with a row that fails, statement 2
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- 2

-- read all rows with a row that fails, statement 3
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", +x1."title", +x1."x"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?))
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4";
-- -1.5, -1.5, [0], -3, 5e-324, 9.01, [0 0], 9.25

-- read all rows with a row that fails, statement 4
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", +x1."title", +x1."x"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?));
-- <nil>, <nil>, <nil>, <nil>

-- read all rows with a row that fails, statement 5
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", +x."word"
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?));
-- <nil>, <nil>, <nil>, <nil>

-- read all rows with a row that fails, statement 6
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", +x1."title", +x1."x"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?))
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4";
-- -1.5, -1.5, [0], -3

-- read all rows with a row that fails, statement 9
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?));
-- 5e-324, 9.01, [0 0], 9.25

-- read all rows with a row that fails, statement 11
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."title"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?));
-- 5e-324, 9.01, [0 0], 9.25

-- read all rows with a row that fails, statement 12
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", +x1."title", +x1."x"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL AND (x1."k1", x1."k2", x1."k3", x1."k4") > (+?, +?, +?, +?)
ORDER BY x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- 5e-324, 9.01, [0 0], 9.25, 3

-- read all rows with a row that fails, statement 14
SELECT 1
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1" IS NULL OR x1."k2" IS NULL OR x1."k3" IS NULL OR x1."k4" IS NULL) LIMIT ?;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", indexerd_token(x1."k1", x1."k2", x1."k3", x1."k4", x1."u", x1."title", x1."x")
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE x1."u" >= +? AND x1."u" < +?
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", indexerd_token(x1."k1", x1."k2", x1."k3", x1."k4", x1."u", x1."title", x1."x")
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?), (+?, +?, +?, +?));
-- -1.5, -1.5, [0], -3, 1e+300, 10, [0 255], 10

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1" IS NULL OR x1."k2" IS NULL OR x1."k3" IS NULL OR x1."k4" IS NULL) AND x1."u" >= +? AND x1."u" < +? LIMIT ?;
-- "2024-05-06 12:00", "2024-05-06 12:00:09", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", indexerd_token(x1."k1", x1."k2", x1."k3", x1."k4", x1."u", x1."title", x1."x")
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u", x1."k1", x1."k2", x1."k3", x1."k4") > (+?, +?, +?, +?, +?) AND x1."u" < +? AND x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1e+300, 10, [0 255], 10, "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."u", x1."k1", x1."k2", x1."k3", x1."k4") > (+?, +?, +?, +?, +?) AND x1."u" < +? AND x1."k1" IS NOT NULL AND x1."k2" IS NOT NULL AND x1."k3" IS NOT NULL AND x1."k4" IS NOT NULL
ORDER BY x1."u", x1."k1", x1."k2", x1."k3", x1."k4" LIMIT ?;
-- "2024-05-06 12:00:02.000000", 1e+300, 10, [0 255], 10, "2024-05-06 12:00:09", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u", indexerd_token(x1."k1", x1."k2", x1."k3", x1."k4", x1."u", x1."title", x1."x")
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?));
-- 5e-324, 9.01, [0 0], 9.25

-- read the stamps of a window with a row that fails, statement 15
SELECT +x1."k1", +x1."k2", +x1."k3", +x1."k4", +x1."u"
FROM (SELECT k1, k2, k3, k4, u, title, json(CASE v WHEN 0 THEN '{' ELSE '1' END) AS x FROM doc
) x1
WHERE (x1."k1", x1."k2", x1."k3", x1."k4") IN (VALUES (+?, +?, +?, +?));
-- 5e-324, 9.01, [0 0], 9.25

-- read the stamps of a window with a row that fails, statement 17
SELECT +x."k1", +x."k2", +x."k3", +x."k4", +x."u", indexerd_token(x."k1", x."k2", x."k3", x."k4", x."u", x."word")
FROM (SELECT * FROM part
) x
WHERE (x."k1", x."k2", x."k3", x."k4") IN (VALUES (+?, +?, +?, +?));
-- 0.1, 9007199254740993, [255], 9223372036854775807
