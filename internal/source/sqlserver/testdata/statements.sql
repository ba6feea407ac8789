-- The statements that the engine sends, each under the first question that
-- sends it. The test of the dialect writes this file with -update.

-- KEY: one integer

-- read all rows, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows, statement 2
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] > @p1
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 2, 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read a range of rows, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] < @p1 AND x.[id] >= @p2
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 4, 1, 3

-- read a range of rows, statement 2
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] < @p1 AND x.[id] > @p2
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 4, 2, 3

-- read one row by key, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IN (@p1)
ORDER BY x.[id];
-- 2

-- read rows by key, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10)
ORDER BY x.[id];
-- 3, 4, 4, 4, 4, 4, 4, 4, 4, 4

-- read the stamps of a window, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NULL AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window, statement 3
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[id] > @p4))) AND x.[u] < CAST(@p5 AS datetimeoffset(6)) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 2, "2024-05-06T12:00:09.000000Z", 3

-- read all stamps, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all stamps, statement 2
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] > @p1
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 2, 3

-- read the stamps of a range, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] < @p1 AND x.[id] >= @p2
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 4, 1, 3

-- read the stamps of a range, statement 2
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] < @p1 AND x.[id] > @p2
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 4, 2, 3

-- read the stamp of one key, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IN (@p1);
-- 2

-- read stamps by key, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- 3, 4, 4, 4, 4, 4, 4, 4, 4, 4

-- find the ranges of a load, statement 1
SELECT k0
FROM (SELECT x.[id] AS k0, row_number() OVER (ORDER BY x.[id]) - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL) numbered
WHERE n > 0 AND n % @p1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- read some keys, statement 1
SELECT x.[id]
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- look for a key of several rows, statement 1
SELECT x.[id]
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL
GROUP BY x.[id] HAVING count(*) > 1
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY) few;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x.[u])
FROM (SELECT * FROM doc
) x) = (SELECT max(x.[u])
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x.[id], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- 1, 2, 2, 2, 2, 2, 2, 2, 2, 2

-- read the stamps of a window with a child, statement 2
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- 1, 2, 2, 2, 2, 2, 2, 2, 2, 2

-- read the stamps of a window with a child, statement 6
SELECT x.[id], x.[u]
FROM (SELECT * FROM part
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a child, statement 9
SELECT x.[id], x.[u]
FROM (SELECT * FROM part
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[id] > @p4))) AND x.[u] < CAST(@p5 AS datetimeoffset(6)) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", 2, "2024-05-06T12:00:09.000000Z", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x.[id], x.[u]
FROM (SELECT id, u FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the rows that left in a window with changes, statement 2
SELECT x.[id], x.[u]
FROM (SELECT id, u FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[id] > @p4))) AND x.[u] < CAST(@p5 AS datetimeoffset(6)) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 2, "2024-05-06T12:00:09.000000Z", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6))) OR EXISTS (SELECT 1
FROM (SELECT id, u FROM doc
) x
WHERE x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NOT NULL AND x.[id] > @p1 AND (CASE WHEN x.[v] IN (@p2, @p3) THEN 1 ELSE 0 END) = 0
ORDER BY x.[id] OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY;
-- 2, 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x.[id], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10) AND (CASE WHEN x.[v] IN (@p11, @p12) THEN 1 ELSE 0 END) = 0
ORDER BY x.[id];
-- 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1, 2

-- read rows by key marked by a column, statement 2
SELECT x.[id]
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND x.[id] IN (@p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10, @p11, @p12);
-- 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4

-- read the stamps of a window marked by a column, statement 1
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NULL AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[id] > @p4))) AND x.[u] < CAST(@p5 AS datetimeoffset(6)) AND x.[id] IS NOT NULL AND (CASE WHEN x.[v] IN (@p6, @p7) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p8 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 2, "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x.[id], x.[u]
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[v] IN (@p3, @p4) AND x.[id] IS NOT NULL
ORDER BY x.[u], x.[id] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d.[id]
FROM (SELECT * FROM gone
) d
WHERE d.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- 1, 2, 2, 2, 2, 2, 2, 2, 2, 2

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d.[id] = x.[id]);

-- describe a table with updateTimes of numbers, statement 1
SELECT x.[n]
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND x.[n] < @p2 OR x.[n] >= @p3 AND x.[n] < @p4 OR x.[n] >= @p5 AND x.[n] < @p6 OR x.[n] >= @p7 AND x.[n] < @p8)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x.[id], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[n] >= @p1 AND x.[n] < @p2
ORDER BY x.[n], x.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[id] IS NULL AND x.[n] >= @p1 AND x.[n] < @p2
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x.[id], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND (x.[n] > @p2 OR (x.[n] = @p3 AND x.[id] > @p4))) AND x.[n] < @p5 AND x.[id] IS NOT NULL
ORDER BY x.[n], x.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- 1714996800, 1714996800, 1714996800, 2, 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] < @p1 OR x.[n] >= @p2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1.[id], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NOT NULL
ORDER BY x1.[id] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1.[id]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NOT NULL
ORDER BY x1.[id] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1.[id], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10)
ORDER BY x1.[id];
-- 1, 2, 2, 2, 2, 2, 2, 2, 2, 2

-- read all rows with a row that fails, statement 5
SELECT x1.[id], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NOT NULL AND x1.[id] > @p1
ORDER BY x1.[id] OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 2, 3

-- read all rows with a row that fails, statement 6
SELECT x1.[id]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NOT NULL AND x1.[id] > @p1
ORDER BY x1.[id] OFFSET 0 ROWS FETCH NEXT @p2 ROWS ONLY;
-- 2, 2

-- read all rows with a row that fails, statement 8
SELECT x1.[id], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1);
-- <nil>

-- read all rows with a row that fails, statement 9
SELECT x.[id], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[id] IN (@p1);
-- <nil>

-- read all rows with a row that fails, statement 10
SELECT x1.[id], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1)
ORDER BY x1.[id];
-- 3

-- read all rows with a row that fails, statement 11
SELECT x1.[id]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1);
-- 3

-- read all rows with a row that fails, statement 13
SELECT x1.[id], x1.[title]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1);
-- 3

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1.[id], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1.[id], x1.[u]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[id] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1.[id], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- 1, 2, 2, 2, 2, 2, 2, 2, 2, 2

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IS NULL AND x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1.[id], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[id] > @p4))) AND x1.[u] < CAST(@p5 AS datetimeoffset(6)) AND x1.[id] IS NOT NULL
ORDER BY x1.[u], x1.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 2, "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1.[id], x1.[u]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[id] > @p4))) AND x1.[u] < CAST(@p5 AS datetimeoffset(6)) AND x1.[id] IS NOT NULL
ORDER BY x1.[u], x1.[id] OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 2, "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT x1.[id], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[id] AS varbinary(20))) AS binary(8)) + CAST(x1.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1);
-- 3

