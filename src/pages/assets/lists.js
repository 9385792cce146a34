// Conveniences of the lists: select all, "3 new sets", and "/" for the search.
const form = document.querySelector('form.bulk');

function boxes() {
  return [...form.querySelectorAll('input[name="set"]')];
}

function showSelection(all) {
  const selected = boxes().filter((box) => box.checked).length;
  all.checked = selected > 0 && selected === boxes().length;
  all.indeterminate = selected > 0 && !all.checked;
}

if (form !== null) {
  const all = document.createElement('input');
  all.type = 'checkbox';
  all.setAttribute('aria-label', 'Select all sets on this page');
  form.querySelector('th.select').replaceChildren(all);
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked;
    showSelection(all);
  });
  form.addEventListener('change', () => showSelection(all));
  // A browser that returns to this page restores the boxes after the script ran.
  addEventListener('pageshow', () => showSelection(all));
  showSelection(all);
}

document.addEventListener('tearsheet:changed', ({ detail: { newer } }) => {
  const note = document.getElementById('newer');
  if (note === null || !(newer > 0)) return;
  const count = newer >= 100 ? '100+' : newer;
  note.querySelector('a').textContent = `${newer === 1 ? note.dataset.one : `${count} ${note.dataset.many}`}: show`;
  note.hidden = false;
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select') !== null) return;
  event.preventDefault();
  document.getElementById('filter-q')?.focus();
});
