// Conveniences of the lists: "3 new sets", and "/" for the search.
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
