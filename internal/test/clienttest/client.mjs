// Tests opensearch-js against indexerd. It prints a line for each test.
import assert from 'node:assert'
import { createRequire } from 'node:module'

const require = createRequire(process.env.CLIENTS_DIR + '/javascript/')
const { Client, errors } = require('@opensearch-project/opensearch')
const node = process.env.OPENSEARCH_URL
const auth = { username: 'any', password: process.env.TOKEN }
const client = new Client({ node, auth })
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
const search = async (body, more) => (await client.search({ index: 'film', body, ...more })).body

async function refused(status, what, call) {
  try {
    await call()
  } catch (e) {
    assert(e instanceof errors.ResponseError, e.message)
    equal(e.statusCode, status)
    assert(JSON.stringify(e.body ?? '').includes(what), JSON.stringify(e.body))
    return
  }
  assert.fail('no error')
}

await check('info', async () => {
  equal((await client.ping()).statusCode, 200)
  equal((await client.info()).body.version.distribution, 'opensearch')
})
await check('search', async () => {
  const a = await search({ query: { match: { title: 'shark' } }, _source: ['title'] })
  equal([a.hits.total.value, a.hits.hits.length, a.hits.hits[0]._source], [25, 10, { title: 'Shark 10' }])
})
await check('page', async () => {
  const a = await search({ sort: ['id_text'] }, { from: 120, size: 50 })
  equal(a.hits.hits.length, 5)
})
await check('search_after', async () => {
  const seen = new Set()
  for (let after; ;) {
    const { hits } = (await search({ size: 40, sort: [{ year: 'desc' }, { _id: 'asc' }], search_after: after })).hits
    if (hits.length === 0) break
    hits.forEach((h) => seen.add(h._id))
    after = hits.at(-1).sort
  }
  equal(seen.size, 125)
})
await check('helpers.scrollSearch', async () => {
  let pages = 0, n = 0
  for await (const page of client.helpers.scrollSearch({ index: 'film', size: 50, body: { query: { match_all: {} } } })) {
    pages++
    n += page.documents.length
  }
  equal([pages, n], [3, 125])
})
await check('helpers.scrollDocuments', async () => {
  const titles = new Set()
  for await (const d of client.helpers.scrollDocuments({ index: 'film', size: 20, body: { query: { match: { title: 'drama' } } } })) titles.add(d.title)
  equal(titles.size, 100)
})
await check('helpers.search', async () => equal((await client.helpers.search({ index: 'film', body: { query: { match: { title: 'shark' } } } })).length, 10))
await check('helpers.msearch', async () => {
  const m = client.helpers.msearch({ operations: 3 })
  const [a, b] = await Promise.all([m.search({ index: 'film' }, { query: { match: { title: 'shark' } } }), m.search({ index: 'film' }, { query: { match: { title: 'secret' } } })])
  equal([a.documents.length, b.documents.length], [10, 0])
  await assert.rejects(m.search({ index: 'book' }, { query: { match_all: {} } }))
  m.stop()
})
await check('scroll', async () => {
  const first = await search({ size: 100 }, { scroll: '1m' })
  const { body } = await client.scroll({ body: { scroll_id: first._scroll_id, scroll: '1m' } })
  equal(body.hits.hits.length, 25)
  equal((await client.clearScroll({ body: { scroll_id: [first._scroll_id] } })).body.num_freed, 1)
  await refused(404, 'search_context_missing_exception', () => client.scroll({ body: { scroll_id: first._scroll_id } }))
})
await check('point in time', async () => {
  const pit = (await client.createPit({ index: 'film', keep_alive: '1m' })).body.pit_id
  const a = (await client.search({ body: { size: 100, pit: { id: pit, keep_alive: '1m' }, sort: ['_shard_doc'] } })).body
  const b = (await client.search({ body: { size: 100, pit: { id: pit }, sort: ['_shard_doc'], search_after: a.hits.hits.at(-1).sort } })).body
  equal(b.hits.hits.length, 25)
  equal((await client.deletePit({ body: { pit_id: [pit] } })).body.pits[0].successful, true)
})
await check('msearch', async () => {
  const { responses } = (await client.msearch({ body: [{ index: 'film' }, { size: 0 }, { index: 'book' }, {}] })).body
  equal([responses[0].hits.total.value, responses[1].status], [125, 404])
})
await check('documents', async () => {
  equal((await client.get({ index: 'film', id: '10' })).body._source.title, 'Shark 10')
  equal((await client.getSource({ index: 'film', id: '10' })).body.year, 2000)
  equal([(await client.exists({ index: 'film', id: '10' })).body, (await client.exists({ index: 'film', id: '11' })).body], [true, false])
  equal((await client.mget({ index: 'film', body: { ids: ['10', '11'] } })).body.docs.map((d) => d.found), [true, false])
  await refused(404, '"found":false', () => client.get({ index: 'film', id: '11' }))
})
await check('count', async () => equal((await client.count({ index: 'film', body: { query: { term: { rating: 'PG' } } } })).body.count, 42))
await check('indices', async () => {
  equal([(await client.indices.exists({ index: 'film' })).body, (await client.indices.exists({ index: 'book' })).body], [true, false])
  equal((await client.indices.getMapping({ index: 'film' })).body.film.mappings.properties.rating.type, 'keyword')
  equal((await client.indices.analyze({ index: 'film', body: { text: 'The Shark' } })).body.tokens.length, 2)
})
await check('fieldCaps', async () => {
  const { fields } = (await client.fieldCaps({ index: 'film', fields: '*' })).body
  equal([fields.year.double.aggregatable, fields.grp], [true, undefined])
})
await check('cat', async () => {
  equal((await client.cat.count({ index: 'film', h: 'count', format: 'json' })).body[0].count, '125')
  equal((await client.cluster.health()).body.status, 'green')
})
await check('highlight and suggest', async () => {
  const a = await search({
    size: 1, query: { match: { plot: 'submarine' } }, highlight: { fields: { plot: {} } },
    suggest: { s: { text: 'shaqk', term: { field: 'title' } } }
  })
  assert(a.hits.hits[0].highlight.plot[0].includes('<em>submarine</em>'))
  equal(a.suggest.s[0].options[0].text, 'shark')
})
await check('filter_path', async () => equal(await search({}, { filter_path: 'hits.total.value' }), { hits: { total: { value: 125 } } }))
await check('q', async () => equal((await client.search({ index: 'film', q: 'title:shark', size: 0 })).body.hits.total.value, 25))
await check('aggregations', async () => {
  const a = await search({ size: 0, aggs: { ratings: { terms: { field: 'rating' }, aggs: { newest: { max: { field: 'year' } } } } } })
  equal(a.aggregations.ratings.buckets.map((b) => [b.key, b.doc_count, b.newest.value]), [['PG', 42, 2008], ['R', 42, 2008], ['G', 41, 2008]])
})
await check('errors', async () => {
  await refused(400, 'parsing_exception', () => search({ query: { geo_shape: {} } }))
  await refused(404, 'index_not_found_exception', () => client.search({ index: 'book' }))
  await refused(405, 'read-only', () => client.index({ index: 'film', id: '1', body: {} }))
  await refused(405, 'read-only', () => client.indices.delete({ index: 'film' }))
  await refused(401, 'security_exception', () => new Client({ node, auth: { username: 'any', password: 'wrong' } }).info())
})
await check('sniff', async () => {
  const sniffing = new Client({ node, auth, sniffOnStart: true })
  await new Promise((resolve, reject) => sniffing.on('sniff', (e) => (e ? reject(e) : resolve())))
  equal((await sniffing.count({ index: 'film' })).body.count, 125)
})
process.exit(failed ? 1 : 0)
