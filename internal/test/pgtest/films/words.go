package films

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// description is one sentence. The documents' examples search for drama, shark,
// boat and mad scientist.
func description(r *rand.Rand) string {
	return fmt.Sprintf("%s %s of %s and %s who %s %s %s",
		pick(r, moods), pick(r, genres), pick(r, heroes), pick(r, heroes), pick(r, deeds), pick(r, heroes), pick(r, places))
}

var (
	languages  = []string{"English", "Finnish", "Portuguese", "Korean", "Turkish", "Swahili"}
	categories = []string{"Adventure", "Biography", "Comedy", "Crime", "Dance", "Family", "History", "Horror", "Music", "Mystery", "Nature", "Romance", "Science", "Thriller", "War", "Western"}
	ratings    = []string{"G", "PG", "PG-13", "R", "NC-17"}
	features   = []string{`{Trailers}`, `{"Deleted Scenes"}`, `{"Deleted Scenes",Interviews}`, `{Trailers,"Deleted Scenes",Interviews}`, `\N`}

	moods  = []string{"A Quiet", "A Bitter", "A Gentle", "A Noisy", "A Clever", "A Stormy", "A Lost", "A Merry", "A Dusty", "An Endless"}
	genres = []string{"Drama", "Saga", "Fable", "Riddle", "Farce", "Ballad", "Memoir", "Chronicle"}
	heroes = []string{
		"a Mad Scientist", "an Astronaut", "a Dog", "a Dogcatcher", "a Shark", "a Lighthouse Keeper", "a Baker", "a Beekeeper", "a Night Nurse", "a Piano Tuner",
		"a Cartographer", "a Ferryman", "a Magician", "a Widow", "an Otter", "a Locksmith", "a Plumber", "a Penguin", "a Ghost", "a Goalkeeper",
	}
	deeds  = []string{"must Rescue", "must Outwit", "must Forgive", "must Follow", "must Teach", "must Betray", "must Marry", "must Find"}
	places = []string{
		"on a Boat", "on a Glacier", "in a Museum", "at a Border Station", "in an Abandoned Cinema", "at a Volcano", "in Lisbon", "on the Night Train",
		"in a Salt Mine", "at a Wedding", "in a Greenhouse", "behind a Waterfall",
	}

	titles = strings.Fields(`ACADEMY AMBER ANCHOR AUTUMN BAMBOO BASALT CANDLE CARNIVAL CEDAR COBALT COPPER CRIMSON DESERT DIAMOND ECHO EMBER FALCON
		FEATHER GRANITE HARBOR IVORY JASMINE KETTLE LANTERN LEMON MARBLE MEADOW NEON OPAL ORCHARD PAPER PEPPER QUARTZ RAVEN SATIN SILVER THUNDER VELVET WILLOW ZINC`)
	subjects = strings.Fields(`DINOSAUR ALIBI BARGAIN BRIDGE CABIN CHORUS CIPHER COMPASS CURTAIN DETOUR EMPIRE ENGINE FAREWELL FOUNTAIN GAMBIT HARVEST HORIZON
		INVENTION JOURNEY JUBILEE KINGDOM LABYRINTH LETTER LOTTERY MACHINE MIRROR ORBIT PARADE PASSPORT PUZZLE QUARREL RAINBOW REBELLION SHADOW SIGNAL SUMMIT TREASURE TUNNEL VERDICT WHISPER`)

	firstNames = strings.Fields(`PENELOPE AMINA BORIS CLARA DIEGO ELENA FARID GRETA HUGO INGRID JONAS KEIKO LUCA MIRIAM NADIA OSCAR PETRA RAVI SELMA TOMAS ULLA VIKTOR WANDA YUSUF ZOE`)
	lastNames  = strings.Fields(`GUINESS ABARA BLOMQVIST CASTELLI DRAGAN ESPOSITO FONTAINE GRIMALDI HOLLOWAY IBSEN JABLONSKI KOVACS LINDGREN MBEKI NAKATA OKONKWO PELLETIER QUINTERO ROSSELLI SANDOVAL`)
	families   = strings.Fields(`ALMEIDA BERGER COSTA DUNCAN ENGEL FISCHER GARCIA HANSEN IVANOV JENSEN KELLER LARSEN MORENO NOVAK OLSEN PEREIRA RIVERA STEIN TANAKA WEBER`)
)
