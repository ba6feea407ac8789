package inspect

import (
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest/films"
	"indexerd/internal/test/sampletext"
)

func TestAnalyzerOf(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"English": {`The dog ran across the street and the child called it, but it did not hear. The next morning it was back as if
			nothing had happened, and the mother said that they would not leave it alone again. There is a market in the town with fruit and bread, which they have every Friday in the summer.`, "en"},
		"too few words": {"The dog and the cat", ""},
		"names":         {strings.Repeat("Angus Young, Malcolm Young, Brian Johnson, Doors. ", 10), ""},
		"Chinese":       {strings.Join(sampletext.Chinese(20), "\n"), "cjk"},
		"Japanese":      {"吾輩は猫である。名前はまだ無い。", "cjk"},
		"Korean":        {"나는 고양이다 abc", "cjk"},
		"a few letters": {strings.Repeat("Antwort auf die Frage der Kunden ", 10) + "猫", ""},
		"nothing":       {"", ""},
		"German":        {`Der Hund lief über die Straße und das Kind rief ihm nach, aber er hörte nicht. Am nächsten Morgen war er wieder da, als wäre nichts geschehen, und die Mutter sagte, dass sie ihn nicht mehr allein lassen will. In der Stadt gab es an diesem Tag einen Markt mit Obst und Gemüse. Wir gehen jeden Freitag dort hin, um Brot und Käse zu kaufen. Das Band der Maschine war gerissen, und der Meister hat es in einer Stunde repariert. Die Lieferung erfolgt in drei Tagen, sofern der Artikel im Lager ist. Bitte prüfen Sie die Angaben auf der Rechnung, bevor Sie bezahlen.`, ""},
		"French":        {`Le chien traversa la rue et l'enfant l'appela, mais il ne l'entendit pas. Le lendemain matin il était de retour comme si de rien n'était, et la mère dit qu'elle ne voulait plus le laisser seul. En ville il y avait ce jour un marché de fruits et de légumes. Nous y allons chaque vendredi pour acheter du pain et du fromage. La livraison se fait en trois jours si l'article est en stock. Veuillez vérifier les informations sur la facture avant de payer. Les livres que tu as lus sont sur la table de la cuisine.`, ""},
		"Dutch":         {`De hond liep over de straat en het kind riep hem na, maar hij hoorde het niet. De volgende ochtend was hij er weer, alsof er niets gebeurd was, en de moeder zei dat zij hem niet meer alleen wilde laten. In de stad was er die dag een markt met groente of fruit. Wij gaan er elke vrijdag heen om brood en kaas te kopen. De levering is binnen drie dagen als het artikel in voorraad is. Controleer de gegevens op de factuur of bel ons voordat u betaalt. Dit was het einde van het verhaal of het begin ervan.`, ""},
		"Danish":        {`Hunden løb over gaden, og barnet kaldte på den, men den hørte det ikke. Næste morgen var den tilbage, som om intet var sket, og moren sagde, at hun ikke ville have den alene mere. I byen var der marked den dag med frugt og grønt. Vi går derhen hver fredag for at købe brød og ost. Leveringen sker i løbet af tre dage, hvis varen er på lager. Kontroller oplysningerne på fakturaen, før du betaler.`, ""},
		"Polish":        {`Pies przebiegł przez ulicę, a dziecko go zawołało, ale on tego nie usłyszał. Następnego ranka był z powrotem, jakby nic się nie stało, i matka powiedziała, że to już nie może się powtórzyć. W mieście był tego dnia targ z owocami i warzywami. To jest dobry chleb i ser. Dostawa nastąpi w ciągu trzech dni, jeśli to możliwe. Proszę sprawdzić dane na fakturze.`, ""},
		"Spanish":       {`El perro cruzó la calle y el niño lo llamó, pero no lo oyó. A la mañana siguiente estaba de vuelta como si nada hubiera pasado, y la madre dijo que no quería dejarlo solo. En la ciudad había ese día un mercado de frutas y verduras. Vamos allí cada viernes para comprar pan y queso. La entrega se hace en tres días si el artículo está en el almacén. Por favor compruebe los datos de la factura antes de pagar. He leído el libro que me has dado.`, ""},
		"Italian":       {`Il cane attraversò la strada e il bambino lo chiamò, ma non lo sentì. La mattina dopo era di nuovo lì come se niente fosse, e la madre disse che non voleva più lasciarlo solo. In città quel giorno c'era un mercato di frutta e verdura. Ci andiamo ogni venerdì per comprare pane e formaggio. La consegna avviene in tre giorni se l'articolo è in magazzino. Si prega di controllare i dati della fattura prima di pagare. Ho letto il libro che mi hai dato.`, ""},
	} {
		if got := analyzerOf(strings.Split(c.text, "\n")); got.name != c.want || (got.why == "") != (c.want == "") {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
}

// The analyzer is chosen from the texts of the content, under their names in the
// SQL.
func TestAnalyzerIsSampled(t *testing.T) {
	c, open := postgres(t, func(dsn string) { films.Load(t, dsn) })
	s := pagilaAt
	asked := map[string][]string{}
	s.Texts = func(sql string, columns []string) []string {
		asked[sql[strings.Index(sql, "\nFROM ")+6:]] = columns
		if slices.Contains(columns, "description") {
			return []string{strings.Repeat("that would be the one ", 20)}
		}
		return []string{"タワー"}
	}
	c.Tables = append(c.Tables, doc.CatalogTable{SQL: "n", Columns: []doc.CatalogColumn{{Name: "id", Kind: doc.NumberColumn, Key: true}}, Keys: [][]string{{"id"}}})
	yaml, _ := Config(c, s)
	for _, want := range []string{
		"# en: the sampled texts are English: singular finds plural\n    content: {fields: [title, description], analyzer: en, boosts: {title: 3}}\n    title: title  # hits show it in place of the key, and it counts 3 times in their order\n",
		"# cjk: many of the sampled characters are Chinese, Japanese or Korean\n    content: {fields: [name], analyzer: cjk, boosts: {name: 3}}\n    title: name  # hits",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("got\n%s\nwant %q in it", yaml, want)
		}
	}
	if !slices.Equal(asked["film"], []string{"title", "description"}) || asked["n"] != nil {
		t.Errorf("got samples of %v, want title and description of film, and none of n", asked)
	}
	c.Tables = c.Tables[:len(c.Tables)-1]
	yaml, _ = Config(c, s)
	works(t, yaml, open)
}
