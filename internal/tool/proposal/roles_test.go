package proposal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

// roleNames are the roles as the table of TestRoles has them.
var roleNames = []string{"document", "part", "link", "code", "record", "bare"}

// Tables of public schemas, each with its role. A column is a text, n: a number, d: a time;
// >t refers to the table t, and >>t is deleted with its row; * is of the key. #n is the
// number of rows.
func TestRoles(t *testing.T) {
	for name, schema := range map[string]string{
		"MusicBrainz": `
			document artist: *n:id name sort_name comment >area >artist_type n:edits_pending
			document area: *n:id name comment >area_type
			document recording: *n:id name >artist_credit n:length comment
			document artist_credit: *n:id name n:artist_count
			document annotation: *n:id >editor text changelog d:created
			document editor: *n:id name email bio
			document tag: *n:id name n:ref_count
			part artist_alias: *n:id >artist name locale sort_name >artist_alias_type
			part artist_credit_name: *>artist_credit *n:position >artist name join_phrase
			part example: *>l_artist_recording name
			link artist_tag: *>artist *>tag n:count
			link artist_annotation: *>artist *>annotation
			link l_artist_recording: *n:id >link >artist >recording entity0_credit entity1_credit
			code artist_type: *n:id name >artist_type description
			code area_type: *n:id name description
			code artist_alias_type: *n:id name description
			record artist_gid_redirect: *gid >artist d:created
			record artist_tag_raw: *>artist *>editor *>tag n:is_upvote
			record artist_meta: *>artist n:rating
			bare link: *n:id >link_type d:created
			code link_type: *n:id name description
			bare cdtoc: *n:id discid n:track_count`,
		"Zabbix": `
			document hosts: *n:hostid host name description n:status
			document items: *n:itemid >>hosts name key_ description units
			document triggers: *n:triggerid expression description comments
			document hstgrp: *n:groupid name n:internal n:flags uuid
			document users: *n:userid username name surname
			part alerts: *n:alertid >>actions >>users sendto subject message
			document actions: *n:actionid name n:eventsource n:evaltype n:status n:pause_suppressed
			part item_tag: *n:itemtagid >>items tag value
			part host_inventory: *>>hosts name alias os location
			part hostmacro: *n:hostmacroid >>hosts macro description
			link hosts_groups: *n:hostgroupid >>hosts >>hstgrp
			link functions: *n:functionid >>items >>triggers name parameter
			record auditlog: *n:auditid username resourcename details
			record history_text: n:itemid n:clock value n:ns
			record config: *n:configid work_period`,
		"Chinook #": `
			document Artist#275: *n:ArtistId Name
			document Album#347: *n:AlbumId Title >Artist
			document Track#3503: *n:TrackId Name >Album >MediaType >Genre Composer
			document Playlist#18: *n:PlaylistId Name
			document Customer#59: *n:CustomerId FirstName LastName Company Address >Employee
			document Employee#8: *n:EmployeeId LastName FirstName Title >Employee
			document Invoice#412: *n:InvoiceId >Customer BillingAddress BillingCity BillingState
			link InvoiceLine#2240: *n:InvoiceLineId >Invoice >Track n:UnitPrice
			link PlaylistTrack#8715: *>Playlist *>Track
			code Genre#25: *n:GenreId Name
			code MediaType#5: *n:MediaTypeId Name`,
		"Pagila": `
			document film#1000: *n:film_id title description >language d:last_update
			document actor#200: *n:actor_id first_name last_name d:last_update
			document city#600: *n:city_id city >country d:last_update
			document customer#599: *n:customer_id >store first_name last_name email >address
			document address#603: *n:address_id address address2 district >city postal_code phone
			link film_actor#5462: *>actor *>film d:last_update
			link film_category#1000: *>film *>category d:last_update
			link inventory#4581: *n:inventory_id >film >store
			link rental#16044: *n:rental_id d:rental_date >inventory >customer
			code language#6: *n:language_id name d:last_update
			code category#16: *n:category_id name d:last_update
			code country#109: *n:country_id country d:last_update
			bare store#2: *n:store_id >address d:last_update`,
		"OpenStreetMap": `
			document users: *n:id email display_name description
			document diary_entries: *n:id >users title body d:updated_at
			document notes: *n:id n:latitude n:longitude description
			document messages: *n:id >users title body
			document reports: *n:id >issues >users details
			part diary_comments: *n:id >diary_entries >users body
			part note_comments: *n:id >notes >users body
			part issue_comments: *n:id >issues >users body
			record user_preferences: *>users *k v
			record diary_entry_subscriptions: *>users *>diary_entries
			link issues: *n:id >users >users`,
		"Kea": `
			document hosts: *n:host_id hostname notes >host_identifier_type
			part ipv6_reservations: *n:reservation_id address >>hosts
			code host_identifier_type: *n:type name
			record dhcp4_audit_revision: *n:id d:modification_ts log_message
			record lease4_stat: *n:subnet_id n:state n:leases`,
		"A forum #": `
			document topics#5: *n:id title
			document posts#251: *n:id >topics >users body
			document users#40: *n:id name bio
			part replies#200: *n:id >topics body`,
		"Northwind #": `
			document products#77: *n:product_id product_name >suppliers >categories n:unit_price
			document suppliers#29: *n:supplier_id company_name contact_name address city region
			document orders#830: *n:order_id >customers >employees ship_name ship_address
			document customers#91: *customer_id company_name contact_name
			document employees#9: *n:employee_id last_name first_name notes
			link order_details#2155: *>orders *>products n:quantity
			code categories#8: *n:category_id category_name description
			document territories#53: *territory_id territory_description >region
			code region#4: *n:region_id region_name`,
		"Without foreign keys, Request Tracker": `
			document tickets: *n:id n:queue subject d:lastupdated
			document queues: *n:id name description
			document users: *n:id name comments emailaddress
			document attachments: *n:id subject content headers
			record acl: *n:id rightname
			record authtokens: *n:id description
			record configurations: *n:id name content
			bare cachedgroupmembers: *n:id n:groupid n:memberid`,
	} {
		var c doc.Catalog
		want := map[string]string{}
		for line := range strings.Lines(strings.TrimSpace(schema)) {
			role, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			table := tableOf(rest)
			c.Tables, want[table.Name] = append(c.Tables, table), role
		}
		for i := range c.Tables {
			refer(c.Tables, &c.Tables[i])
		}
		for _, p := range propose(c, nil).all {
			if got := roleNames[p.role]; got != want[p.table.Name] {
				t.Errorf("%s: %s: got %s, want %s", name, p.table.Name, got, want[p.table.Name])
			}
		}
	}
}

