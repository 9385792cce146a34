// The page of a new request: sends files as they are dropped, shows each creative as it is rendered, and counts the pictures.
// Without this script, the buttons of the form do the same.
const POLL_MS = 1000;
const form = document.getElementById('new-request');
// The buttons of the form are called "action" and hide the property of that name.
const address = () => new URL(form.getAttribute('action'), location.href);
const cards = document.getElementById('creatives');
const files = document.getElementById('files');
const drop = document.getElementById('drop');
const faultsOfFiles = document.getElementById('creative-faults');
const adding = document.getElementById('adding');
const field = (name) => form.elements.namedItem(name);

document.documentElement.classList.add('with-script');

// --- Creatives -------------------------------------------------------------------------------------------------------

const known = () => new Set([...cards.children].map(({ dataset }) => dataset.ad).filter(Boolean));
const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

function addCards(page) {
  const shown = known();
  for (const card of page.querySelectorAll('#creatives > li')) {
    if (!shown.has(card.dataset.ad)) cards.append(document.importNode(card, true));
  }
  changed();
  void poll();
}

function faultsOf(page) {
  const faults = [...page.querySelectorAll('#creatives-faults > li, #media-faults > li')];
  if (page.getElementById('new-request') !== null) return faults.map(({ textContent }) => textContent);
  return ['It could not be added. Open this page again in another tab: you may have to sign in.'];
}

function showFaults(texts) {
  if (texts.length === 0) return;
  let list = faultsOfFiles.querySelector('ul');
  if (list === null) {
    list = document.createElement('ul');
    list.className = 'faults';
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

// fetch does not tell the progress of a body that it sends.
function send(body, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address());
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => resolve(parse(request.responseText)));
    request.addEventListener('error', () => reject(new Error('The connection was lost.')));
    request.send(body);
  });
}

/** The fields that the service needs to add a creative. */
function addition(entries) {
  const body = new FormData();
  for (const [name, value] of [['form', field('form').value], ['action', 'add'], ...entries]) body.append(name, value);
  return body;
}

let queue = Promise.resolve();
let waiting = 0;

function enqueue(name, entries, onAdded = () => undefined) {
  const { card, bar } = waitingCard(name);
  waiting += 1;
  changed();
  const work = async () => {
    try {
      const page = await send(addition(entries), (share) => {
        bar.value = share;
      });
      const faults = faultsOf(page);
      showFaults(faults);
      if (faults.length === 0) onAdded();
      card.remove();
      addCards(page);
    } catch (error) {
      showFaults([`${name} was not added. ${error.message}`]);
    }
    card.remove();
    waiting -= 1;
    changed();
  };
  queue = queue.then(work);
}

function addFiles(list) {
  faultsOfFiles.replaceChildren();
  for (const file of list) enqueue(file.name, [['files', file]]);
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
  if (entries[0][1].trim() === '') {
    field('media').focus();
    return;
  }
  faultsOfFiles.replaceChildren();
  enqueue(entries[1][1] || 'Creative', entries, () => {
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
  if (button.value.startsWith('remove:')) {
    event.preventDefault();
    const card = button.closest('li');
    const next = card.nextElementSibling ?? card.previousElementSibling;
    card.remove();
    (next?.querySelector('button') ?? files).focus();
    changed();
  }
});

let polling = false;

/** Asks for the state of the creatives until each is rendered. */
async function poll() {
  const pending = () => [...cards.querySelectorAll('[data-status=pending]')].map(({ dataset }) => dataset.ad);
  if (polling) return;
  polling = true;
  for (let ids = pending(); ids.length > 0; ids = pending()) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const query = address();
    for (const id of ids) query.searchParams.append('ad', id);
    try {
      const response = await fetch(query, { signal: AbortSignal.timeout(15000) });
      replaceRendered(parse(await response.text()));
    } catch (error) {
      console.warn('tearsheet: the creatives could not be refreshed', error);
    }
  }
  polling = false;
}

function replaceRendered(page) {
  for (const fresh of page.querySelectorAll('#creatives > li')) {
    const old = cards.querySelector(`[data-ad="${fresh.dataset.ad}"]`);
    if (old === null || old.dataset.status === fresh.dataset.status) continue;
    const hadFocus = old.contains(document.activeElement);
    const card = document.importNode(fresh, true);
    old.replaceWith(card);
    if (hadFocus) card.querySelector('button').focus();
  }
}

// --- Count -----------------------------------------------------------------------------------------------------------

/** The normalized address, as the service compares it; undefined if it is not one. */
function siteKey(line) {
  const text = line.trim();
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;
  const address = text.startsWith('//') ? `https:${text}` : scheme.test(text) ? text : `https://${text}`;
  const url = /^https?:\/\/[^/?#]/i.test(address) ? URL.parse(address) : null;
  // Chromium accepts blanks in a host. The service does not, nor names and passwords.
  return url === null || /[\s%]/.test(url.hostname) || url.username + url.password !== '' ? undefined : url.href;
}

function distinct(values) {
  return new Set(values.filter((value) => value !== undefined)).size;
}

const plural = (count, name) => `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;

function changed() {
  const lines = field('sites')
    .value.split('\n')
    .filter((line) => line.trim() !== '');
  const markers = field('markers')
    .value.split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  const valid = markers.filter((seconds) => seconds >= 0 && seconds <= 30).map((seconds) => Math.round(seconds * 1000));
  const counts = [
    [known().size, 'creative'],
    [distinct(lines.map(siteKey)), 'site'],
    [form.querySelectorAll('[name=device]:checked').length, 'device'],
    [Math.max(1, distinct(valid)), 'marker'],
  ];
  const total = counts.reduce((product, [count]) => product * count, 1);
  const parts = counts.filter(([count, name]) => name !== 'marker' || count > 1);
  const strong = Object.assign(document.createElement('strong'), { textContent: plural(total, 'picture') });
  const meta = Object.assign(document.createElement('span'), { className: 'meta' });
  meta.textContent = parts.map(([count, name]) => plural(count, name)).join(' × ');
  const text = `${strong.textContent} ${meta.textContent}`;
  const count = document.getElementById('count');
  if (count.textContent !== text) count.replaceChildren(strong, ' ', meta);
  document.getElementById('no-creatives').hidden = cards.children.length > 0;
  adding.textContent = waiting > 0 ? `Adding ${plural(waiting, 'creative')}…` : '';
}

form.addEventListener('input', changed);

// --- Sending ---------------------------------------------------------------------------------------------------------

let sent = false;
form.addEventListener('submit', (event) => {
  if (waiting > 0 || sent) {
    event.preventDefault();
    if (waiting > 0) showFaults(['Wait until all creatives are added.']);
    return;
  }
  sent = true;
});
window.addEventListener('pageshow', () => {
  sent = false;
  changed();
  void poll();
});
// A person may have chosen files before this script ran.
addChosen();
