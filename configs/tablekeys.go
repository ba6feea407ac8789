package configs

import (
	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

func tableKeys(t *Table) []key {
	return []key{
		{"source", true, "name one of the sources", "", "The database that the SQL is for.", text{&t.Source}},
		{
			"sql", true, "write one SELECT that gives one row for each document", "",
			"One SELECT, with one row for each document. Joins, views and conditions are welcome; a column's name in the result is its name here. `${}` is not replaced in it.",
			statement{&t.SQL},
		},
		{
			"key", true, "name the column that identifies a row, or list several: [tenant, id]", "",
			"What identifies a row, and never changes: integers, UUIDs or text.", names{&t.Key, true},
		},
		{
			"updated", true, "name the column that says when a row last changed", "",
			"When the row last changed: a time, a date, or a number since 1970. Changes are found by it; what it does not say, the sweep finds. " +
				"The unit of a number is found from the rows and kept; a mapping declares it.",
			timeColumn{mapping{updatedKeys(&t.Updated, &t.Unit)}},
		},
		{
			"timezone", false, "name the zone of an updated column that has none, such as Europe/Berlin", "",
			"The zone of `updated` columns without a time zone of their own, the children's too.", zone{&t.Timezone, &t.Location},
		},
		{
			"content", true, "list the columns whose text is searched: {fields: [title]}", "",
			"The text that words are searched in.", mapping{contentKeys(&t.Content)},
		},
		{
			"metadata", false, "give each column that is filtered or sorted its type, keyword, number, date or boolean: {rating: keyword}; text belongs to content", "",
			"The columns that are filtered, sorted and counted exactly, each with its type.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter; the SQL can rename a column with AS", false,
				func(name string) value {
					t.Metadata = append(t.Metadata, Meta{Name: name})
					return metadataType(&t.Metadata[len(t.Metadata)-1].Type)
				},
			},
		},
		{
			"children", false, "describe each child SQL under a name of its own", "",
			"Further rows of a document, such as a film's actors, each kind under a name of your own. " +
				"The name is a field of queries and hits, so no column above and no extra may have it.",
			named{
				fieldName, "write letters, digits and _, beginning with a letter", true,
				func(name string) value {
					t.Children = append(t.Children, Child{Name: name})
					return mapping{childKeys(&t.Children[len(t.Children)-1])}
				},
			},
		},
		{
			"extra", false, "describe each extra SQL under a name of its own", "",
			"Further values of a document that are filtered, sorted and counted and never searched as text, each under a name of your own.",
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
			"Which rows are marked deleted: they must not be found. By a column, a row leaves the index when its `updated` moves with the mark; by SQL, where `changes` lists it; otherwise by the next sweep.",
			either{mapping{deletedKeys(&t.Deleted)}, "column", "sql"},
		},
		{
			"changes", false, "write a SELECT of the key and the updated column, without the conditions of the table's SQL", "",
			"A SELECT of the `key` and `updated` columns, without the conditions of `sql`. With it, a row that an UPDATE moves out of those conditions leaves the index at once; without it, by the next sweep.",
			statement{&t.Changes},
		},
		{
			"positions", false, "write true, or false for a smaller index without phrase search", "true",
			"Whether phrases can be searched.", boolean{&t.positions},
		},
		{
			"batch", false, "write how many rows are read at once, 1 to 100000", "2000",
			"How many rows are read at once. Fewer, where they have more than 4 MiB of text.", number{&t.Batch, 1, 100_000},
		},
		{
			"workers", false, "write how many workers index at once, 1 to 256", "one for each core",
			"How many workers index at once.", number{&t.Workers, 1, 256},
		},
		{
			"limits", false, "say what a document may have at most: {text: 8MiB}", "",
			"What a document may have at most. A row with more is set aside, with the reason, and the other rows are not kept waiting.", mapping{documentKeys(&t.Limits)},
		},
		{
			"incremental", false, "say how often changes are looked for: {every: 1s}", "",
			"How often changes are looked for.", mapping{incrementalKeys(&t.Incremental)},
		},
		{
			"compensate", false, "say how late rows are found: {horizon: auto}", "",
			"How rows are found whose transaction committed after their time had been read.", mapping{compensateKeys(&t.Compensate)},
		},
		{
			"transaction_timeout", false, "write how long a transaction can stay open, such as 10m", "the last tier's timeout",
			"How long a transaction of the application can stay open. Where tiers say what is settled, the promise is as good as this number.",
			duration{to: &t.TransactionTimeout},
		},
		{
			"deletecheck", false, "say how rows that are gone are found: {every: 1h}", "",
			"The sweep: index and database are compared both ways, what differs is read again, what is gone is removed.",
			mapping{deleteCheckKeys(&t.DeleteCheck)},
		},
		{"pages", false, "say how documents are kept as they were read: {versions: 1}", "", "How documents are kept as they were read.", mapping{pagesKeys(&t.Pages)}},
		{
			"acl", false, "name the keyword field that holds a document's groups", "",
			"The keyword field, of `metadata`, `children` or `extra`, that holds the groups who may find a document. Callers with a token that is no admin's " +
				"find only documents of one of their groups; a document without any is an admin's alone. The field itself is shown to admins only.",
			text{&t.ACL},
		},
	}
}