-- read the stamps of a window with a row that fails, statement 15
SELECT x1.[id], x1.[u]
FROM (SELECT id, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[id] IN (@p1);
-- 3

-- read the stamps of a window with a row that fails, statement 17
SELECT x.[id], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[id] AS varbinary(20))) AS binary(8)) + CAST(x.[id] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[id] IN (@p1);
-- 4

-- KEY: one text

-- read all rows, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows, statement 2
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND (x.[name] >= @p1 AND (x.[name] <> @p2 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p3))
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY;
-- "k2", "k2", [107 0 50 0 1], 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read a range of rows, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND x.[name] < @p1 AND x.[name] >= @p2
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "k4", "k1", 3

-- read a range of rows, statement 2
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND x.[name] < @p1 AND (x.[name] >= @p2 AND (x.[name] <> @p3 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p4))
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "k4", "k2", "k2", [107 0 50 0 1], 3

-- read one row by key, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[name] IN (@p1) AND CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2)
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- "k2", [107 0 50 0 1]

-- read rows by key, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10)
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- "k3", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4"

-- read the stamps of a window, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NULL AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window, statement 3
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[name] >= @p4))) AND (x.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x.[name] <> @p6 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "k2", "2024-05-06T12:00:02.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read all stamps, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all stamps, statement 2
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND (x.[name] >= @p1 AND (x.[name] <> @p2 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p3))
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY;
-- "k2", "k2", [107 0 50 0 1], 3

-- read the stamps of a range, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND x.[name] < @p1 AND x.[name] >= @p2
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "k4", "k1", 3

-- read the stamps of a range, statement 2
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND x.[name] < @p1 AND (x.[name] >= @p2 AND (x.[name] <> @p3 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p4))
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "k4", "k2", "k2", [107 0 50 0 1], 3

-- read the stamp of one key, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[name] IN (@p1) AND CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k2", [107 0 50 0 1]

-- read stamps by key, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- "k3", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4"

-- find the ranges of a load, statement 1
SELECT k0
FROM (SELECT x.[name] AS k0, row_number() OVER (ORDER BY x.[name]) - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL) numbered
WHERE n > 0 AND n % @p1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- read some keys, statement 1
SELECT x.[name]
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- look for a key of several rows, statement 1
SELECT x.[name]
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL
GROUP BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 HAVING count(*) > 1
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY) few;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x.[u])
FROM (SELECT * FROM doc
) x) = (SELECT max(x.[u])
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x.[name], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- "k1", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2"

-- read the stamps of a window with a child, statement 2
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- "k1", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2"

-- read the stamps of a window with a child, statement 6
SELECT x.[name], x.[u]
FROM (SELECT * FROM part
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a child, statement 9
SELECT x.[name], x.[u]
FROM (SELECT * FROM part
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[name] >= @p4))) AND (x.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x.[name] <> @p6 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "k2", "2024-05-06T12:00:01.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x.[name], x.[u]
FROM (SELECT name, u FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the rows that left in a window with changes, statement 2
SELECT x.[name], x.[u]
FROM (SELECT name, u FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[name] >= @p4))) AND (x.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x.[name] <> @p6 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "k2", "2024-05-06T12:00:02.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6))) OR EXISTS (SELECT 1
FROM (SELECT name, u FROM doc
) x
WHERE x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NOT NULL AND (x.[name] >= @p1 AND (x.[name] <> @p2 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p3)) AND (CASE WHEN x.[v] IN (@p4, @p5) THEN 1 ELSE 0 END) = 0
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p6 ROWS ONLY;
-- "k2", "k2", [107 0 50 0 1], 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x.[name], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10) AND (CASE WHEN x.[v] IN (@p11, @p12) THEN 1 ELSE 0 END) = 0
ORDER BY x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- "k3", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4", 1, 2

-- read rows by key marked by a column, statement 2
SELECT x.[name]
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND x.[name] IN (@p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10, @p11, @p12);
-- 1, 2, "k3", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4", "k4"

-- read the stamps of a window marked by a column, statement 1
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NULL AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[name] >= @p4))) AND (x.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x.[name] <> @p6 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[name] IS NOT NULL AND (CASE WHEN x.[v] IN (@p9, @p10) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p11 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "k2", "2024-05-06T12:00:02.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x.[name], x.[u]
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[v] IN (@p3, @p4) AND x.[name] IS NOT NULL
ORDER BY x.[u], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d.[name]
FROM (SELECT * FROM gone
) d
WHERE d.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- "k1", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2"

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d.[name] = x.[name] AND CAST(CAST(d.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01);

-- describe a table with updateTimes of numbers, statement 1
SELECT x.[n]
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND x.[n] < @p2 OR x.[n] >= @p3 AND x.[n] < @p4 OR x.[n] >= @p5 AND x.[n] < @p6 OR x.[n] >= @p7 AND x.[n] < @p8)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x.[name], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[n] >= @p1 AND x.[n] < @p2
ORDER BY x.[n], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[name] IS NULL AND x.[n] >= @p1 AND x.[n] < @p2
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x.[name], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[n] >= @p1 AND (x.[n] > @p2 OR (x.[n] = @p3 AND x.[name] >= @p4))) AND (x.[n] <> @p5 OR x.[name] <> @p6 OR CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x.[n] < @p8 AND x.[name] IS NOT NULL
ORDER BY x.[n], x.[name], CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 1714996800, 1714996800, 1714996800, "k2", 1714996800, "k2", [107 0 50 0 1], 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] < @p1 OR x.[n] >= @p2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1.[name], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NOT NULL
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1.[name]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NOT NULL
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1.[name], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10)
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- "k1", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2"

-- read all rows with a row that fails, statement 5
SELECT x1.[name], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NOT NULL AND (x1.[name] >= @p1 AND (x1.[name] <> @p2 OR CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p3))
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY;
-- "k2", "k2", [107 0 50 0 1], 3

-- read all rows with a row that fails, statement 6
SELECT x1.[name]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NOT NULL AND (x1.[name] >= @p1 AND (x1.[name] <> @p2 OR CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p3))
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p4 ROWS ONLY;
-- "k2", "k2", [107 0 50 0 1], 2

