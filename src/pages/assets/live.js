// Live progress: when the server reports a change, this script replaces the changed parts of the page.
// Without this script or its event stream, a reload shows the same.
const events = document.body.dataset.events;
const NEXT_STREAM_MS = 10000;
const MIN_REFRESH_INTERVAL_MS = 250;

let running = false;
let again = false;
/** How many forms changed the page in place. A page that was read before such a change is out of date. */
let changes = 0;

async function refresh() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  const [before, began] = [changes, performance.now()];
  try {
    const response = await fetch(location.href, {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(15000),
    });
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (before !== changes) again = true;
    else if (response.ok) replaceChanged(fresh);
  } catch (error) {
    console.warn('tearsheet: this page could not be refreshed', error);
  }
  // A page that takes long to make is read less often.
  const pause = Math.max(MIN_REFRESH_INTERVAL_MS, 2 * (performance.now() - began));
  await new Promise((resolve) => setTimeout(resolve, pause));
  running = false;
  if (again) {
    again = false;
    await refresh();
  }
}

// The script does not replace a text that was not sent, nor the field in which a person is typing.
function isInUse(element) {
  const fields = [...element.querySelectorAll('textarea, input:not([type="checkbox"], [type="range"])')];
  return fields.some((field) => field === document.activeElement || field.value !== field.defaultValue);
}

const shown = new Map();
for (const element of document.querySelectorAll('[data-live]')) shown.set(element.id, element.outerHTML);

function replaceChanged(fresh) {
  document.title = fresh.title;
  document.dispatchEvent(new CustomEvent('tearsheet:refreshed', { detail: fresh }));
  for (const list of fresh.querySelectorAll('[data-keyed]')) addAndRemove(list);
  // A box that a button of the new page opens.
  for (const box of fresh.querySelectorAll('[popover][id]'))
    if (document.getElementById(box.id) === null)
      document.getElementById('main').append(document.importNode(box, true));
  for (const element of fresh.querySelectorAll('[data-live]')) {
    const old = document.getElementById(element.id);
    if (old === null || shown.get(element.id) === element.outerHTML || isInUse(old)) continue;
    // A click on a control that is replaced between press and release would do nothing.
    if (old.matches(':active')) {
      again = true;
      continue;
    }
    shown.set(element.id, element.outerHTML);
    const replacement = document.importNode(element, true);
    keepChoices(old, replacement);
    replaceWithFocus(old, replacement);
  }
}

// The keyboard stays on the control that has the focus, and a picture at the place to which a person scrolled it.
function replaceWithFocus(old, replacement) {
  const controlsOf = (element) => [...element.querySelectorAll('a[href], button, input, select, textarea, summary')];
  const focused = document.activeElement;
  const at = controlsOf(old).indexOf(focused);
  const panes = [...old.querySelectorAll('.pane')].map(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  old.replaceWith(replacement);
  document.dispatchEvent(new CustomEvent('tearsheet:replaced'));
  for (const [index, pane] of replacement.querySelectorAll('.pane').entries())
    pane.scrollTo(...(panes[index] ?? [0, 0]));
  if (at === -1) return;
  const controls = controlsOf(replacement);
  const isSame = (control) =>
    control?.tagName === focused.tagName &&
    control.textContent === focused.textContent &&
    control.ariaLabel === focused.ariaLabel;
  [controls[at], ...controls].find(isSame)?.focus({ preventScroll: true });
}

// Keeps what the reader checked, chose or opened.
const CHOICES = 'input[type="checkbox"], select, details';
const placeOf = (choice) =>
  `${choice.closest('[id]').id} ${choice.querySelector('summary')?.textContent ?? `${choice.name} ${choice.type === 'checkbox' && choice.value}`}`;

function keepChoices(old, replacement) {
  const before = new Map([...old.querySelectorAll(CHOICES)].map((choice) => [placeOf(choice), choice]));
  for (const choice of replacement.querySelectorAll(CHOICES)) {
    const made = before.get(placeOf(choice));
    if (made === undefined) continue;
    if (choice.matches('details')) choice.open = made.open;
    else if (choice.matches('input')) choice.checked = made.checked;
    else if ([...choice.options].some(({ value }) => value === made.value)) choice.value = made.value;
  }
}

// Updates a list of elements with ids to the members and the order of the fresh one.
function addAndRemove(fresh) {
  const list = document.getElementById(fresh.id);
  if (list === null) return;
  const ids = new Set([...fresh.children].map(({ id }) => id));
  for (const old of [...list.children]) if (!ids.has(old.id)) old.remove();
  let at = list.firstElementChild;
  for (const child of fresh.children) {
    const own = document.getElementById(child.id) ?? addFresh(child, list);
    if (own === at) at = at.nextElementSibling;
    else list.insertBefore(own, at);
  }
}

function addFresh(element, list) {
  const added = list.appendChild(document.importNode(element, true));
  for (const live of [element, ...element.querySelectorAll('[data-live]')]) shown.set(live.id, live.outerHTML);
  return added;
}

// A form with data-inplace replaces the parts of the page that differ in its answer, so that the page does not scroll.
document.addEventListener('submit', (event) => {
  // Buttons with an address of their own open a page.
  if (!event.target.matches('[data-inplace]') || event.submitter?.hasAttribute('formaction')) return;
  event.preventDefault();
  void sendInPlace(event.target, event.submitter);
});

async function sendInPlace(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  try {
    const response = await fetch(form.action, { method: 'POST', body, signal: AbortSignal.timeout(15000) });
    // The answer contains a question: the browser shows it as a page.
    if (response.status === 409) {
      form.removeAttribute('data-inplace');
      form.requestSubmit(submitter);
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok)
      throw new Error(page.querySelector('main p')?.textContent ?? `The service answered ${response.status}.`);
    for (const box of document.querySelectorAll('[name="pick"]:checked')) box.checked = false;
    changes += 1;
    replaceChanged(page);
    document.querySelector('.toast')?.remove();
    const toast = page.querySelector('.toast');
    if (toast !== null) document.getElementById('main').append(document.importNode(toast, true));
  } catch (error) {
    window.alert(`The action failed: ${error.message}`);
  }
}

let source;
let retry;
let isOver = false;

function openStream() {
  source = new EventSource(events);
  source.addEventListener('changed', () => void refresh());
  // The object is gone, or the reader has lost access.
  source.addEventListener('end', () => {
    isOver = true;
    source.close();
    void refresh();
  });
  source.addEventListener('error', () => {
    // The browser connects again by itself, unless the service answered that too many streams are open.
    if (source.readyState !== EventSource.CLOSED) return;
    void refresh();
    retry = setTimeout(openStream, NEXT_STREAM_MS);
  });
}

// Browsers open only a few connections to one server, so a page in the background has no stream. Its first event brings the page up to date.
function follow() {
  clearTimeout(retry);
  source?.close();
  if (!document.hidden && !isOver) openStream();
}

if (events !== undefined) {
  document.addEventListener('visibilitychange', follow);
  follow();
}
