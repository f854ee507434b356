// index.js: finds sections of the documentation by words, in a thread of the browser's own. It is sent {number, query,
// most} and answers {number, query, count, found: [{path, title, kind, heading, excerpt, marks}]}; before that
// {ready: true}, or {error}.
importScripts('lunr.js')

// The words of a text as a reader may type them: `asyncAfter(deadline:)` is found by "asyncAfter", "async" and
// "deadline", `SIGNALBOX_WATCH` by itself and by "watch".
const parts = word =>
  [word, ...word.split('_'), ...word.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').split(/[ _]/)]
const words = text => (String(text ?? '').match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap(word => [...new Set(parts(word))])
  .filter(Boolean).map(word => word.toLowerCase())

lunr.tokenizer = text => words(text).map((word, position) => new lunr.Token(word, {position}))
lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u

const indexed = texts => lunr(function () {
  this.ref('place')
  this.field('title', {boost: 12})
  this.field('heading', {boost: 6})
  this.field('text')
  // All words count, also those that are rare in prose alone: "for", "is", "in" are words of code.
  this.pipeline.remove(lunr.stopWordFilter)
  this.pipeline.remove(lunr.trimmer)
  texts.forEach(([, title, , heading, text], place) => this.add({place, title, heading, text}))
})

// Each word must be there, or begin a word; if no section has them all, some of them.
const search = (index, query) => {
  const asked = [...new Set((query.match(/[\p{L}\p{N}_]+/gu) ?? []).map(word => word.toLowerCase()))]
  if (!asked.length) return []
  const ask = (presence, distance) => index.query(question => {
    for (const word of asked) {
      const stem = index.pipeline.runString(word)[0] ?? word
      question.term(stem, {boost: 8, usePipeline: false})
      question.term(word, {boost: 8, usePipeline: false})
      if (word.length > 1) {
        question.term(word, {boost: 2, usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING})
      }
      if (distance && word.length > 3) question.term(word, {usePipeline: false, editDistance: 1})
    }
  }).filter(({matchData}) => presence(asked.filter(word => Object.keys(matchData.metadata).some(
    term => term.startsWith(word) || term === index.pipeline.runString(word)[0])).length))
  const all = ask(count => count === asked.length, false)
  return all.length ? all : ask(() => true, true)
}

// The words as they stand next to one another are worth most: in a title, a heading, then the text.
const ranked = (found, texts, query) => {
  const said = query.trim().toLowerCase().replace(/\s+/g, ' ')
  const score = ({ref, score}) => {
    const [path, title, , heading, text] = texts[ref]
    const name = title.toLowerCase(), [last] = name.match(/[^.]*(\(.*\))?$/)
    // The names of C stand for Swift's, and come behind them.
    const isNamed = [name, last].some(name => name === said || name.startsWith(said.replace(/\($/, '') + '('))
    if (isNamed) return score + (path.includes('/signalboxcnames/') ? 500 : 1000)
    if (name.includes(said)) return score + 200
    if (heading.toLowerCase().includes(said)) return score + 100
    const lines = text.toLowerCase().split('\n').map(line => line.replace(/\s+/g, ' '))
    // A row of a table that begins with the words is about them.
    if (lines.some(line => line.startsWith(said + ' ·'))) return score + 100
    return score + (lines.some(line => line.startsWith(said)) ? 75 : lines.some(line => line.includes(said)) ? 50 : 0)
  }
  return found.map(one => ({place: one.ref, score: score(one)})).sort((one, other) => other.score - one.score)
}

// Some words around the first place at which the text has what was asked for, and where these stand in them.
const excerpt = (text, query) => {
  const flat = text.replace(/\s+/g, ' '), lower = flat.toLowerCase(), said = query.trim().toLowerCase().replace(/\s+/g, ' ')
  const asked = [said, ...(said.match(/[\p{L}\p{N}_]+/gu) ?? [])]
  const places = asked.map(word => lower.indexOf(word)).filter(place => place >= 0)
  const first = places.length ? places[0] : 0
  const begin = first < 60 ? 0 : lower.indexOf(' ', first - 60) + 1
  const shown = flat.slice(begin, begin + 180), low = shown.toLowerCase(), marks = []
  for (const word of low.includes(said) ? [said] : asked) {
    for (let place = low.indexOf(word); word && place >= 0; place = low.indexOf(word, place + word.length)) {
      // A word, or the beginning of one.
      if (!/[\p{L}\p{N}_]/u.test(low[place - 1] ?? ' ')) marks.push([place, place + word.length])
    }
  }
  marks.sort(([one], [other]) => one - other)
  const apart = marks.filter(([begin], place) => place === 0 || begin >= Math.max(...marks.slice(0, place).map(mark => mark[1])))
  return {excerpt: shown, marks: apart, isBegun: begin > 0, goesOn: begin + 180 < flat.length}
}

const loading = fetch('texts.json').then(answer => {
  if (!answer.ok) throw new Error(`texts.json: ${answer.status}`)
  return answer.json()
}).then(texts => ({texts, index: indexed(texts)}))
loading.then(() => postMessage({ready: true}), error => postMessage({error: error.message}))

onmessage = ({data: {number, query, most}}) => loading.then(({texts, index}) => {
  const found = ranked(search(index, query), texts, query)
  postMessage({
    number, query, count: found.length,
    found: found.slice(0, most).map(({place}) => {
      const [path, title, kind, heading, text] = texts[place]
      return {path, title, kind, heading, ...excerpt(text, query)}
    }),
  })
}, () => {})
