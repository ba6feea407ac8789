-- Statements that the server refuses, as the dialect once had or could have them.

SELECT x.* FROM (SELECT id FROM doc) AS x;

SELECT x."ID" FROM (SELECT id FROM doc) x ORDER BY x."ID" LIMIT 10;

SELECT x."ID" FROM (SELECT id FROM doc) x WHERE x."ID" IS NOT TRUE;

-- the grammar accepts this
SELECT x."ID" FROM (SELECT id FROM doc) x WHERE (x."U", x."ID") > (:1, :2);

SELECT x."ID" FROM (SELECT id FROM doc) x WHERE x.`ID` = :1;

SELECT x."ID" FROM (SELECT id FROM doc) x WHERE x.[ID] = :1;

SELECT x."ID" FROM (SELECT id FROM doc;) x;

SELECT TOP 10 x."ID" FROM (SELECT id FROM doc) x;

SELECT x."ID" FROM (SELECT id FROM doc) x FETCH FIRST ROWS 10 ONLY;

SELECT x."ID"::text FROM (SELECT id FROM doc) x;