-- read all rows with a row that fails, statement 8
SELECT x1.[name], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IN (@p1);
-- <nil>

-- read all rows with a row that fails, statement 9
SELECT x.[name], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE x.[name] IN (@p1);
-- <nil>

-- read all rows with a row that fails, statement 10
SELECT x1.[name], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[name] IN (@p1) AND CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2)
ORDER BY x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- "k3", [107 0 51 0 1]

-- read all rows with a row that fails, statement 11
SELECT x1.[name]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[name] IN (@p1) AND CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k3", [107 0 51 0 1]

-- read all rows with a row that fails, statement 13
SELECT x1.[name], x1.[title]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[name] IN (@p1) AND CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k3", [107 0 51 0 1]

-- read all rows with a row that fails, statement 15
SELECT x.[name], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE (x.[name] IN (@p1) AND CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k4", [107 0 52 0 1]

-- read all rows with a row that fails, statement 17
SELECT 1
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1.[name], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1.[name], x1.[u]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1.[name], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IN (@p1, @p2, @p3, @p4, @p5, @p6, @p7, @p8, @p9, @p10);
-- "k1", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2", "k2"

-- read the stamps of a window with a row that fails, statement 5
SELECT 1
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[name] IS NULL AND x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window with a row that fails, statement 6
SELECT x1.[name], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[name] >= @p4))) AND (x1.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x1.[name] <> @p6 OR CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x1.[u] < CAST(@p8 AS datetimeoffset(6)) AND x1.[name] IS NOT NULL
ORDER BY x1.[u], x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "k2", "2024-05-06T12:00:02.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1.[name], x1.[u]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[name] >= @p4))) AND (x1.[u] <> CAST(@p5 AS datetimeoffset(6)) OR x1.[name] <> @p6 OR CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p7)) AND x1.[u] < CAST(@p8 AS datetimeoffset(6)) AND x1.[name] IS NOT NULL
ORDER BY x1.[u], x1.[name], CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "k2", "2024-05-06T12:00:02.000000Z", "k2", [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 12
SELECT x1.[name], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[name] IN (@p1) AND CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k3", [107 0 51 0 1]

-- read the stamps of a window with a row that fails, statement 15
SELECT x1.[name], x1.[u]
FROM (SELECT name, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[name] IN (@p1) AND CAST(CAST(x1.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k3", [107 0 51 0 1]

-- read the stamps of a window with a row that fails, statement 17
SELECT x.[name], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE (x.[name] IN (@p1) AND CAST(CAST(x.[name] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p2);
-- "k4", [107 0 52 0 1]

-- KEY: three parts

-- read all rows, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND ((x.[a] >= @p1 AND (x.[a] > @p2 OR (x.[a] = @p3 AND x.[b] > @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] >= @p7))) AND (x.[a] <> @p8 OR x.[b] <> @p9 OR x.[c] <> @p10 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p11))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p12 ROWS ONLY;
-- 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[a] IS NULL OR x.[b] IS NULL OR x.[c] IS NULL)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read a range of rows, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (x.[a] <= @p1 AND (x.[a] < @p2 OR (x.[a] = @p3 AND x.[b] < @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] < @p7))) AND (x.[a] >= @p8 AND (x.[a] > @p9 OR (x.[a] = @p10 AND x.[b] > @p11) OR (x.[a] = @p12 AND x.[b] = @p13 AND x.[c] >= @p14)))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p15 ROWS ONLY;
-- 1, 1, 1, "k4", 1, "k4", 3, 1, 1, 1, "k1", 1, "k1", 3, 3

-- read a range of rows, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (x.[a] <= @p1 AND (x.[a] < @p2 OR (x.[a] = @p3 AND x.[b] < @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] < @p7))) AND ((x.[a] >= @p8 AND (x.[a] > @p9 OR (x.[a] = @p10 AND x.[b] > @p11) OR (x.[a] = @p12 AND x.[b] = @p13 AND x.[c] >= @p14))) AND (x.[a] <> @p15 OR x.[b] <> @p16 OR x.[c] <> @p17 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p18))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p19 ROWS ONLY;
-- 1, 1, 1, "k4", 1, "k4", 3, 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 3

-- read one row by key, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]) AND CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4)
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- 1, "k2", 3, [107 0 50 0 1]

-- read rows by key, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c])
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- 1, "k3", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3

-- read the stamps of a window, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[a] IS NULL OR x.[b] IS NULL OR x.[c] IS NULL) AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window, statement 3
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[a] > @p4) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[a] = @p6 AND x.[b] > @p7) OR (x.[u] = CAST(@p8 AS datetimeoffset(6)) AND x.[a] = @p9 AND x.[b] = @p10 AND x.[c] >= @p11))) AND (x.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x.[a] <> @p13 OR x.[b] <> @p14 OR x.[c] <> @p15 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x.[u] < CAST(@p17 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 1, "2024-05-06T12:00:02.000000Z", 1, "k2", "2024-05-06T12:00:02.000000Z", 1, "k2", 3, "2024-05-06T12:00:02.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read all stamps, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all stamps, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND ((x.[a] >= @p1 AND (x.[a] > @p2 OR (x.[a] = @p3 AND x.[b] > @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] >= @p7))) AND (x.[a] <> @p8 OR x.[b] <> @p9 OR x.[c] <> @p10 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p11))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p12 ROWS ONLY;
-- 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 3

-- read the stamps of a range, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (x.[a] <= @p1 AND (x.[a] < @p2 OR (x.[a] = @p3 AND x.[b] < @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] < @p7))) AND (x.[a] >= @p8 AND (x.[a] > @p9 OR (x.[a] = @p10 AND x.[b] > @p11) OR (x.[a] = @p12 AND x.[b] = @p13 AND x.[c] >= @p14)))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p15 ROWS ONLY;
-- 1, 1, 1, "k4", 1, "k4", 3, 1, 1, 1, "k1", 1, "k1", 3, 3

-- read the stamps of a range, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (x.[a] <= @p1 AND (x.[a] < @p2 OR (x.[a] = @p3 AND x.[b] < @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] < @p7))) AND ((x.[a] >= @p8 AND (x.[a] > @p9 OR (x.[a] = @p10 AND x.[b] > @p11) OR (x.[a] = @p12 AND x.[b] = @p13 AND x.[c] >= @p14))) AND (x.[a] <> @p15 OR x.[b] <> @p16 OR x.[c] <> @p17 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p18))
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p19 ROWS ONLY;
-- 1, 1, 1, "k4", 1, "k4", 3, 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 3

