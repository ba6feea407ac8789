// Tests Searchkit, the back end of InstantSearch, against indexerd: what its widgets ask.
import assert from 'node:assert'
import { createRequire } from 'node:module'

const require = createRequire(process.env.CLIENTS_DIR + '/page/')
const Searchkit = require('searchkit').default
const createClient = require('@searchkit/instantsearch-client').default
const client = createClient(
  new Searchkit({
    connection: { host: process.env.OPENSEARCH_URL, headers: { authorization: 'Bearer ' + process.env.TOKEN } },
    search_settings: {
      search_attributes: [{ field: 'title', weight: 3 }, 'plot'],
      result_attributes: ['title', 'plot', 'rating', 'year'],
      highlight_attributes: ['title'],
      snippet_attributes: ['plot:50'],
      facet_attributes: ['rating', { attribute: 'year', field: 'year', type: 'numeric' }, { attribute: 'released', field: 'released', type: 'date' }],
      filter_attributes: [{ attribute: 'name', field: 'title.keyword', type: 'string' }],
      sorting: { default: { field: '_score', order: 'desc' }, _newest: [{ field: 'year', order: 'desc' }, { field: 'id_text', order: 'asc' }] },
    },
  }),
)
let failed = false

async function check(name, test) {
  try {
    await test()
    console.log('ok', name)
  } catch (e) {
    failed = true
    console.log(`not ok ${name}: ${String(e.message).replaceAll('\n', ' ')}`)
  }
}

const equal = assert.deepStrictEqual
const ask = async (params, indexName = 'film') => (await client.search([{ indexName, params }])).results[0]

await check('hits', async () => {
  const a = await ask({ query: 'shark' })
  equal([a.nbHits, a.hits.length, a.nbPages, a.hits[0].title, a.hits[0].objectID], [25, 20, 2, 'Shark 10', '10'])
})
await check('highlight', async () => {
  const { _highlightResult, _snippetResult } = (await ask({ query: 'shark submarine' })).hits[0]
  equal(_highlightResult.title.matchedWords, ['Shark'])
  assert(_snippetResult.plot.value.includes('>submarine<'), _snippetResult.plot.value)
})
await check('fuzzy', async () => equal((await ask({ query: 'shrak' })).nbHits, 25))
await check('prefix', async () => equal((await ask({ query: 'sha' })).nbHits, 25))
await check('everything', async () => equal((await ask({ query: '' })).nbHits, 125))
await check('page', async () => equal((await ask({ query: '', page: 6, hitsPerPage: 20 })).hits.length, 5))
await check('facets', async () => {
  const a = await ask({ query: 'shark', facets: ['rating', 'year'] })
  equal([a.facets.rating, a.facets.year, a.facets_stats.year.max], [{ PG: 9, G: 8, R: 8 }, { 2000: 25 }, 2000])
})
await check('refinement', async () => equal((await ask({ query: 'shark', facetFilters: [['rating:PG', 'rating:G']], facets: ['rating'] })).nbHits, 17))
await check('several refinements', async () => equal((await ask({ query: '', facetFilters: [['rating:PG'], ['year:2004']] })).hits.every((h) => h.rating === 'PG' && h.year === 2004), true))
await check('numeric range', async () => equal((await ask({ query: '', numericFilters: ['year>=2004', 'year<=2006'] })).nbHits, 50))
await check('date range', async () => equal((await ask({ query: '', numericFilters: [`released>=${Date.UTC(2020, 0, 3)}`, `released<=${Date.UTC(2020, 0, 7)}`] })).nbHits, 3))
await check('filter', async () => equal((await ask({ query: '', facetFilters: ['name:Shark 10'] })).nbHits, 1))
await check('sort', async () => equal((await ask({ query: '' }, 'film_newest')).hits[0].year, 2008))
await check('values of a facet', async () => {
  const [a] = await client.searchForFacetValues([{ indexName: 'film', params: { facetName: 'rating', facetQuery: 'P' } }])
  equal(a.facetHits.map((h) => [h.value, h.count]), [['PG', 42]])
})
await check('several searches', async () => {
  const a = await client.search(['shark', 'drama'].map((query) => ({ indexName: 'film', params: { query } })))
  equal(a.results.map((r) => r.nbHits), [25, 100])
})
await check('hidden', async () => equal((await ask({ query: 'secret', facets: ['rating'] })).nbHits, 0))
process.exit(failed ? 1 : 0)
