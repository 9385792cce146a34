// The gallery's page: filters, keyboard and marks. Marks stay in the browser's storage until they are exported.
const STORAGE_KEY = 'tearsheet-gallery-marks';
const body = document.body;
const form = document.querySelector('form');
const cards = [...document.querySelectorAll('.card')];
const marks = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
let current = cards[0];

/** A mark counts only for the picture for which it was made. */
function markOf(card) {
  const mark = marks[card.dataset.key];
  return mark !== undefined && mark.sha256 === card.dataset.sha256 ? mark : undefined;
}

function setMark(card, changes) {
  const { key, sha256, name, status } = card.dataset;
  marks[key] = { name, status, sha256, mark: '', comment: '', ...markOf(card), ...changes };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(marks));
  showMark(card);
  showCounts();
}

function showMark(card) {
  const { mark = '', comment = '' } = markOf(card) ?? {};
  card.dataset.mark = mark;
  card.querySelector('[name=comment]').value = comment;
}

function visibleCards() {
  return cards.filter((card) => !card.hidden);
}

function showCounts() {
  const shown = visibleCards();
  const count = (mark) => shown.filter((card) => card.dataset.mark === mark).length;
  form.querySelector('output').textContent =
    `${shown.length} of ${cards.length}; ${count('y')} good, ${count('n')} returned, ${count('')} not marked`;
}

function matches(card, { status, device, warning, mark, text }) {
  const data = card.dataset;
  return (
    (status === '' || data.status === status) &&
    (device === '' || data.device === device) &&
    (warning === '' || data.warnings.split(' ').includes(warning)) &&
    (mark === '' || data.mark === (mark === 'none' ? '' : mark)) &&
    (text === '' || card.querySelector('.about').textContent.toLowerCase().includes(text.toLowerCase()))
  );
}

/** The filters are in the address, so that a view can be sent to someone. */
function applyFilters() {
  const wanted = Object.fromEntries(
    ['status', 'device', 'warning', 'mark', 'text'].map((name) => [name, form.elements[name].value]),
  );
  for (const card of cards) card.hidden = !matches(card, wanted);
  const chosen = Object.entries(wanted).filter(([, value]) => value !== '');
  history.replaceState(null, '', `#${new URLSearchParams(chosen)}`);
  if (current?.hidden) select(visibleCards()[0]);
  showCounts();
}

function select(card) {
  current?.classList.remove('current');
  current = card;
  if (card === undefined) return;
  card.classList.add('current');
  card.scrollIntoView({ block: 'nearest' });
  if (body.dataset.view === 'one') for (const near of [card, neighbor(1)]) showFull(near);
}

function showFull(card) {
  const image = card?.querySelector('img[data-full]');
  if (image) image.src = image.dataset.full;
}

function neighbor(step) {
  const shown = visibleCards();
  return shown[Math.max(0, Math.min(shown.length - 1, shown.indexOf(current) + step))];
}

function cardsInRow() {
  return body.dataset.view === 'one'
    ? 1
    : getComputedStyle(document.querySelector('main')).gridTemplateColumns.split(' ').length;
}

function toggle(name, values) {
  const [first, second] = values;
  body.dataset[name] = body.dataset[name] === second ? first : second;
}

function exportMarks() {
  const all = Object.values(marks).filter(({ mark, comment }) => mark !== '' || comment !== '');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' }));
  link.download = 'gallery-marks.json';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Marks the current card and goes to the next one. */
function judge(mark) {
  const card = current;
  const next = neighbor(1);
  setMark(card, { mark });
  select(next);
}

const KEYS = {
  ArrowRight: () => select(neighbor(1)),
  ArrowLeft: () => select(neighbor(-1)),
  ArrowDown: () => select(neighbor(cardsInRow())),
  ArrowUp: () => select(neighbor(-cardsInRow())),
  Enter: () => {
    toggle('view', ['grid', 'one']);
    select(current);
  },
  y: () => judge('y'),
  n: () => judge('n'),
  u: () => setMark(current, { mark: '' }),
  c: () => current.querySelector('[name=comment]').focus(),
  b: () => toggle('boxes', ['on', 'off']),
  w: () => toggle('whole', ['on', 'off']),
  r: () => current.querySelector('details')?.toggleAttribute('open'),
  e: exportMarks,
};

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (isTyping && (event.key === 'Enter' || event.key === 'Escape')) {
    event.preventDefault();
    event.target.blur();
    return;
  }
  const action = KEYS[event.key];
  if (isTyping || action === undefined || current === undefined || event.ctrlKey || event.metaKey || event.altKey)
    return;
  event.preventDefault();
  action();
});

document.addEventListener('click', (event) => {
  const card = event.target.closest('.card');
  if (card) select(card);
  const { mark } = event.target.dataset;
  if (card && mark) setMark(card, { mark });
  if (event.target.dataset.do === 'export') exportMarks();
});

document.addEventListener('change', (event) => {
  const card = event.target.closest('.card');
  if (card && event.target.name === 'comment') setMark(card, { comment: event.target.value });
});

form.addEventListener('input', applyFilters);
form.addEventListener('submit', (event) => event.preventDefault());
for (const card of cards) showMark(card);
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (form.elements[name]) form.elements[name].value = value;
}
applyFilters();
select(visibleCards()[0]);