-- read the stamp of one key, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]) AND CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k2", 3, [107 0 50 0 1]

-- read stamps by key, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]);
-- 1, "k3", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3

-- find the ranges of a load, statement 1
SELECT k0, k1, k2
FROM (SELECT x.[a] AS k0, x.[b] AS k1, x.[c] AS k2, row_number() OVER (ORDER BY x.[a], x.[b], x.[c]) - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL) numbered
WHERE n > 0 AND n % @p1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- read some keys, statement 1
SELECT x.[a], x.[b], x.[c]
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- look for a key of several rows, statement 1
SELECT x.[a], x.[b], x.[c]
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
GROUP BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 HAVING count(*) > 1
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY) few;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x.[u])
FROM (SELECT * FROM doc
) x) = (SELECT max(x.[u])
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]);
-- 1, "k1", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3

-- read the stamps of a window with a child, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]);
-- 1, "k1", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3

-- read the stamps of a window with a child, statement 6
SELECT x.[a], x.[b], x.[c], x.[u]
FROM (SELECT * FROM part
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a child, statement 9
SELECT x.[a], x.[b], x.[c], x.[u]
FROM (SELECT * FROM part
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[a] > @p4) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[a] = @p6 AND x.[b] > @p7) OR (x.[u] = CAST(@p8 AS datetimeoffset(6)) AND x.[a] = @p9 AND x.[b] = @p10 AND x.[c] >= @p11))) AND (x.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x.[a] <> @p13 OR x.[b] <> @p14 OR x.[c] <> @p15 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x.[u] < CAST(@p17 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", 1, "2024-05-06T12:00:01.000000Z", 1, "k2", "2024-05-06T12:00:01.000000Z", 1, "k2", 3, "2024-05-06T12:00:01.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x.[a], x.[b], x.[c], x.[u]
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the rows that left in a window with changes, statement 2
SELECT x.[a], x.[b], x.[c], x.[u]
FROM (SELECT a, b, c, u FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[a] > @p4) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[a] = @p6 AND x.[b] > @p7) OR (x.[u] = CAST(@p8 AS datetimeoffset(6)) AND x.[a] = @p9 AND x.[b] = @p10 AND x.[c] >= @p11))) AND (x.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x.[a] <> @p13 OR x.[b] <> @p14 OR x.[c] <> @p15 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x.[u] < CAST(@p17 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 1, "2024-05-06T12:00:02.000000Z", 1, "k2", "2024-05-06T12:00:02.000000Z", 1, "k2", 3, "2024-05-06T12:00:02.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6))) OR EXISTS (SELECT 1
FROM (SELECT a, b, c, u FROM doc
) x
WHERE x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND ((x.[a] >= @p1 AND (x.[a] > @p2 OR (x.[a] = @p3 AND x.[b] > @p4) OR (x.[a] = @p5 AND x.[b] = @p6 AND x.[c] >= @p7))) AND (x.[a] <> @p8 OR x.[b] <> @p9 OR x.[c] <> @p10 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p11)) AND (CASE WHEN x.[v] IN (@p12, @p13) THEN 1 ELSE 0 END) = 0
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p14 ROWS ONLY;
-- 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[a] IS NULL OR x.[b] IS NULL OR x.[c] IS NULL) AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]) AND (CASE WHEN x.[v] IN (@p31, @p32) THEN 1 ELSE 0 END) = 0
ORDER BY x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- 1, "k3", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, 2

-- read rows by key marked by a column, statement 2
SELECT x.[a], x.[b], x.[c]
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND EXISTS (SELECT 1
FROM (VALUES (@p3, @p4, @p5), (@p6, @p7, @p8), (@p9, @p10, @p11), (@p12, @p13, @p14), (@p15, @p16, @p17), (@p18, @p19, @p20), (@p21, @p22, @p23), (@p24, @p25, @p26), (@p27, @p28, @p29), (@p30, @p31, @p32)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]);
-- 1, 2, 1, "k3", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3, 1, "k4", 3

-- read the stamps of a window marked by a column, statement 1
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[a] IS NULL OR x.[b] IS NULL OR x.[c] IS NULL) AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[a] > @p4) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[a] = @p6 AND x.[b] > @p7) OR (x.[u] = CAST(@p8 AS datetimeoffset(6)) AND x.[a] = @p9 AND x.[b] = @p10 AND x.[c] >= @p11))) AND (x.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x.[a] <> @p13 OR x.[b] <> @p14 OR x.[c] <> @p15 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x.[u] < CAST(@p17 AS datetimeoffset(6)) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL AND (CASE WHEN x.[v] IN (@p18, @p19) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p20 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 1, "2024-05-06T12:00:02.000000Z", 1, "k2", "2024-05-06T12:00:02.000000Z", 1, "k2", 3, "2024-05-06T12:00:02.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x.[a], x.[b], x.[c], x.[u]
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[v] IN (@p3, @p4) AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[u], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d.[a], d.[b], d.[c]
FROM (SELECT * FROM gone
) d
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = d.[a] AND keys_of_page.k1 = d.[b] AND keys_of_page.k2 = d.[c]);
-- 1, "k1", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d.[a] = x.[a] AND d.[b] = x.[b] AND CAST(CAST(d.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 AND d.[c] = x.[c]);

-- describe a table with updateTimes of numbers, statement 1
SELECT x.[n]
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND x.[n] < @p2 OR x.[n] >= @p3 AND x.[n] < @p4 OR x.[n] >= @p5 AND x.[n] < @p6 OR x.[n] >= @p7 AND x.[n] < @p8)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x.[a], x.[b], x.[c], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[n] >= @p1 AND x.[n] < @p2
ORDER BY x.[n], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[a] IS NULL OR x.[b] IS NULL OR x.[c] IS NULL) AND x.[n] >= @p1 AND x.[n] < @p2
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x.[a], x.[b], x.[c], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE ((x.[n] >= @p1 AND (x.[n] > @p2 OR (x.[n] = @p3 AND x.[a] > @p4) OR (x.[n] = @p5 AND x.[a] = @p6 AND x.[b] > @p7) OR (x.[n] = @p8 AND x.[a] = @p9 AND x.[b] = @p10 AND x.[c] >= @p11))) AND (x.[n] <> @p12 OR x.[a] <> @p13 OR x.[b] <> @p14 OR x.[c] <> @p15 OR CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x.[n] < @p17 AND x.[a] IS NOT NULL AND x.[b] IS NOT NULL AND x.[c] IS NOT NULL
ORDER BY x.[n], x.[a], x.[b], x.[c], CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- 1714996800, 1714996800, 1714996800, 1, 1714996800, 1, "k2", 1714996800, 1, "k2", 3, 1714996800, 1, "k2", 3, [107 0 50 0 1], 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] < @p1 OR x.[n] >= @p2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1.[a], x1.[b], x1.[c], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1.[a], x1.[b], x1.[c]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1.[a], x1.[b], x1.[c], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c])
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- 1, "k1", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3

