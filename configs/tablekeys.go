package configs

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
)

func tableKeys(t *Table) []key {
	return []key{
		{"source", true, "name one of the sources", "", "The name of the database in `sources`.", text{&t.Source}},
		{
			"sql", true, "write one SELECT that gives one row for each document", "",
			"One SELECT that returns one row for each document. It may have joins, views and conditions. Other keys name columns of its result.",
			statement{&t.SQL},
		},
		{
			"key", true, "name the column that identifies a row, or list several: [tenant, id]", "",
			"The columns that identify a row and never change: numbers, text, UUIDs, booleans, dates, times or bytes. " +
				"`row` is for a table without any: the key is a digest of the whole row. Such a table has at most `limits.rows` rows.", tableKey{&t.RowKey, names{&t.Key, true}},
		},
		{
			"updated", false, "name the column with the time of the last change of a row", "",
			"The column with the time of the last change of the row: a time, a date, or a number since 1970. " +
				"The unit of a number is detected; a mapping declares it. " +
				"Without `updated`, changes are found by comparing the whole table with the index.",
			timeColumn{mapping{updatedKeys(&t.Updated, &t.Unit)}},
		},
		{
			"timezone", false, "name the time zone of an updated column that has none, such as Europe/Berlin", "",
			"The time zone of `updated` columns that have none, including those of children.", zone{&t.Timezone, &t.Location},
		},
		{
			"content", true, "list the columns whose text is searched: {fields: [title]}", "",
			"The text that is searched by words.", mapping{contentKeys(&t.Content)},
		},
		{
			"title", false, "write a column, or a text with columns in braces: '{first_name} {last_name}'", "the first content column called title, name or the like",
			"What hits show in place of the key, of columns of `content`, `metadata` or `key`. A change needs no new index.",
			titled{&t.Title},
		},
		{
			"json", false, "list the text columns that hold JSON: [data]", "",
			"Columns of `sql` with JSON in a text type, as in SQLite and MariaDB. Of JSON, the strings and numbers are searched, " +
				"not the names. As `metadata`, a list is several values, and a text that is no JSON none. Columns of a JSON type need not be listed.", names{&t.JSON, true},
		},
		{
			"paths", false, "give each a name, a column and a path: {city: {column: data, path: address.city}}", "",
			"Further columns for `content` and `metadata`: each is what a JSON column has at a path.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter", true,
				func(name string) value {
					t.Paths = append(t.Paths, Path{Name: name})
					return mapping{pathKeys(&t.Paths[len(t.Paths)-1])}
				},
			},
		},
		{
			"metadata", false, "give each column that is filtered or sorted a type, keyword, number, date or boolean: {rating: keyword}; list text columns in content", "",
			"The columns that are filtered, sorted and counted by their exact value, each with its type.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter; the SQL can rename a column with AS", false,
				func(name string) value {
					t.Metadata = append(t.Metadata, Meta{Name: name})
					return metadataType(&t.Metadata[len(t.Metadata)-1].Type)
				},
			},
		},
		{
			"children", false, "give each child a name, with sql, key and content", "",
			"Further rows of a document, such as the actors of a film, each kind under a name. " +
				"The name is a field, so no column and no extra may have it.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter", true,
				func(name string) value {
					t.Children = append(t.Children, Child{Name: name})
					return mapping{childKeys(&t.Children[len(t.Children)-1])}
				},
			},
		},
		{
			"extra", false, "give each extra a name, with sql, key and type", "",
			"Further values of a document that are filtered, sorted and counted but not searched as text, each kind under a name.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter", true,
				func(name string) value {
					t.Extra = append(t.Extra, Extra{Name: name})
					return mapping{extraKeys(&t.Extra[len(t.Extra)-1])}
				},
			},
		},
		{
			"deleted", false, "write {column: active, values: [0]} or {sql: SELECT ...}", "",
			"How deleted rows are marked. With `column`, an UPDATE that sets it and `updated` removes the document at once. With `sql`, the document is removed at once if `changes` lists the row, otherwise by the next sweep.",
			either{mapping{deletedKeys(&t.Deleted)}, "column", "sql"},
		},
		{
			"changes", false, "write a SELECT of the key and the updated column, without the conditions of the table's SQL", "",
			"A SELECT of the `key` and `updated` columns, without the conditions of `sql`. With it, a row that an UPDATE excludes from `sql` leaves the index at once, otherwise with the next sweep.",
			statement{&t.Changes},
		},
		{
			"language", false, "write none, or a language such as en, de or ru", "none",
			"The language of the content. A word also finds its other forms, below the same form: `house` finds `houses`. " +
				"`indexerd init` detects it. A change needs `indexerd reindex`.",
			stems{choice{&t.Language, "language", append([]string{noLanguage}, analysis.Languages()...), nil}},
		},
		{
			"stopwords", false, "write none, english, or the name of a file with one word a line", "none",
			"Words that are neither indexed nor searched: `none`, those of `english` (a, the, of, ...), or those of a file with one word a line. " +
				"Stopwords make the index smaller, and no search finds `the who`. A change needs `indexerd reindex`.",
			text{&t.Stopwords},
		},
		{
			"synonyms", false, "write the name of a file with a group of synonyms a line: car, automobile, motor car", "",
			"The file of synonyms, one group a line, such as `car, automobile`: " +
				"docs/search.md. A change needs a reload, and no new index.",
			text{&t.Synonyms},
		},
		{
			"positions", false, "write true, or false for a smaller index without phrase search", "true",
			"Whether phrases can be searched. `false` makes the index smaller. A change needs `indexerd reindex`.", boolean{&t.positions},
		},
		{
			"batch", false, "write how many rows are read at once, 1 to 100000", "10000",
			"How many rows are read at once, or fewer if they have more than 8 MiB of text.", number{&t.Batch, 1, 100_000},
		},
		{
			"workers", false, "write how many workers index in parallel, 1 to 256", "one for each core, two with `index: {engine: opensearch}`",
			"How many workers index in parallel.", number{&t.Workers, 1, 256},
		},
		{
			"limits", false, "write limits such as {text: 8MiB}", "",
			"Limits of one document. A row that exceeds them goes to quarantine.", mapping{documentKeys(&t.Limits, &t.MaxRows)},
		},
		{
			"incremental", false, "write an interval: {every: 1s}", "",
			"The pass that finds changes.", mapping{incrementalKeys(&t.Incremental)},
		},
		{
			"compensate", false, "write a horizon: {horizon: auto}", "",
			"The passes that find rows which were committed after their `updated` had been read.", mapping{compensateKeys(&t.Compensate)},
		},
		{
			"transaction_timeout", false, "write how long a transaction can stay open, such as 10m", "the last tier's timeout",
			"The longest time that a transaction of the application stays open. Where tiers are used, rows of longer ones are missed until the next sweep.",
			duration{to: &t.TransactionTimeout},
		},
		{
			"deletecheck", false, "write an interval: {every: 1h}", "",
			"The sweep: it compares index and database in both directions, and repairs differences.",
			mapping{deleteCheckKeys(&t.DeleteCheck)},
		},
		{"pages", false, "write how many versions are kept: {versions: 1}", "", "The store of rows as they were read.", mapping{pagesKeys(&t.Pages)}},
		{
			"acl", false, "name the keyword field that holds a document's groups", "",
			"The keyword field of `metadata`, `children` or `extra` with the groups that may find a document. A token that is not an admin's " +
				"finds only documents with one of its groups. Only admins find documents without groups, and see the field itself.",
			text{&t.ACL},
		},
		{
			"relevance", false, "write tuned or plain", "tuned",
			"How hits are ordered by score, unless a search sets it: docs/search.md.",
			choice{&t.Relevance, "relevance", query.Relevances(), nil},
		},
		{
			"fresh", false, "write true, or false", "false",
			"Whether a search checks its hits in the database, unless it sets this itself: docs/search.md.",
			boolean{&t.fresh},
		},
	}
}

