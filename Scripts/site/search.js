// search.js: the search of the documentation: a button on every page, and a field with what it finds. "/" opens it,
// arrows choose, Enter goes there, Escape closes. index.js finds, in a thread of its own.
(() => {
  const base = typeof baseUrl === 'string' ? baseUrl : '/', most = 40
  const made = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.append(...children)
    return element
  }

  // MARK: the field

  const field = made('input', {
    type: 'search', placeholder: 'Search text, symbols and messages', 'aria-label': 'Search', autocomplete: 'off', spellcheck: 'false',
    role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'site-search-list'})
  const list = made('ul', {id: 'site-search-list', role: 'listbox', 'aria-label': 'Results'})
  const state = made('p', {class: 'site-search-state', role: 'status'})
  const dialog = made('dialog', {class: 'site-search', 'aria-label': 'Search'}, field, state, list)
  const opener = made('button', {class: 'site-search-opener', type: 'button', title: 'Search (/)'}, 'Search', made('kbd', {}, '/'))

  let worker, asked = 0, shown = 0, chosen = -1
  const begin = () => {
    if (worker) return
    state.textContent = 'Loading the texts'
    worker = new Worker(base + 'search/index.js')
    worker.onmessage = ({data}) => {
      if (data.error) state.textContent = `The texts cannot be loaded: ${data.error}`
      else if (data.ready) ask()
      else if (data.number > shown) show(data)
    }
    worker.onerror = () => { state.textContent = 'The search does not run in this browser' }
  }
  const ask = () => {
    if (field.value.trim()) worker?.postMessage({number: ++asked, query: field.value, most})
    else show({number: ++asked, query: field.value, count: 0, found: []})
  }

  const marked = ({excerpt, marks, isBegun, goesOn}) => {
    const element = made('span', {class: 'site-search-excerpt'}, isBegun ? '… ' : '')
    let end = 0
    for (const [from, to] of marks) {
      element.append(excerpt.slice(end, from), made('mark', {}, excerpt.slice(from, to)))
      end = to
    }
    element.append(excerpt.slice(end), goesOn ? ' …' : '')
    return element
  }
  const show = ({number, query, count, found}) => {
    shown = number
    list.replaceChildren(...found.map((one, place) => {
      const title = made('span', {class: 'site-search-title'}, one.title)
      if (one.heading) title.append(made('span', {class: 'site-search-heading'}, ` › ${one.heading}`))
      const link = made('a', {href: base.replace(/\/$/, '') + one.path, tabindex: '-1'}, title,
        made('span', {class: 'site-search-kind'}, one.kind), marked(one))
      return made('li', {id: `site-search-${place}`, role: 'option'}, link)
    }))
    choose(found.length ? 0 : -1)
    const more = count > found.length ? `, the first ${found.length} of them shown` : ''
    state.textContent = !field.value.trim() ? '' : count ? `${count} ${count === 1 ? 'section' : 'sections'}${more}` : 'Nothing has these words'
    dialog.dataset.query = query
  }
  const choose = place => {
    list.children[chosen]?.removeAttribute('aria-selected')
    chosen = place
    const item = list.children[place]
    field.setAttribute('aria-activedescendant', item?.id ?? '')
    item?.setAttribute('aria-selected', 'true')
    item?.scrollIntoView({block: 'nearest'})
  }

  const open = () => {
    if (dialog.open) return
    begin()
    dialog.showModal()
    field.focus()
    field.select()
  }
  opener.addEventListener('click', open)
  field.addEventListener('input', ask)
  field.addEventListener('keydown', event => {
    const count = list.children.length
    if (event.key === 'ArrowDown' && count) choose((chosen + 1) % count)
    else if (event.key === 'ArrowUp' && count) choose((chosen + count - 1) % count)
    else if (event.key === 'Enter') list.children[chosen]?.firstChild.click()
    else return
    event.preventDefault()
  })
  list.addEventListener('click', event => {
    if (event.target.closest('a')) dialog.close()
  })
  // A click beside the field, which is the dialog's own edge.
  dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close() })
  addEventListener('keydown', event => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]')
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      open()
    }
  })

  document.body.append(opener, dialog)
})()