-- read all rows with a row that fails, statement 4
SELECT x1.[a], x1.[b], x1.[c], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]);
-- <nil>, <nil>, <nil>

-- read all rows with a row that fails, statement 5
SELECT x.[a], x.[b], x.[c], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]);
-- <nil>, <nil>, <nil>

-- read all rows with a row that fails, statement 6
SELECT x1.[a], x1.[b], x1.[c], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]) AND CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4)
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01;
-- 1, "k1", 3, [107 0 49 0 1]

-- read all rows with a row that fails, statement 7
SELECT x.[a], x.[b], x.[c], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]) AND CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k1", 3, [107 0 49 0 1]

-- read all rows with a row that fails, statement 10
SELECT x1.[a], x1.[b], x1.[c], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL AND ((x1.[a] >= @p1 AND (x1.[a] > @p2 OR (x1.[a] = @p3 AND x1.[b] > @p4) OR (x1.[a] = @p5 AND x1.[b] = @p6 AND x1.[c] >= @p7))) AND (x1.[a] <> @p8 OR x1.[b] <> @p9 OR x1.[c] <> @p10 OR CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p11))
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p12 ROWS ONLY;
-- 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 3

-- read all rows with a row that fails, statement 11
SELECT x1.[a], x1.[b], x1.[c]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL AND ((x1.[a] >= @p1 AND (x1.[a] > @p2 OR (x1.[a] = @p3 AND x1.[b] > @p4) OR (x1.[a] = @p5 AND x1.[b] = @p6 AND x1.[c] >= @p7))) AND (x1.[a] <> @p8 OR x1.[b] <> @p9 OR x1.[c] <> @p10 OR CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p11))
ORDER BY x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p12 ROWS ONLY;
-- 1, 1, 1, "k2", 1, "k2", 3, 1, "k2", 3, [107 0 50 0 1], 2

-- read all rows with a row that fails, statement 16
SELECT x1.[a], x1.[b], x1.[c]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]) AND CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k3", 3, [107 0 51 0 1]

-- read all rows with a row that fails, statement 18
SELECT x1.[a], x1.[b], x1.[c], x1.[title]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]) AND CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k3", 3, [107 0 51 0 1]

-- read all rows with a row that fails, statement 23
SELECT 1
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[a] IS NULL OR x1.[b] IS NULL OR x1.[c] IS NULL)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1.[a], x1.[b], x1.[c], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1.[a], x1.[b], x1.[c], x1.[u]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1.[a], x1.[b], x1.[c], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3), (@p4, @p5, @p6), (@p7, @p8, @p9), (@p10, @p11, @p12), (@p13, @p14, @p15), (@p16, @p17, @p18), (@p19, @p20, @p21), (@p22, @p23, @p24), (@p25, @p26, @p27), (@p28, @p29, @p30)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]);
-- 1, "k1", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3, 1, "k2", 3

-- read the stamps of a window with a row that fails, statement 7
SELECT x1.[a], x1.[b], x1.[c], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]) AND CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k1", 3, [107 0 49 0 1]

-- read the stamps of a window with a row that fails, statement 8
SELECT x.[a], x.[b], x.[c], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[a] AS varbinary(20))) AS binary(8)) + CAST(x.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[c] AS varbinary(20))) AS binary(8)) + CAST(x.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x.[a] AND keys_of_page.k1 = x.[b] AND keys_of_page.k2 = x.[c]) AND CAST(CAST(x.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k1", 3, [107 0 49 0 1]

-- read the stamps of a window with a row that fails, statement 11
SELECT 1
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[a] IS NULL OR x1.[b] IS NULL OR x1.[c] IS NULL) AND x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window with a row that fails, statement 12
SELECT x1.[a], x1.[b], x1.[c], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[a] AS varbinary(20))) AS binary(8)) + CAST(x1.[a] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[c] AS varbinary(20))) AS binary(8)) + CAST(x1.[c] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[a] > @p4) OR (x1.[u] = CAST(@p5 AS datetimeoffset(6)) AND x1.[a] = @p6 AND x1.[b] > @p7) OR (x1.[u] = CAST(@p8 AS datetimeoffset(6)) AND x1.[a] = @p9 AND x1.[b] = @p10 AND x1.[c] >= @p11))) AND (x1.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x1.[a] <> @p13 OR x1.[b] <> @p14 OR x1.[c] <> @p15 OR CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x1.[u] < CAST(@p17 AS datetimeoffset(6)) AND x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL
ORDER BY x1.[u], x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 1, "2024-05-06T12:00:02.000000Z", 1, "k2", "2024-05-06T12:00:02.000000Z", 1, "k2", 3, "2024-05-06T12:00:02.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 13
SELECT x1.[a], x1.[b], x1.[c], x1.[u]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE ((x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[a] > @p4) OR (x1.[u] = CAST(@p5 AS datetimeoffset(6)) AND x1.[a] = @p6 AND x1.[b] > @p7) OR (x1.[u] = CAST(@p8 AS datetimeoffset(6)) AND x1.[a] = @p9 AND x1.[b] = @p10 AND x1.[c] >= @p11))) AND (x1.[u] <> CAST(@p12 AS datetimeoffset(6)) OR x1.[a] <> @p13 OR x1.[b] <> @p14 OR x1.[c] <> @p15 OR CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 > @p16)) AND x1.[u] < CAST(@p17 AS datetimeoffset(6)) AND x1.[a] IS NOT NULL AND x1.[b] IS NOT NULL AND x1.[c] IS NOT NULL
ORDER BY x1.[u], x1.[a], x1.[b], x1.[c], CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 OFFSET 0 ROWS FETCH NEXT @p18 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", 1, "2024-05-06T12:00:02.000000Z", 1, "k2", "2024-05-06T12:00:02.000000Z", 1, "k2", 3, "2024-05-06T12:00:02.000000Z", 1, "k2", 3, [107 0 50 0 1], "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 21
SELECT x1.[a], x1.[b], x1.[c], x1.[u]
FROM (SELECT a, b, c, u, title, 1 / v AS x FROM doc
) x1
WHERE (EXISTS (SELECT 1
FROM (VALUES (@p1, @p2, @p3)) keys_of_page(k0, k1, k2)
WHERE keys_of_page.k0 = x1.[a] AND keys_of_page.k1 = x1.[b] AND keys_of_page.k2 = x1.[c]) AND CAST(CAST(x1.[b] AS nvarchar(max)) AS varbinary(max)) + 0x01 = @p4);
-- 1, "k3", 3, [107 0 51 0 1]

