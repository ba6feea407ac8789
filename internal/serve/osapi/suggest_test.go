package osapi

import (
	"fmt"
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for i := range 30 { // more documents than are read at a time
		w.put(t, "film", map[string]any{"id": 100 + i, "title": "sharp sharks", "plot": "scientist", "grp": "sales"})
	}
	w.put(t, "film", map[string]any{"id": 200, "title": "shard", "grp": "sales"}, map[string]any{"id": 201, "title": "sherd espionaje", "grp": "boss"})
	for name, c := range map[string]struct{ suggest, want string }{
		"term":             {`"s":{"text":"the Shaqk film","term":{"field":"title"}}`, `{"s":[{"text":"the","offset":0,"length":3,"options":[]},{"text":"shaqk","offset":4,"length":5,"options":[{"text":"shark","score":0.8,"freq":2},{"text":"sharks","score":0.6,"freq":30},{"text":"sharp","score":0.6,"freq":30},{"text":"shard","score":0.6,"freq":1}]},{"text":"film","offset":10,"length":4,"options":[]}]}`},
		"size":             {`"s":{"text":"shaqk","term":{"field":"title","size":1}}`, `"options":[{"text":"shark","score":0.8,"freq":2}]}]}`},
		"sort":             {`"s":{"text":"shaqk","term":{"field":"title","size":1,"sort":"frequency"}}`, `"options":[{"text":"sharks","score":0.6,"freq":30}]}]}`},
		"one edit":         {`"s":{"text":"shaqk","term":{"field":"title","max_edits":1}}`, `"options":[{"text":"shark","score":0.8,"freq":2}]}]}`},
		"correct":          {`"s":{"text":"shark","term":{"field":"title"}}`, `{"s":[{"text":"shark","offset":0,"length":5,"options":[]}]}`},
		"always":           {`"s":{"text":"shark","term":{"field":"title","suggest_mode":"always","max_edits":1}}`, `"options":[{"text":"sharks","score":0.8,"freq":30},{"text":"sharp","score":0.8,"freq":30},{"text":"shard","score":0.8,"freq":1}]}]}`},
		"popular":          {`"s":{"text":"shark","term":{"field":"title","suggest_mode":"popular","max_edits":1}}`, `"options":[{"text":"sharks","score":0.8,"freq":30},{"text":"sharp","score":0.8,"freq":30}]}]}`},
		"prefix":           {`"s":{"text":"xhark","term":{"field":"title"}}`, `"options":[]}]}`},
		"no prefix":        {`"s":{"text":"xhark","term":{"field":"title","prefix_length":0,"max_edits":1}}`, `"options":[{"text":"shark"`},
		"short word":       {`"s":{"text":"sha","term":{"field":"title"}}`, `"options":[]}]}`},
		"hidden word":      {`"s":{"text":"espionage secred","term":{"field":"title"}}`, `{"s":[{"text":"espionage","offset":0,"length":9,"options":[]},{"text":"secred","offset":10,"length":6,"options":[]}]}`},
		"global text":      {`"text":"shaqk","s":{"term":{"field":"title","size":1}}`, `"options":[{"text":"shark"`},
		"phrase":           {`"s":{"text":"the Shaqk sharp","phrase":{"field":"title","size":1,"highlight":{"pre_tag":"<b>","post_tag":"</b>"}}}`, `{"s":[{"text":"the Shaqk sharp","offset":0,"length":15,"options":[{"text":"the shark sharp","highlighted":"the <b>shark</b> sharp","score":0.8}]}]}`},
		"correct phrase":   {`"s":{"text":"shark sharp","phrase":{"field":"title"}}`, `"options":[]}]}`},
		"two errors":       {`"s":{"text":"shaqk sharq","phrase":{"field":"title"}}`, `"options":[]}]}`},
		"two allowed":      {`"s":{"text":"shaqk sharq","phrase":{"field":"title","max_errors":2,"size":1}}`, `"options":[{"text":"shark shar`},
		"completion":       {`"s":{"prefix":"sha","completion":{"field":"title"}}`, "[suggest] completion is not supported"},
		"two kinds":        {`"s":{"text":"sha","term":{"field":"title"},"phrase":{"field":"title"}}`, "[suggest] needs one of term and phrase"},
		"no text":          {`"s":{"term":{"field":"title"}}`, "[suggest] needs [text]"},
		"keyword":          {`"s":{"text":"x","term":{"field":"rating"}}`, "[suggest] on field [rating] is not supported"},
		"unknown field":    {`"s":{"text":"x","term":{"field":"grp"}}`, "no mapping found for field [grp]"},
		"unknown option":   {`"s":{"text":"x","phrase":{"field":"title","collate":{}}}`, "[phrase] does not support [collate]"},
		"unknown mode":     {`"s":{"text":"x","term":{"field":"title","suggest_mode":"never"}}`, "[suggest] suggest_mode is missing or popular or always"},
		"many edits":       {`"s":{"text":"x","term":{"field":"title","max_edits":3}}`, "[suggest] max_edits is 1 or 2"},
		"many words":       {`"s":{"text":"` + strings.Repeat("word ", 17) + `","term":{"field":"title"}}`, "more than 16 words"},
		"many suggestions": {manySuggestions(9), "more than 8 suggestions"},
	} {
		status, got := w.ask(sales, "POST", "/film/_search?filter_path=suggest", `{"size":0,"suggest":{`+c.suggest+`}}`)
		want := 400
		if strings.Contains(c.want, `"options"`) {
			want = 200
		}
		if status != want || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %d with %s", name, status, got, want, c.want)
		}
	}
	body := `{"size":0,"suggest":{"s":{"text":"shaqk","term":{"field":"title"}},"p":{"text":"shaqk","phrase":{"field":"title"}}}}`
	w.want(t, sales, "POST", "/film/_search?typed_keys=true", body, 200, `"suggest":{"phrase#p":[`)
	w.want(t, guest, "POST", "/film/_search", body, 200, `"suggest":{"p":[{"text":"shaqk","offset":0,"length":5,"options":[]}]`)
	w.want(t, ops, "POST", "/film/_search", `{"size":0,"suggest":{"s":{"text":"secred","term":{"field":"title"}}}}`, 200, `"options":[{"text":"secret"`)
}

func manySuggestions(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"s%d":{"text":"x","term":{"field":"title"}}`, i)
	}
	return strings.Join(list, ",")
}
