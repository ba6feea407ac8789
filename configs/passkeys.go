package configs

func incrementalKeys(i *Incremental) []key {
	return []key{
		{"every", false, "write a duration such as 1s", "1s", "The time between two looks.", duration{to: &i.Every}},
	}
}

func compensateKeys(c *Compensate) []key {
	return []key{
		{
			"horizon", false, "write auto, exact or timeout", "auto",
			"`auto` asks the database what may still come, and falls back to the tiers while it can't say; `timeout` uses the tiers alone. With `exact` nothing is assumed: while the database can't say, the table counts as failing and is not settled further.",
			choice{&c.Horizon, "horizon", []string{"auto", "exact", "timeout"}, nil},
		},
		{"every", false, "write a duration such as 2s", "2s", "The time between two comparisons where the database's word is used.", duration{to: &c.Every}},
		{
			"slack", false, "write a duration such as 1s", "1s",
			"How much is taken off the database's word, for clocks that differ a little.", duration{to: &c.Slack},
		},
		{
			"tiers", false, "list the schedules: [{every: 1m, timeout: 1m}, ...]", "1m, 3m and 10m settled",
			"The schedules, from the shortest to the longest: what was indexed in the last while is compared again.",
			list{
				func() value {
					c.Tiers = append(c.Tiers, Tier{})
					return mapping{tierKeys(&c.Tiers[len(c.Tiers)-1])}
				},
			},
		},
		{
			"tree", false, "write how much memory compared stamps may take, such as 64MiB", "64MiB",
			"The memory for the stamps of what was indexed; above it they go to disk.", size{to: &c.Tree},
		},
	}
}

// tierKeys has every before name: a tier is called by its period as written
// unless a name follows.
func tierKeys(t *Tier) []key {
	return []key{
		{"every", true, "write a duration such as 1m", "", "How often it runs.", duration{&t.Every, &t.Name}},
		{
			"name", false, "write letters, digits, ., _ and -", "every, as written",
			"What it is called in `status` and in the marks: a tier under a new name begins anew.", text{&t.Name},
		},
		{
			"timeout", true, "write how far back the tier looks, such as 1m", "",
			"How far back it looks: rows are found whose transaction stayed open no longer than this.", duration{to: &t.Timeout},
		},
		{"start", false, "write when it first runs after the load, such as 1m", "the tier's every", "When it first runs after the load.", duration{to: &t.Start}},
		{
			"end", false, "write latest, settled, or a duration no longer than the timeout", "latest",
			"Where its window ends: at what was last indexed (`latest`), at what no transaction can change any more (`settled`), or so long before the last.",
			tierEnd{&t.End},
		},
	}
}

func deleteCheckKeys(d *DeleteCheck) []key {
	return []key{
		{"every", false, "write a duration such as 1h", "1h", "The time between two sweeps.", duration{to: &d.Every}},
		{
			"share", false, "write a number above 0, up to 1", "0.5",
			"The share of time that a scheduled sweep works and lets the database work; it rests for the remainder.", decimal{&d.Share, 1},
		},
		{
			"max_fraction", false, "write a number above 0, up to 1", "0.2",
			"What share of the documents may be removed within an hour because their rows are gone. More, if it is also more than `max_count`, is held until `indexerd sweep TABLE --allow N`.",
			decimal{&d.MaxFraction, 1},
		},
		{
			"max_count", false, "write a whole number from 1", "100",
			"How many documents may be removed within an hour whatever share that is.", number{&d.MaxCount, 1, 1_000_000_000},
		},
	}
}

func pagesKeys(p *Pages) []key {
	return []key{
		{
			"versions", false, "write how many versions of a document are kept, 1 to 1000", "1",
			"How many versions of a document are kept, the newest included.", number{&p.Versions, 1, 1000},
		},
		{
			"compression", false, "write s2, zstd or none", "s2",
			"How they are compressed: `s2` is fast, `zstd` small.", choice{&p.Compression, "compression", []string{"s2", "zstd", "none"}, nil},
		},
	}
}