-- KEY: further types

-- read all rows, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows, statement 2
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (x.[k1] >= CAST(@p1 AS decimal(38,0)) AND (x.[k1] > CAST(@p2 AS decimal(38,0)) OR (x.[k1] = CAST(@p3 AS decimal(38,0)) AND x.[k2] > CAST(@p4 AS decimal(38,10)))))
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "0", "0", "0", "7.0000000000", 3

-- read all rows, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[k1] IS NULL OR x.[k2] IS NULL)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read a range of rows, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (x.[k1] <= CAST(@p1 AS decimal(38,0)) AND (x.[k1] < CAST(@p2 AS decimal(38,0)) OR (x.[k1] = CAST(@p3 AS decimal(38,0)) AND x.[k2] < CAST(@p4 AS decimal(38,10))))) AND (x.[k1] >= CAST(@p5 AS decimal(38,0)) AND (x.[k1] > CAST(@p6 AS decimal(38,0)) OR (x.[k1] = CAST(@p7 AS decimal(38,0)) AND x.[k2] >= CAST(@p8 AS decimal(38,10)))))
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "0", "0", "0", "7", "-7", "-7", "-7", "-1.5", 3

-- read one row by key, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2])
ORDER BY x.[k1], x.[k2];
-- "12345678901234567890123456789012345678", "1.1"

-- read rows by key, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2])
ORDER BY x.[k1], x.[k2];
-- "10", "1234567890123456789012345678.0000000001", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- read the stamps of a window, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[k1] IS NULL OR x.[k2] IS NULL) AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window, statement 3
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[k1] > CAST(@p4 AS decimal(38,0))) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[k1] = CAST(@p6 AS decimal(38,0)) AND x.[k2] > CAST(@p7 AS decimal(38,10))))) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "1.1000000000", "2024-05-06T12:00:09.000000Z", 3

-- read all stamps, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all stamps, statement 2
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (x.[k1] >= CAST(@p1 AS decimal(38,0)) AND (x.[k1] > CAST(@p2 AS decimal(38,0)) OR (x.[k1] = CAST(@p3 AS decimal(38,0)) AND x.[k2] > CAST(@p4 AS decimal(38,10)))))
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "0", "0", "0", "7.0000000000", 3

-- read the stamps of a range, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (x.[k1] <= CAST(@p1 AS decimal(38,0)) AND (x.[k1] < CAST(@p2 AS decimal(38,0)) OR (x.[k1] = CAST(@p3 AS decimal(38,0)) AND x.[k2] < CAST(@p4 AS decimal(38,10))))) AND (x.[k1] >= CAST(@p5 AS decimal(38,0)) AND (x.[k1] > CAST(@p6 AS decimal(38,0)) OR (x.[k1] = CAST(@p7 AS decimal(38,0)) AND x.[k2] >= CAST(@p8 AS decimal(38,10)))))
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "0", "0", "0", "7", "-7", "-7", "-7", "-1.5", 3

-- read the stamp of one key, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- "12345678901234567890123456789012345678", "1.1"

-- read stamps by key, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- "10", "1234567890123456789012345678.0000000001", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- find the ranges of a load, statement 1
SELECT k0, k1
FROM (SELECT x.[k1] AS k0, x.[k2] AS k1, row_number() OVER (ORDER BY x.[k1], x.[k2]) - 1 AS n
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL) numbered
WHERE n > 0 AND n % @p1 = 0
ORDER BY n;
-- 2

-- count the rows, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x;

-- read some keys, statement 1
SELECT x.[k1], x.[k2]
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- look for a key of several rows, statement 1
SELECT x.[k1], x.[k2]
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
GROUP BY x.[k1], x.[k2] HAVING count(*) > 1
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- count rows without updateTime, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] IS NULL
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY) few;
-- 10

-- count the rows of a window, statement 1
SELECT count(*)
FROM (SELECT 1 AS one
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY) few;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 10

-- compare the updateTimes, statement 1
SELECT CASE WHEN (SELECT min(x.[u])
FROM (SELECT * FROM doc
) x) = (SELECT max(x.[u])
FROM (SELECT * FROM doc
) x) THEN 1 ELSE 0 END;

-- count updateTimes out of range, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read all rows with a child, statement 2
SELECT x.[k1], x.[k2], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- "-7", "-1.5", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- read the stamps of a window with a child, statement 2
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- "-7", "-1.5", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1"

-- read the stamps of a window with a child, statement 6
SELECT x.[k1], x.[k2], x.[u]
FROM (SELECT * FROM part
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a child, statement 9
SELECT x.[k1], x.[k2], x.[u]
FROM (SELECT * FROM part
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[k1] > CAST(@p4 AS decimal(38,0))) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[k1] = CAST(@p6 AS decimal(38,0)) AND x.[k2] > CAST(@p7 AS decimal(38,10))))) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "2024-05-06T12:00:01.000000Z", "0", "2024-05-06T12:00:01.000000Z", "0", "7.0000000000", "2024-05-06T12:00:09.000000Z", 3

-- count updateTimes out of range with a child, statement 2
SELECT count(*)
FROM (SELECT * FROM part
) x
WHERE (x.[u] < CAST(@p1 AS datetimeoffset(6)) OR x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- 2 parameters

-- read the rows that left in a window with changes, statement 1
SELECT x.[k1], x.[k2], x.[u]
FROM (SELECT k1, k2, u FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the rows that left in a window with changes, statement 2
SELECT x.[k1], x.[k2], x.[u]
FROM (SELECT k1, k2, u FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[k1] > CAST(@p4 AS decimal(38,0))) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[k1] = CAST(@p6 AS decimal(38,0)) AND x.[k2] > CAST(@p7 AS decimal(38,10))))) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "1.1000000000", "2024-05-06T12:00:09.000000Z", 3

-- look for recent rows with changes, statement 1
SELECT 0
WHERE EXISTS (SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6))) OR EXISTS (SELECT 1
FROM (SELECT k1, k2, u FROM doc
) x
WHERE x.[u] >= CAST(@p2 AS datetimeoffset(6)));
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z"

