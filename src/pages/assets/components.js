// Buttons that copy a text, menus that close on Escape or a click outside, selections, tabs, lists and time zones.
function say(text) {
  const toast = document.createElement('p');
  toast.className = 'toast';
  toast.setAttribute('role', 'status');
  document.body.append(toast);
  // Screen readers announce changes only in an element that is already on the page.
  requestAnimationFrame(() => toast.append(text));
  setTimeout(() => toast.remove(), 3_000);
}

async function copy(text) {
  // Pages without https may not write to the clipboard.
  if (navigator.clipboard === undefined) return say('Copying needs HTTPS in this browser. Select the text instead.');
  await navigator.clipboard.writeText(text).then(
    () => say('Copied'),
    () => say('The browser blocked copying. Select the text instead.'),
  );
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll('.menu[open]')) if (!menu.contains(except)) menu.open = false;
}

document.addEventListener('click', ({ target }) => {
  closeMenus(target);
  const button = target.closest('[data-copy]');
  if (button !== null) void copy(button.dataset.copy);
});

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  const menu = key === 'Escape' ? document.querySelector('.menu[open]') : null;
  if (menu !== null) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
  // The key of the search of a list.
  const search = key === '/' ? document.getElementById('filter-q') : null;
  if (search === null || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest('input, textarea, select') !== null) return;
  event.preventDefault();
  search.focus();
});

document.addEventListener('change', ({ target: { form } }) => {
  const count = form?.querySelector('[data-selected]');
  if (count) count.textContent = `${[...form.elements].filter((box) => box.checked && box.name).length} selected:`;
});

// A list offers new rows, and does not move those under the pointer.
document.addEventListener('tearsheet:refreshed', ({ detail: fresh }) => {
  const first = fresh.querySelector('.list tr[id]');
  const note = document.getElementById('newer');
  if (note !== null && first !== null && document.getElementById(first.id) === null) note.hidden = false;
});

// On a narrow screen the current tab may be at the end of the line.
for (const tab of document.querySelectorAll('.tabs [aria-current]'))
  tab.scrollIntoView({ block: 'nearest', inline: 'center' });

// A form that a person has not filled in yet begins with the zone of that person.
for (const select of document.querySelectorAll('select[data-own-zone]')) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if ([...select.options].some(({ value }) => value === timeZone)) select.value = timeZone;
}
