// Stays on the page while the file of a download is built. Without this script, a separate page shows the progress.
// In a function, because the scripts of a page share their names.
(() => {
  const POLL_MS = 1000;

  function message(shown, text, link) {
    const line = document.createElement('p');
    line.append(text);
    if (link !== undefined) line.append(' ', Object.assign(document.createElement('a'), link));
    shown.replaceChildren(line);
  }

  function showProgress(shown, { done, total, text }, label) {
    let bar = shown.querySelector('progress');
    if (bar === null) {
      const box = Object.assign(document.createElement('div'), { className: 'progress' });
      bar = document.createElement('progress');
      bar.setAttribute('aria-label', label);
      box.append(bar, document.createElement('p'));
      shown.replaceChildren(box);
    }
    bar.max = total;
    bar.value = done;
    bar.nextElementSibling.textContent = text;
  }

  async function read(address) {
    const response = await fetch(address, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(15000),
    });
    if (!response.ok) throw new Error(`The service answered with status ${response.status}.`);
    return response.json();
  }

  async function download(shown, address, label) {
    let state = await read(address);
    while (state.status === 'pending' || state.status === 'building') {
      showProgress(shown, state, label);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      state = await read(state.page);
    }
    message(shown, state.text, state.url === null ? undefined : { href: state.url, textContent: state.file_name });
    if (state.url !== null) location.assign(state.url);
  }

  // Live pages replace the form, so the listener is on the document.
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!form.matches('[data-download]')) return;
    event.preventDefault();
    const shown = form.parentElement.querySelector('[data-download-state]');
    const button = form.querySelector('button');
    const fields = new FormData(form);
    // A closed list chooses nothing.
    if (form.querySelector('details:not([open])')) fields.delete('screenshots');
    const address = `${form.action}?${new URLSearchParams(fields)}`;
    button.disabled = true;
    shown.replaceChildren();
    download(shown, address, form.dataset.download)
      // The page without a script shows the fault.
      .catch(() => location.assign(address))
      .finally(() => {
        button.disabled = false;
      });
  });

  // The order of the pictures in the file is that of their list.
  let dragged = null;
  document.addEventListener('dragstart', ({ target }) => {
    dragged = target.closest?.('.order > li') ?? null;
  });
  for (const type of ['dragover', 'drop'])
    document.addEventListener(type, (event) => {
      const over = event.target.closest('.order > li');
      if (dragged === null || over === null) return;
      event.preventDefault();
      const { top, height } = over.getBoundingClientRect();
      if (over !== dragged) over[event.clientY < top + height / 2 ? 'before' : 'after'](dragged);
    });
  document.addEventListener('click', ({ target }) => {
    const to = target.closest('[data-move]')?.dataset.move;
    const item = target.closest('.order > li');
    const other = to === 'up' ? item?.previousElementSibling : item?.nextElementSibling;
    if (to === undefined || !other) return;
    // The neighbor moves, because what moves loses the focus.
    item[to === 'up' ? 'after' : 'before'](other);
    const place = [...item.parentElement.children].indexOf(item) + 1;
    message(item.closest('form').parentElement.querySelector('[data-download-state]'), `Place ${place}.`);
  });
})();