-- describe a table marked by a column, statement 1
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND 1 = 0;
-- 2 parameters

-- read all rows marked by a column, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 3

-- read all rows marked by a column, statement 2
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (x.[k1] >= CAST(@p1 AS decimal(38,0)) AND (x.[k1] > CAST(@p2 AS decimal(38,0)) OR (x.[k1] = CAST(@p3 AS decimal(38,0)) AND x.[k2] > CAST(@p4 AS decimal(38,10))))) AND (CASE WHEN x.[v] IN (@p5, @p6) THEN 1 ELSE 0 END) = 0
ORDER BY x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p7 ROWS ONLY;
-- "10", "10", "10", "1234567890123456789012345678.0000000001", 1, 2, 3

-- read all rows marked by a column, statement 3
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[k1] IS NULL OR x.[k2] IS NULL) AND (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1, 2, 1

-- read rows by key marked by a column, statement 1
SELECT x.[k1], x.[k2], x.[u], x.[n], x.[v], x.[title], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]) AND (CASE WHEN x.[v] IN (@p21, @p22) THEN 1 ELSE 0 END) = 0
ORDER BY x.[k1], x.[k2];
-- "10", "1234567890123456789012345678.0000000001", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", 1, 2

-- read rows by key marked by a column, statement 2
SELECT x.[k1], x.[k2]
FROM (SELECT * FROM doc
) x
WHERE x.[v] IN (@p1, @p2) AND EXISTS (SELECT 1
FROM (VALUES (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10))), (CAST(@p21 AS decimal(38,0)), CAST(@p22 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- 1, 2, "10", "1234567890123456789012345678.0000000001", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- read the stamps of a window marked by a column, statement 1
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the stamps of a window marked by a column, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[k1] IS NULL OR x.[k2] IS NULL) AND x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND (CASE WHEN x.[v] IN (@p3, @p4) THEN 1 ELSE 0 END) = 0
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 1

-- read the stamps of a window marked by a column, statement 3
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x.[u] = CAST(@p3 AS datetimeoffset(6)) AND x.[k1] > CAST(@p4 AS decimal(38,0))) OR (x.[u] = CAST(@p5 AS datetimeoffset(6)) AND x.[k1] = CAST(@p6 AS decimal(38,0)) AND x.[k2] > CAST(@p7 AS decimal(38,10))))) AND x.[u] < CAST(@p8 AS datetimeoffset(6)) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL AND (CASE WHEN x.[v] IN (@p9, @p10) THEN 1 ELSE 0 END) = 0
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p11 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "1.1000000000", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- read the rows that left in a window marked by a column, statement 1
SELECT x.[k1], x.[k2], x.[u]
FROM (SELECT * FROM doc
) x
WHERE x.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x.[u] < CAST(@p2 AS datetimeoffset(6)) AND x.[v] IN (@p3, @p4) AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[u], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1, 2, 3

-- count the rows marked by a column, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (CASE WHEN x.[v] IN (@p1, @p2) THEN 1 ELSE 0 END) = 0;
-- 1, 2

-- read all rows marked by a list, statement 2
SELECT d.[k1], d.[k2]
FROM (SELECT * FROM gone
) d
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = d.[k1] AND keys_of_page.k1 = d.[k2]);
-- "-7", "-1.5", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- count the rows marked by a list, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE NOT EXISTS (SELECT 1
FROM (SELECT * FROM gone
) d
WHERE d.[k1] = x.[k1] AND d.[k2] = x.[k2]);

-- describe a table with updateTimes of numbers, statement 1
SELECT x.[n]
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND x.[n] < @p2 OR x.[n] >= @p3 AND x.[n] < @p4 OR x.[n] >= @p5 AND x.[n] < @p6 OR x.[n] >= @p7 AND x.[n] < @p8)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 9 parameters

-- read the stamps of a window with updateTimes of numbers, statement 1
SELECT x.[k1], x.[k2], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE x.[n] >= @p1 AND x.[n] < @p2
ORDER BY x.[n], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 3

-- read the stamps of a window with updateTimes of numbers, statement 2
SELECT 1
FROM (SELECT * FROM doc
) x
WHERE (x.[k1] IS NULL OR x.[k2] IS NULL) AND x.[n] >= @p1 AND x.[n] < @p2
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- 1714996800, 1714996809, 1

-- read the stamps of a window with updateTimes of numbers, statement 3
SELECT x.[k1], x.[k2], x.[n], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[n] AS varbinary(20))) AS binary(8)) + CAST(x.[n] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[v] AS varbinary(20))) AS binary(8)) + CAST(x.[v] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] >= @p1 AND (x.[n] > @p2 OR (x.[n] = @p3 AND x.[k1] > CAST(@p4 AS decimal(38,0))) OR (x.[n] = @p5 AND x.[k1] = CAST(@p6 AS decimal(38,0)) AND x.[k2] > CAST(@p7 AS decimal(38,10))))) AND x.[n] < @p8 AND x.[k1] IS NOT NULL AND x.[k2] IS NOT NULL
ORDER BY x.[n], x.[k1], x.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- 1714996800, 1714996800, 1714996800, "0", 1714996800, "0", "7.0000000000", 1714996809, 3

-- count updateTimes out of range with updateTimes of numbers, statement 1
SELECT count(*)
FROM (SELECT * FROM doc
) x
WHERE (x.[n] < @p1 OR x.[n] >= @p2);
-- 2 parameters

-- read all rows with a row that fails, statement 1
SELECT x1.[k1], x1.[k2], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL
ORDER BY x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 3

-- read all rows with a row that fails, statement 2
SELECT x1.[k1], x1.[k2]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL
ORDER BY x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 2

-- read all rows with a row that fails, statement 3
SELECT x1.[k1], x1.[k2], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2])
ORDER BY x1.[k1], x1.[k2];
-- "-7", "-1.5", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7", "0", "7"

-- read all rows with a row that fails, statement 4
SELECT x1.[k1], x1.[k2], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- <nil>, <nil>

-- read all rows with a row that fails, statement 5
SELECT x.[k1], x.[k2], x.[u], x.[word], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- <nil>, <nil>

-- read all rows with a row that fails, statement 6
SELECT x1.[k1], x1.[k2], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2])
ORDER BY x1.[k1], x1.[k2];
-- "-7", "-1.5"