func pathKeys(p *Path) []key {
	return []key{
		{"column", true, "name the column that has JSON", "", "The column of `sql`, of a JSON type or with JSON as text.", text{&p.Column}},
		{
			"path", true, "write the names that lead to the value: address.city", "",
			"The names that lead to the value, with dots between them, or a list of names. A list in the JSON is passed: the value is that of all its elements.", dotted{names{&p.Path, true}},
		},
	}
}

func contentKeys(c *Content) []key {
	return []key{
		{
			"fields", true, "list the columns whose text is searched: [title, description]", "",
			"The columns. Each can be searched alone: `title:drama`.", names{&c.Fields, false},
		},
		{
			"analyzer", false, "write standard, en, cjk or ngram", "standard",
			"How text is split into words: `standard` for any language, `en` for `standard` with `language: en`, `cjk` for Chinese, Japanese and Korean, `ngram` for parts of words. " +
				"`plain-1` and the like split text as version 1 did. A change needs `indexerd reindex`.",
			choice{&c.Analyzer, "analyzer", analyzers(), nil},
		},
		{
			"boosts", false, "write the weight of matches in a column or child: {title: 3}", "",
			"The weight of a column or child for the order of hits, by default 1. A change needs no new index.",
			named{
				fieldName, "name a column or child whose text is searched", false,
				func(name string) value {
					c.Boosts = append(c.Boosts, Boost{Field: name})
					return decimal{&c.Boosts[len(c.Boosts)-1].Factor, 1000}
				},
			},
		},
		{
			"bm25", false, "write the parameters of the score: {k1: 1.2, b: 0.75}", "",
			"The parameters of the score. A change needs no new index.", mapping{bm25Keys(c)},
		},
	}
}

