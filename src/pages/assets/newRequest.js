// The page of a new request: sends files as they are dropped, shows each ad as it is rendered, and keeps and counts what is typed.
// Without this script, the buttons of the form do the same.
const form = document.getElementById('new-request');
// The buttons of the form are called "action" and hide the property of that name.
const address = () => new URL(form.getAttribute('action'), location.href);
const cards = document.getElementById('ads');
const files = document.getElementById('files');
const drop = document.getElementById('drop');
const faultsOfFiles = document.getElementById('ad-faults');
const adding = document.getElementById('adding');
const field = (name) => form.elements.namedItem(name);

document.documentElement.classList.add('with-script');

// --- Ads -------------------------------------------------------------------------------------------------------------

const known = () => new Set([...cards.children].map(({ dataset }) => dataset.ad).filter(Boolean));
const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

function addCards(page) {
  const shown = known();
  for (const card of page.querySelectorAll('#ads > li')) {
    if (!shown.has(card.dataset.ad)) cards.append(document.importNode(card, true));
  }
  changed();
}

function faultsOf(page) {
  const faults = [...page.querySelectorAll('#ads-faults > li, #media-fault')];
  if (page.getElementById('new-request') !== null) return faults.map(({ textContent }) => textContent);
  return ['It could not be added. Open this page again in another tab: you may have to sign in.'];
}

function showFaults(texts) {
  if (texts.length === 0) return;
  let list = faultsOfFiles.querySelector('ul');
  if (list === null) {
    list = document.createElement('ul');
    list.className = 'fault';
    faultsOfFiles.replaceChildren(list);
  }
  for (const text of texts) list.append(Object.assign(document.createElement('li'), { textContent: text }));
}

function waitingCard(name) {
  const card = document.createElement('li');
  card.className = 'creative sending';
  const label = Object.assign(document.createElement('p'), { className: 'name', textContent: name });
  const bar = Object.assign(document.createElement('progress'), { max: 1, value: 0 });
  bar.setAttribute('aria-label', `Upload of ${name}`);
  card.append(bar, label);
  cards.append(card);
  return { card, bar };
}

// fetch does not report the progress of an upload.
function send(body, bar) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address());
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      bar.value = total > 0 ? loaded / total : 0;
    });
    request.addEventListener('load', () => resolve(parse(request.responseText)));
    request.addEventListener('error', () => reject(new Error('The connection was lost.')));
    request.send(body);
  });
}

/** The fields that the service needs to add an ad. */
function addition(entries) {
  const body = new FormData();
  for (const [name, value] of [['form', field('form').value], ...entries]) body.append(name, value);
  return body;
}

let queue = Promise.resolve();
let waiting = 0;
/** How many ads were added since the queue was empty, and further messages of the service about them. */
let added = 0;
let notices = [];

function enqueue(name, entries, onAdded = () => undefined) {
  const { card, bar } = waitingCard(name);
  waiting += 1;
  changed();
  const work = async () => {
    try {
      const page = await send(addition(entries), bar);
      const faults = faultsOf(page);
      showFaults(faults);
      if (faults.length === 0) onAdded();
      card.remove();
      const count = page.querySelector('#notice [data-added]');
      added += Number(count?.dataset.added ?? 0);
      notices.push(count?.nextSibling?.textContent ?? '');
      addCards(page);
    } catch (error) {
      showFaults([`${name} was not added. ${error.message}`]);
    }
    card.remove();
    waiting -= 1;
    if (waiting === 0) {
      const text = added === 1 ? '1 ad was added.' : `${added} ads were added.`;
      adding.textContent = added === 0 ? '' : text + notices.join('');
      added = 0;
      notices = [];
    }
    changed();
  };
  queue = queue.then(work);
}

function addFiles(list) {
  faultsOfFiles.replaceChildren();
  for (const file of list)
    enqueue(file.name, [
      ['action', 'add'],
      ['files', file],
    ]);
}

function addChosen() {
  if (files.files.length === 0) return;
  addFiles([...files.files]);
  files.value = '';
}

files.addEventListener('change', addChosen);

for (const type of ['dragenter', 'dragover']) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
}
for (const type of ['dragleave', 'drop']) drop.addEventListener(type, () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  addFiles([...event.dataTransfer.files]);
});
// A file that misses the zone would replace the page.
for (const type of ['dragover', 'drop']) window.addEventListener(type, (event) => event.preventDefault());