-- read all rows with a row that fails, statement 10
SELECT x1.[k1], x1.[k2], x1.[u], x1.[title], x1.[x], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL AND (x1.[k1] >= CAST(@p1 AS decimal(38,0)) AND (x1.[k1] > CAST(@p2 AS decimal(38,0)) OR (x1.[k1] = CAST(@p3 AS decimal(38,0)) AND x1.[k2] > CAST(@p4 AS decimal(38,10)))))
ORDER BY x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "0", "0", "0", "7.0000000000", 3

-- read all rows with a row that fails, statement 11
SELECT x1.[k1], x1.[k2]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL AND (x1.[k1] >= CAST(@p1 AS decimal(38,0)) AND (x1.[k1] > CAST(@p2 AS decimal(38,0)) OR (x1.[k1] = CAST(@p3 AS decimal(38,0)) AND x1.[k2] > CAST(@p4 AS decimal(38,10)))))
ORDER BY x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p5 ROWS ONLY;
-- "0", "0", "0", "7.0000000000", 2

-- read all rows with a row that fails, statement 16
SELECT x1.[k1], x1.[k2]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- "10", "1234567890123456789012345678.0000000001"

-- read all rows with a row that fails, statement 18
SELECT x1.[k1], x1.[k2], x1.[title]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- "10", "1234567890123456789012345678.0000000001"

-- read all rows with a row that fails, statement 22
SELECT 1
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[k1] IS NULL OR x1.[k2] IS NULL)
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p1 ROWS ONLY;
-- 1

-- read the stamps of a window with a row that fails, statement 1
SELECT x1.[k1], x1.[k2], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 2
SELECT x1.[k1], x1.[k2], x1.[u]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY x1.[u], x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 3
SELECT x1.[k1], x1.[k2], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10))), (CAST(@p3 AS decimal(38,0)), CAST(@p4 AS decimal(38,10))), (CAST(@p5 AS decimal(38,0)), CAST(@p6 AS decimal(38,10))), (CAST(@p7 AS decimal(38,0)), CAST(@p8 AS decimal(38,10))), (CAST(@p9 AS decimal(38,0)), CAST(@p10 AS decimal(38,10))), (CAST(@p11 AS decimal(38,0)), CAST(@p12 AS decimal(38,10))), (CAST(@p13 AS decimal(38,0)), CAST(@p14 AS decimal(38,10))), (CAST(@p15 AS decimal(38,0)), CAST(@p16 AS decimal(38,10))), (CAST(@p17 AS decimal(38,0)), CAST(@p18 AS decimal(38,10))), (CAST(@p19 AS decimal(38,0)), CAST(@p20 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- "-7", "-1.5", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1", "12345678901234567890123456789012345678", "1.1"

-- read the stamps of a window with a row that fails, statement 7
SELECT x1.[k1], x1.[k2], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- "-7", "-1.5"

-- read the stamps of a window with a row that fails, statement 8
SELECT x.[k1], x.[k2], x.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x.[k1] AS varbinary(20))) AS binary(8)) + CAST(x.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[k2] AS varbinary(20))) AS binary(8)) + CAST(x.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x.[u] AS varbinary(20))) AS binary(8)) + CAST(x.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x.[word] AS nvarchar(max)) AS varbinary(max)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT * FROM part
) x
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x.[k1] AND keys_of_page.k1 = x.[k2]);
-- "-7", "-1.5"

-- read the stamps of a window with a row that fails, statement 11
SELECT 1
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[k1] IS NULL OR x1.[k2] IS NULL) AND x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND x1.[u] < CAST(@p2 AS datetimeoffset(6))
ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT @p3 ROWS ONLY;
-- "2024-05-06T12:00:00.000000Z", "2024-05-06T12:00:09.000000Z", 1

-- read the stamps of a window with a row that fails, statement 12
SELECT x1.[k1], x1.[k2], x1.[u], CAST(SUBSTRING(HASHBYTES('SHA2_256', CAST(0x AS varbinary(max)) + ISNULL(CAST(DATALENGTH(CAST(x1.[k1] AS varbinary(20))) AS binary(8)) + CAST(x1.[k1] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[k2] AS varbinary(20))) AS binary(8)) + CAST(x1.[k2] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[u] AS varbinary(20))) AS binary(8)) + CAST(x1.[u] AS varbinary(20)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max))) AS binary(8)) + CAST(CAST(x1.[title] AS nvarchar(max)) AS varbinary(max)), 0xFF) + ISNULL(CAST(DATALENGTH(CAST(x1.[x] AS varbinary(20))) AS binary(8)) + CAST(x1.[x] AS varbinary(20)), 0xFF)), 1, 8) AS bigint)
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[k1] > CAST(@p4 AS decimal(38,0))) OR (x1.[u] = CAST(@p5 AS datetimeoffset(6)) AND x1.[k1] = CAST(@p6 AS decimal(38,0)) AND x1.[k2] > CAST(@p7 AS decimal(38,10))))) AND x1.[u] < CAST(@p8 AS datetimeoffset(6)) AND x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL
ORDER BY x1.[u], x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "1.1000000000", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 13
SELECT x1.[k1], x1.[k2], x1.[u]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE (x1.[u] >= CAST(@p1 AS datetimeoffset(6)) AND (x1.[u] > CAST(@p2 AS datetimeoffset(6)) OR (x1.[u] = CAST(@p3 AS datetimeoffset(6)) AND x1.[k1] > CAST(@p4 AS decimal(38,0))) OR (x1.[u] = CAST(@p5 AS datetimeoffset(6)) AND x1.[k1] = CAST(@p6 AS decimal(38,0)) AND x1.[k2] > CAST(@p7 AS decimal(38,10))))) AND x1.[u] < CAST(@p8 AS datetimeoffset(6)) AND x1.[k1] IS NOT NULL AND x1.[k2] IS NOT NULL
ORDER BY x1.[u], x1.[k1], x1.[k2] OFFSET 0 ROWS FETCH NEXT @p9 ROWS ONLY;
-- "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "2024-05-06T12:00:02.000000Z", "12345678901234567890123456789012345678", "1.1000000000", "2024-05-06T12:00:09.000000Z", 3

-- read the stamps of a window with a row that fails, statement 21
SELECT x1.[k1], x1.[k2], x1.[u]
FROM (SELECT k1, k2, u, title, 1 / v AS x FROM doc
) x1
WHERE EXISTS (SELECT 1
FROM (VALUES (CAST(@p1 AS decimal(38,0)), CAST(@p2 AS decimal(38,10)))) keys_of_page(k0, k1)
WHERE keys_of_page.k0 = x1.[k1] AND keys_of_page.k1 = x1.[k2]);
-- "10", "1234567890123456789012345678.0000000001"