// tableOf reads a table of TestRoles.
func tableOf(text string) doc.CatalogTable {
	head, columns, _ := strings.Cut(text, ": ")
	name, rows, _ := strings.Cut(head, "#")
	n, _ := strconv.ParseInt(rows, 10, 64)
	t := doc.CatalogTable{Name: name, SQL: name, Rows: n, Primary: true}
	var key []string
	for i, field := range strings.Fields(columns) {
		field, keyed := strings.CutPrefix(field, "*")
		c := doc.CatalogColumn{Kind: doc.TextColumn, Key: true}
		if to, refers := strings.CutPrefix(field, ">"); refers {
			to, cascades := strings.CutPrefix(to, ">")
			field = fmt.Sprintf("%s_%d_id", to, i)
			c.Kind = doc.NumberColumn
			t.References = append(t.References, doc.CatalogReference{To: to, Columns: []string{field}, Cascades: cascades})
		}
		if kind, rest, typed := strings.Cut(field, ":"); typed {
			c.Kind, field = map[string]doc.ColumnKind{"n": doc.NumberColumn, "d": doc.InstantColumn}[kind], rest
		}
		c.Name, c.SQL = field, field
		if t.Columns = append(t.Columns, c); keyed {
			key = append(key, field)
		}
	}
	if key != nil {
		t.Keys = [][]string{key}
	}
	return t
}

// refer completes the references of a table, which are to the keys of others.
func refer(all []doc.CatalogTable, t *doc.CatalogTable) {
	for i := range t.References {
		at := slices.IndexFunc(all, func(o doc.CatalogTable) bool { return o.Name == t.References[i].To })
		if at >= 0 {
			t.References[i].OtherColumns = all[at].Keys[0][:1]
		}
	}
}
