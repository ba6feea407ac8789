package configs

func incrementalKeys(i *Incremental) []key {
	return []key{
		{"every", false, "write a duration such as 1s", "1s", "The interval of the pass.", duration{to: &i.Every}},
	}
}

func compensateKeys(c *Compensate) []key {
	return []key{
		{
			"horizon", false, "write auto, exact or timeout", "auto",
			"How the settled time is found. `auto`: by the horizon, the time of the oldest open transaction, or by the tiers while it is not available. `timeout`: by the tiers. `exact`: by the horizon; while it is not available, the table is failing and its settled time does not advance.",
			choice{&c.Horizon, "horizon", []string{"auto", "exact", "timeout"}, nil},
		},
		{"every", false, "write a duration such as 2s", "2s", "The interval of the pass that uses the horizon.", duration{to: &c.Every}},
		{
			"slack", false, "write a duration such as 1s", "1s",
			"A time subtracted from the horizon, for clocks that differ a little.", duration{to: &c.Slack},
		},
		{
			"tiers", false, "list the tiers: [{every: 1m, timeout: 1m}, ...]", "1m, 3m and 10m settled",
			"The tiers, from the shortest to the longest. Each compares a recent window of the table again.",
			list{
				func() value {
					c.Tiers = append(c.Tiers, Tier{})
					return mapping{tierKeys(&c.Tiers[len(c.Tiers)-1])}
				},
			},
		},
		{
			"tree", false, "write how much memory stamps may use, such as 64MiB", "64MiB",
			"The memory for the stamps of indexed rows. Further stamps are on disk.", size{to: &c.Tree},
		},
	}
}

// tierKeys are the keys of a tier. every comes before name, since the text of
// every is the default name.
func tierKeys(t *Tier) []key {
	return []key{
		{"every", true, "write a duration such as 1m", "", "The interval of the tier.", duration{&t.Every, &t.Name}},
		{
			"name", false, "write letters, digits, ., _ and -", "every, as written",
			"The tier's name in `status` and in the marks. A tier with a new name starts from the settled time.", text{&t.Name},
		},
		{
			"timeout", true, "write how far back the tier looks, such as 1m", "",
			"How far back the tier looks: the longest transaction whose rows it finds.", duration{to: &t.Timeout},
		},
		{"start", false, "write when the tier first runs after the load, such as 1m", "the tier's every", "When the tier first runs after the load.", duration{to: &t.Start}},
		{
			"end", false, "write latest, settled, or a duration no longer than the timeout", "latest",
			"The end of the window: the last incremental mark (`latest`), the mark minus `timeout` (`settled`), or the mark minus a duration.",
			tierEnd{&t.End},
		},
	}
}

func deleteCheckKeys(d *DeleteCheck) []key {
	return []key{
		{"every", false, "write a duration such as 1h", "1h", "The interval of the sweep.", duration{to: &d.Every}},
		{
			"share", false, "write a number above 0, up to 1", "0.5",
			"The fraction of time in which a scheduled sweep works. It pauses for the rest.", decimal{&d.Share, 1},
		},
		{
			"max_fraction", false, "write a number above 0, up to 1", "0.2",
			"The fraction of the documents that may be removed within an hour because their rows are gone. Removals that exceed both this and `max_count` are held until `indexerd sweep TABLE --allow N`.",
			decimal{&d.MaxFraction, 1},
		},
		{
			"max_count", false, "write a whole number from 1", "100",
			"The number of documents that may always be removed within an hour.", number{&d.MaxCount, 1, 1_000_000_000},
		},
	}
}

func pagesKeys(p *Pages) []key {
	return []key{
		{
			"versions", false, "write how many versions of a document are kept, 1 to 1000", "1",
			"How many versions of a document are kept, including the newest.", number{&p.Versions, 1, 1000},
		},
		{
			"compression", false, "write s2, zstd or none", "s2",
			"The compression: `s2` is faster, `zstd` smaller.", choice{&p.Compression, "compression", []string{"s2", "zstd", "none"}, nil},
		},
	}
}