func contentKeys(c *Content) []key {
	return []key{
		{
			"fields", true, "list the columns whose text is searched: [title, description]", "",
			"The columns. Each is also a field of its own: `title:drama`.", names{&c.Fields, false},
		},
		{
			"analyzer", false, "write standard, en, cjk or ngram", "standard",
			"How text becomes words: as it stands, as English (singular finds plural), as Chinese, Japanese or Korean, or in parts of words.",
			choice{&c.Analyzer, "analyzer", []string{"standard", "en", "cjk", "ngram"}, nil},
		},
		{
			"boosts", false, "write how much a match in a field counts for the order of hits: {title: 3}", "",
			"How much a match in a field or child counts for the order of hits; without one it counts 1. A change takes effect at once: it needs no new index.",
			named{
				fieldName, "name a field or child whose text is searched", false,
				func(name string) value {
					c.Boosts = append(c.Boosts, Boost{Field: name})
					return decimal{&c.Boosts[len(c.Boosts)-1].Factor, 1000}
				},
			},
		},
	}
}

// maxText is the most that limits.text can be: the sink takes no larger row.
const maxText = 64 << 20

func documentKeys(l *doc.Limits) []key {
	return []key{
		{
			"text", false, "write a size up to 64MiB, such as 8MiB", "8MiB",
			"Bytes of all values of a row as text, those of its children included.", size{&l.Text, maxText},
		},
		{
			"words", false, "write how many words a document may have, 1 to 100000000", "1500000",
			"Words in the content, each as often as it stands there. While a document is indexed each takes about 200 bytes of memory.", number{&l.Words, 1, 100_000_000},
		},
		{
			"distinct_words", false, "write how many different words a document may have, 1 to 100000000", "250000",
			"Different words in the content. While a document is indexed each takes about 500 bytes of memory more.", number{&l.Distinct, 1, 100_000_000},
		},
	}
}

// metadataType is what the values of a metadata field are.
func metadataType(to *string) value {
	return choice{to, "type", []string{"keyword", "number", "date", "boolean"}, nil}
}

func childKeys(c *Child) []key {
	return []key{
		{
			"sql", true, "write one SELECT that gives the child's rows", "",
			"One SELECT of all rows of this kind, with their parent's key.", statement{&c.SQL},
		},
		{
			"key", true, "name the column, or list those, that hold the table's key", "",
			"The columns that hold the parent's key, as many as the table has and in the same order.", names{&c.Key, true},
		},
		{
			"updated", false, "name the column that says when a row of the child last changed", "",
			"When such a row last changed: its change then brings its parent in at once. Without it, the next sweep does.", timeColumn{mapping{updatedKeys(&c.Updated, &c.Unit)}},
		},
		{
			"content", true, "list the columns whose text is searched: [name]", "",
			"The columns whose text is searched with the parent's, and alone under the child's name: `actors:penelope`.", names{&c.Content, false},
		},
		{
			"type", false, "write keyword, number, date or boolean, or leave it out where nothing is filtered by the child", "",
			"With it, the rows are also values of a metadata field of the child's name: each the content columns of one row, joined by a space.",
			metadataType(&c.Type),
		},
	}
}

func extraKeys(e *Extra) []key {
	return []key{
		{
			"sql", true, "write one SELECT that gives the values, each beside its document's key", "",
			"One SELECT of the values. Beside the columns of `key` and `updated` it has exactly one.", statement{&e.SQL},
		},
		{
			"key", true, "name the column, or list those, that hold the table's key", "",
			"The columns that hold the document's key, as many as the table has and in the same order.", names{&e.Key, true},
		},
		{
			"updated", false, "name the column that says when a value last changed", "",
			"When the value last changed, as a child's.", timeColumn{mapping{updatedKeys(&e.Updated, &e.Unit)}},
		},
		{"type", true, "write keyword, number, date or boolean", "", "What the values are.", metadataType(&e.Type)},
	}
}

// updatedKeys are an updated column with its unit.
func updatedKeys(column, unit *string) []key {
	var units []string
	for _, u := range timeunit.Numbers {
		units = append(units, string(u))
	}
	return []key{
		{"column", true, "name the column that says when a row last changed", "", "The column.", text{column}},
		{
			"unit", false, "write s, ms, us or ns", "what most rows count in",
			"What a number since 1970 counts: seconds, milliseconds, microseconds or nanoseconds. A column of times or dates has none.",
			choice{unit, "unit", units, nil},
		},
	}
}

func deletedKeys(d *Deleted) []key {
	return []key{
		{"column", false, "name the column that marks a deleted row", "", "The column of `sql` that marks a deleted row.", text{&d.Column}},
		{
			"values", false, "list the values that mean deleted: [0]", "",
			"The values of `column` that mean deleted: text, numbers, true or false, each as the column has it. A NULL never does. Required with `column`.",
			constants{&d.Values},
		},
		{
			"sql", false, "write one SELECT of the keys of deleted rows", "",
			"Instead of `column`: a SELECT of the keys of deleted rows, under the names of `key`.", statement{&d.SQL},
		},
	}
}