func bm25Keys(c *Content) []key {
	return []key{
		{
			"k1", false, "write a number from 0 to 10", "1.2",
			"How much repetitions of a word count: with 0 nothing.", fromZero{&c.k1, 10},
		},
		{
			"b", false, "write a number from 0 to 1", "0.75",
			"How much less a word counts in a long text: with 0 no less.", fromZero{&c.b, 1},
		},
	}
}

// maxText is the highest limits.text. The sink rejects larger rows.
const maxText = 64 << 20

func documentKeys(l *doc.Limits, rows *int) []key {
	return []key{
		{
			"text", false, "write a size up to 64MiB, such as 8MiB", "8MiB",
			"Bytes of all values of a row as text, with its children.", size{&l.Text, maxText},
		},
		{
			"words", false, "write how many words a document may have, 1 to 100000000", "1500000",
			"Words of the content, with repetitions. Each takes about 200 bytes of memory while the document is indexed.", number{&l.Words, 1, 100_000_000},
		},
		{
			"distinct_words", false, "write how many different words a document may have, 1 to 100000000", "250000",
			"Different words of the content. Each takes another 500 bytes of memory, about.", number{&l.Distinct, 1, 100_000_000},
		},
		{
			"rows", false, "write how many rows a table with `key: row` may have, 1 to 100000000", "1000000",
			"Rows of a table with `key: row`. A comparison reads and sorts all of them once for each 250,000 rows, and once for each batch that changed.",
			number{rows, 1, 100_000_000},
		},
	}
}

// metadataType is the type of a metadata field.
func metadataType(to *string) value {
	return choice{to, "type", []string{"keyword", "number", "date", "boolean"}, nil}
}

func childKeys(c *Child) []key {
	return []key{
		{
			"sql", true, "write one SELECT that returns the child's rows", "",
			"One SELECT of all rows of this kind, with the key of their document.", statement{&c.SQL},
		},
		documentKey(&c.Key),
		{
			"updated", false, "name the column with the time of the last change of a row", "",
			"The column with the time of the last change of such a row. With it the document is updated at once, without it by the next sweep.", timeColumn{mapping{updatedKeys(&c.Updated, &c.Unit)}},
		},
		{"json", false, "list the text columns that hold JSON: [data]", "", "Columns of `sql` with JSON in a text type.", names{&c.JSON, true}},
		{
			"content", true, "list the columns whose text is searched: [name]", "",
			"The columns whose text is searched, with the document's and alone: `actors:penelope`.", names{&c.Content, false},
		},
		{
			"type", false, "write keyword, number, date or boolean, or omit it if nothing is filtered by the child", "",
			"With a type, the child is also a metadata field. The value of a row is its `content` columns, joined by a space.",
			metadataType(&c.Type),
		},
	}
}

// documentKey is the key of a child or an extra.
func documentKey(to *[]string) key {
	return key{
		"key", true, "name the column, or list the columns, that hold the table's key", "",
		"The columns that hold the document's key, as many as the table's key has, in the same order.", names{to, true},
	}
}

func extraKeys(e *Extra) []key {
	return []key{
		{
			"sql", true, "write one SELECT that returns the values, each with the key of its document", "",
			"One SELECT of the values. It has exactly one column besides those of `key` and `updated`.", statement{&e.SQL},
		},
		documentKey(&e.Key),
		{
			"updated", false, "name the column with the time of the last change of a value", "",
			"The column with the time of the last change of the value, as in a child.", timeColumn{mapping{updatedKeys(&e.Updated, &e.Unit)}},
		},
		{"type", true, "write keyword, number, date or boolean", "", "The type of the values.", metadataType(&e.Type)},
	}
}

// updatedKeys are the keys of updated, if it is a mapping.
func updatedKeys(column, unit *string) []key {
	var units []string
	for _, u := range timeunit.Numbers {
		units = append(units, string(u))
	}
	return []key{
		{"column", true, "name the column with the time of the last change of a row", "", "The column.", text{column}},
		{
			"unit", false, "write s, ms, us or ns", "the unit of most rows",
			"The unit of a number since 1970. A column of times or dates has none.",
			choice{unit, "unit", units, nil},
		},
	}
}

func deletedKeys(d *Deleted) []key {
	return []key{
		{"column", false, "name the column that marks a deleted row", "", "The column of `sql` that marks a deleted row.", text{&d.Column}},
		{
			"values", false, "list the values that mean deleted: [0]", "",
			"The values of `column` that mean deleted, of the column's type. A NULL never means deleted. Required with `column`.",
			constants{&d.Values},
		},
		{
			"sql", false, "write one SELECT of the keys of deleted rows", "",
			"Instead of `column`: a SELECT of the keys of deleted rows, in columns with the names of `key`.", statement{&d.SQL},
		},
	}
}
