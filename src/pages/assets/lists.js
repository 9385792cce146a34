// Conveniences of the lists: "New sets", and "/" for the search.
// New sets do not move the rows under the pointer.
document.addEventListener('tearsheet:refreshed', ({ detail: fresh }) => {
  const first = fresh.querySelector('.list tr[id]');
  const note = document.getElementById('newer');
  if (note !== null && first !== null && document.getElementById(first.id) === null) note.hidden = false;
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select') !== null) return;
  event.preventDefault();
  document.getElementById('filter-q')?.focus();
});