function addTyped() {
  const names = ['media', 'media_name', 'media_size'];
  const entries = names.map((name) => [name, field(name).value]);
  const add = ['action', 'add'];
  if (entries[0][1].trim() === '') {
    field('media').focus();
    return;
  }
  faultsOfFiles.replaceChildren();
  enqueue(entries[1][1] || 'Ad', [add, ...entries], () => {
    for (const name of names) field(name).value = '';
  });
}

form.addEventListener('click', (event) => {
  const button = event.target.closest('button[name=action]');
  if (button === null) return;
  if (button.value === 'add') {
    event.preventDefault();
    addTyped();
  }
  if (button.value.startsWith('use:')) {
    event.preventDefault();
    enqueue(button.closest('li').querySelector('bdi').textContent, [['action', button.value]]);
  }
  if (button.value.startsWith('remove:')) {
    event.preventDefault();
    const card = button.closest('li');
    const next = card.nextElementSibling ?? card.previousElementSibling;
    card.remove();
    (next?.querySelector('button') ?? files).focus();
    changed();
  }
});

function replaceRendered(page) {
  for (const fresh of page.querySelectorAll('#ads > li')) {
    const old = cards.querySelector(`[data-ad="${fresh.dataset.ad}"]`);
    if (old === null || old.dataset.status === fresh.dataset.status) continue;
    const hadFocus = old.contains(document.activeElement);
    const card = document.importNode(fresh, true);
    old.replaceWith(card);
    if (hadFocus) card.querySelector('button').focus();
  }
}

// --- Keeping and counting ----------------------------------------------------------------------------------------------

/** After this pause in typing, the service keeps the draft, and counts its pictures. */
const PAUSE_MS = 700;
/** Ads that are rendered are asked for as often. */
const POLL_MS = 1000;
/** Set while something is not kept. */
let pause;
let saving;
const kept = document.getElementById('kept');

function changed() {
  document.getElementById('no-ads').hidden = cards.children.length > 0;
  if (waiting > 0) adding.textContent = `Adding ${waiting === 1 ? 'an ad' : `${waiting} ads`}…`;
  saveAfter(PAUSE_MS);
}

function saveAfter(ms) {
  clearTimeout(pause);
  pause = setTimeout(() => void save(), ms);
}

function saveWhileRendering() {
  if (cards.querySelector('[data-status=pending]') !== null) saveAfter(POLL_MS);
}

async function save({ keepalive = false } = {}) {
  clearTimeout(pause);
  pause = undefined;
  saving?.abort();
  const own = new AbortController();
  saving = own;
  const body = new FormData(form);
  for (const name of ['files', 'site_file', 'plan_file', 'page_file']) body.delete(name);
  body.set('action', 'save');
  try {
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(15000)]);
    const response = await fetch(address(), { method: 'POST', body, signal, keepalive });
    const page = parse(await response.text());
    if (page.getElementById('new-request') === null) throw new Error(`the service answered ${response.status}`);
    if (saving === own) saving = undefined;
    show(page);
  } catch (error) {
    if (error.name === 'AbortError') return;
    console.warn('tearsheet: the draft was not kept', error);
    kept.textContent = 'Not saved. You may have to sign in again in another tab.';
    saveWhileRendering();
  }
}

/** The parts that follow from the others. Those with the focus stay. */
function show(page) {
  replaceRendered(page);
  saveWhileRendering();
  for (const id of ['count', 'switch', 'still', 'found', 'slot_site', 'slot_device']) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old.contains(document.activeElement) || old.innerHTML === fresh.innerHTML) continue;
    const { value } = old;
    old.replaceChildren(...document.importNode(fresh, true).childNodes);
    if (old.localName !== 'select') continue;
    const chosen = [...old.options].findIndex((option) => option.value === value);
    // A browser may choose the last one.
    old.selectedIndex = Math.max(0, chosen);
  }
  const text = page.getElementById('form-faults')?.textContent ?? 'Draft saved';
  // A screen reader says it once.
  if (kept.textContent !== text) kept.textContent = text;
}

form.addEventListener('input', changed);

// --- Sending ---------------------------------------------------------------------------------------------------------

let sent = false;
form.addEventListener('submit', (event) => {
  if (waiting > 0 || sent) {
    event.preventDefault();
    if (waiting > 0) showFaults(['Wait until all ads are added.']);
    return;
  }
  sent = true;
  clearTimeout(pause);
  saving?.abort();
  pause = saving = undefined;
});
// The browser cancels other requests when a person leaves the page. This kind may have at most 64 KiB.
window.addEventListener('pagehide', () => {
  if (pause !== undefined || saving !== undefined) void save({ keepalive: true });
});
window.addEventListener('pageshow', () => {
  sent = false;
  saveWhileRendering();
});
// A person may have chosen files before this script ran.
addChosen();
