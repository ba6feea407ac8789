package sourcetest

var keyCasesOfRows = []keyCase{
	{name: "one row per key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0), (4, 'x', 300, 0), (5, 'x', NULL, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(2)}, {int64(9)}}, want: `
range     1; 2; 3; 4; 5
docs      1; 2; 2
of        1; 2
in range  1; 2; 3; 4; 5
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (2, 'y', 102, 0), (3, 'x', 103, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, want: `
range     1; 2 by several rows; 3
docs      1; 2 by several rows; 3
of        1; 2 unknown; 3
in range  1; 2 unknown; 3
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key, the same row twice", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (2, 'x', 101, 0), (3, 'x', 102, 0)",
		ask: [][]any{{int64(2)}}, want: `
range     1; 2 by several rows; 3
docs      2 by several rows
of        2 unknown
in range  1; 2 unknown; 3
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key across batches and pages", key: []string{"a"},
		rows: "(1, 'x', 100, 0), (2, 'a', 101, 0), (3, 'x', 102, 0), (2, 'b', 103, 0), (2, 'c', 104, 0), (3, 'y', 105, 0), (4, 'x', 106, 0), (2, 'd', 107, 0)",
		ask:  [][]any{{int64(1)}, {int64(2)}, {int64(3)}, {int64(4)}}, want: `
range     1; 2 by several rows; 3 by several rows; 4
docs      1; 2 by several rows; 3 by several rows; 4
of        1; 2 unknown; 3 unknown; 4
in range  1; 2 unknown; 3 unknown; 4
window    1; 2; 3; 2; 3; 4; 2
keyless   none
in window none`},
	{name: "all rows have one key", key: []string{"a"}, rows: "(1, 'a', 100, 0), (1, 'b', 100, 0), (1, 'c', 100, 0), (1, 'd', 100, 0), (1, 'e', 100, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1 by several rows
docs      1 by several rows
of        1 unknown
in range  1 unknown
window    1
keyless   none
in window none`},
	{name: "duplicate text key", key: []string{"b"}, rows: "(1, 'x', 100, 0), (2, 'y', 101, 0), (3, 'x', 102, 0), (4, 'X', 103, 0)",
		ask: [][]any{{"x"}, {"y"}}, want: `
range     X; x by several rows; y
docs      x by several rows; y
of        x unknown; y
in range  X; x unknown; y
window    x; y; x; X
keyless   none
in window none`},
	{name: "duplicate key, some rows marked deleted", key: []string{"a"}, rows: "(1, 'x', 100, 0), (1, 'y', 101, 1), (2, 'x', 102, 1), (3, 'x', 103, 1), (3, 'y', 104, 1)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, want: `
range     1
docs      1; 2 deleted; 3 deleted
of        1
in range  1
window    1
keyless   none
in window none`},
	{name: "NULL key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 101, 0), (NULL, 'y', 102, 0), (2, 'x', 103, 0), (NULL, 'z', 103, 0), (3, 'x', 104, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1; 2
of        1; 2
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL keys before the first key", key: []string{"a"}, rows: "(NULL, 'x', 100, 0), (NULL, 'y', 100, 0), (NULL, 'z', 100, 0), (1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1
of        1
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL key after the first page", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0), (NULL, 'x', 103, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1
of        1
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL key outside the window", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 300, 0), (NULL, 'x', NULL, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; key column a is NULL
docs      1
of        1
in range  1
window    1
keyless   key column a is NULL
in window none`},
	{name: "NULL key, marked deleted", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 101, 1)",
		ask: [][]any{{int64(1)}}, want: `
range     1
docs      1
of        1
in range  1
window    1
keyless   none
in window none`},
	{name: "NULL in a part of the key", key: []string{"a", "b"}, rows: "(1, 'x', 100, 0), (1, NULL, 101, 0), (NULL, 'x', 102, 0), (NULL, NULL, 103, 0), (2, 'x', 104, 0)",
		ask: [][]any{{int64(1), "x"}, {int64(2), "x"}}, want: `
range     1,x; 2,x; one of the key columns a, b is NULL
docs      1,x; 2,x
of        1,x; 2,x
in range  1,x; 2,x
window    1,x; 2,x; unusable keys
keyless   one of the key columns a, b is NULL
in window one of the key columns a, b is NULL`},
}
