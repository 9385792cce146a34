// The lightbox: one picture large, with what its own page says beside it. Without this script each picture is a link.
{
  const anchors = () => [...document.querySelectorAll('a[data-picture]')];
  const hasDetails = (anchor) => anchor.getAttribute('href') !== anchor.dataset.picture;
  const element = (text) => {
    const template = document.createElement('template');
    template.innerHTML = text;
    return template.content.firstElementChild;
  };

  const dialog = element(`<dialog class="lightbox" aria-label="Picture">
    <header class="bar"><p class="title" aria-live="polite"></p>
      <button data-act="zoom" aria-pressed="false"><kbd>Z</kbd> Real pixels</button>
      <button data-act="compare" aria-pressed="false"><kbd>V</kbd> Compare</button>
      <button data-act="overlay" aria-pressed="false" hidden><kbd>O</kbd> Overlay</button>
      <button data-act="explain" aria-pressed="false"><kbd>E</kbd> Explain</button>
      <button data-act="previous" aria-label="Previous picture">←</button><button data-act="next" aria-label="Next picture">→</button>
      <button data-act="close"><kbd>Esc</kbd> Close</button></header>
    <div class="middle"><div class="stage" tabindex="-1"><div class="picture first"></div><div class="picture second" hidden></div></div><aside class="details"></aside></div>
    <footer class="bar"><label class="scrub" hidden>Marker <input type="range" min="0" step="1"> <output></output></label>
      <label class="slide" hidden>Overlay <input type="range" min="0" max="100" value="50"></label></footer></dialog>`);
  const part = (selector) => dialog.querySelector(selector);
  const [stage, first, second, aside] = ['.stage', '.first', '.second', 'aside'].map(part);
  const [scrub, slide] = ['.scrub', '.slide'].map(part);
  const button = (act) => part(`[data-act="${act}"]`);

  // `shown` and `compared` are ids, because live updates replace the links.
  // `key` is a decision that waits for the details of the shown picture.
  const state = { shown: '', compared: '', key: '', isZoomed: false, isOverlay: false, isExplained: false };
  const idOf = (anchor) => anchor.closest('figure').id;
  const find = (id) => document.getElementById(id)?.querySelector('a[data-picture]') ?? undefined;

  function open(anchor, key = '') {
    document.body.append(dialog);
    if (!dialog.open) dialog.showModal();
    Object.assign(state, { compared: '', isZoomed: false, isOverlay: false });
    show(anchor);
    state.key = key;
    stage.focus();
  }

  function show(anchor) {
    if (anchor === undefined) return;
    state.shown = idOf(anchor);
    state.key = '';
    const all = anchors();
    const at = all.indexOf(anchor);
    const other = find(state.compared);
    part('.title').textContent =
      `${other ? `${other.dataset.title} | ` : ''}${anchor.dataset.title} (${at + 1} of ${all.length})`;
    button('previous').disabled = at === 0;
    button('next').disabled = at === all.length - 1;
    fill(state.compared === '' ? first : second, anchor);
    showFrames(anchor);
    void showDetails(anchor);
    layOut();
    for (const near of [all[at + 1], all[at - 1]]) if (near) new Image().src = near.dataset.picture;
  }

  function fill(box, anchor) {
    const full = new Image();
    full.src = anchor.dataset.picture;
    full.alt = anchor.querySelector('img')?.alt ?? '';
    full.decoding = 'async';
    box.replaceChildren(full);
    box.dataset.width = anchor.dataset.width;
    box.dataset.height = anchor.dataset.height;
    // The thumbnail fills the place at once, if it has the same shape.
    const small = anchor.querySelector('img');
    const isWhole = small && Math.abs(small.width / small.height - box.dataset.width / box.dataset.height) < 0.05;
    if (isWhole && small.currentSrc) box.style.backgroundImage = `url("${small.currentSrc}")`;
    else box.style.backgroundImage = '';
  }

  function layOut() {
    const isCompared = state.compared !== '';
    second.hidden = !isCompared;
    stage.classList.toggle('overlaid', isCompared && state.isOverlay);
    stage.classList.toggle('zoomed', state.isZoomed);
    button('overlay').hidden = !isCompared;
    slide.hidden = !(isCompared && state.isOverlay);
    for (const [act, on] of [
      ['zoom', state.isZoomed],
      ['compare', isCompared],
      ['overlay', state.isOverlay],
      ['explain', state.isExplained],
    ])
      button(act).setAttribute('aria-pressed', String(on));
    dialog.classList.toggle('explained', state.isExplained);
    const columns = isCompared && !state.isOverlay ? 2 : 1;
    for (const box of [first, second]) size(box, columns);
    second.style.clipPath = isCompared && state.isOverlay ? `inset(0 0 0 ${slide.querySelector('input').value}%)` : '';
  }

  function size(box, columns) {
    const [width, height] = [Number(box.dataset.width), Number(box.dataset.height)];
    const gap = 12 * (columns - 1);
    const fit = Math.min((stage.clientWidth - gap) / columns / width, stage.clientHeight / height);
    const scale = state.isZoomed ? 1 / devicePixelRatio : Math.min(fit, 1);
    box.style.width = `${Math.round(width * scale)}px`;
    box.style.height = `${Math.round(height * scale)}px`;
  }

  function showFrames(anchor) {
    const { strip } = anchor.dataset;
    const frames = strip === undefined ? [] : anchors().filter((each) => each.dataset.strip === strip);
    scrub.hidden = frames.length < 2;
    const range = scrub.querySelector('input');
    range.max = String(frames.length - 1);
    range.value = String(frames.indexOf(anchor));
    range.setAttribute('aria-valuetext', anchor.dataset.marker ?? '');
    scrub.querySelector('output').textContent = anchor.dataset.marker ?? '';
    range.oninput = () => show(frames[Number(range.value)]);
  }

  async function read(address, options = {}) {
    const response = await fetch(address, { ...options, signal: AbortSignal.timeout(15000) });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const message = page.querySelector('main p')?.textContent ?? '';
    if (!response.ok) throw new Error(message || `The service answered ${response.status}.`);
    return page;
  }

  async function showDetails(anchor) {
    button('explain').hidden = !hasDetails(anchor) || state.compared !== '';
    // Two pictures need the space.
    aside.hidden = !hasDetails(anchor) || state.compared !== '';
    if (aside.hidden) return;
    const id = state.shown;
    // The form of another picture must not stay beside this one.
    fillAside([]);
    aside.setAttribute('aria-busy', 'true');
    try {
      const page = await read(anchor.href);
      if (state.shown === id) fillDetails(page);
    } catch (error) {
      if (state.shown === id) fail(error);
    }
  }

  // The focus stays in the dialog, where the keys work, also if the element that had it is gone.
  function fillAside(nodes) {
    const hadFocus = aside.contains(document.activeElement);
    aside.replaceChildren(...nodes);
    if (hadFocus) stage.focus();
  }

  function fail(error) {
    aside.removeAttribute('aria-busy');
    const text = document.createElement('p');
    text.className = 'note fault';
    text.textContent = `This did not work: ${error.message}`;
    aside.prepend(text);
  }

  function fillDetails(page) {
    const fresh = page.getElementById('details');
    if (fresh === null) return;
    fillAside(document.importNode(fresh, true).childNodes);
    aside.removeAttribute('aria-busy');
    first.querySelector('svg')?.remove();
    const slots = page.querySelector('svg.candidates');
    if (slots !== null && state.compared === '') first.append(document.importNode(slots, true));
    layOut();
    decide(state.key);
  }

  // Decides about the shown picture, as soon as its form is there.
  function decide(key) {
    state.key = aside.hasAttribute('aria-busy') ? key : '';
    if (key === '' || state.key !== '') return;
    const form = aside.querySelector('.decide');
    const decision = form?.querySelector(`[data-key="${key}"]`);
    if (key === 'r' && decision) askReason(form);
    else if (decision) form.requestSubmit(decision);
  }

  // Shows the decision of a review below the small picture.
  function mark(id, page) {
    const line = document.getElementById(id)?.querySelector('.decision');
    const decision = page.getElementById('details')?.dataset.review ?? 'none';
    if (!line) return;
    line.replaceChildren();
    if (decision === 'none') return;
    const state = document.createElement('span');
    state.className = `state ${decision}`;
    state.textContent = decision;
    line.append(state);
  }

  // The page of the picture is the answer to its review form.
  async function send(form, submitter, id) {
    const page = await read(form.action, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form, submitter)),
    });
    mark(id, page);
    return page;
  }

  async function submit(form, submitter) {
    const id = state.shown;
    form.inert = true;
    stage.focus();
    try {
      const page = await send(form, submitter, id);
      const isDecided = ['approved', 'rejected'].includes(submitter?.value);
      const following = anchors()[anchors().findIndex((each) => idOf(each) === id) + 1];
      if (state.shown !== id) return;
      if (isDecided && following && state.compared === '') show(following);
      else fillDetails(page);
    } catch (error) {
      form.inert = false;
      if (state.shown === id) fail(error);
    }
  }

  // Reviews a picture in the grid without opening it.
  async function decideInGrid(anchor, key) {
    const page = await read(anchor.href);
    const decision = page.querySelector(`.decide [data-key="${key}"]`);
    if (decision === null) return;
    await send(decision.form, decision, idOf(anchor));
    if (document.activeElement === anchor) move(anchor, 1);
  }

  function move(anchor, by) {
    const all = anchors();
    all[all.indexOf(anchor) + by]?.focus();
  }

  function step(by) {
    const all = anchors();
    const from = find(state.shown);
    show(all[all.indexOf(from) + by]);
  }

  const ACTS = {
    zoom: () => {
      state.isZoomed = !state.isZoomed;
      layOut();
    },
    compare: () => {
      const anchor = find(state.shown);
      state.isOverlay = false;
      if (state.compared === '') {
        state.compared = state.shown;
        const all = anchors();
        const at = all.indexOf(anchor);
        show(all[at + 1] ?? all[at - 1]);
      } else {
        state.compared = '';
        show(anchor);
      }
      layOut();
    },
    overlay: () => {
      state.isOverlay = !state.isOverlay;
      layOut();
    },
    explain: () => {
      state.isExplained = !state.isExplained;
      layOut();
    },
    previous: () => step(-1),
    next: () => step(1),
    close: () => dialog.close(),
  };
  const KEYS = { z: 'zoom', v: 'compare', o: 'overlay', e: 'explain', ArrowLeft: 'previous', ArrowRight: 'next' };

  const isTyping = (target) => target.matches('textarea, select, input:not([type="checkbox"])');
  const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

  dialog.addEventListener('keydown', (event) => {
    if (isTyping(event.target)) {
      if (event.key === 'Escape') {
        event.preventDefault();
        stage.focus();
      }
      return;
    }
    // Until the details are there, the letters of a reason must not act as keys.
    if (hasModifier(event) || event.shiftKey || (state.key === 'r' && event.key.length === 1)) return;
    const act = KEYS[event.key];
    if (act !== undefined && !button(act).hidden) {
      event.preventDefault();
      ACTS[act]();
      return;
    }
    if (event.key === 'c') {
      event.preventDefault();
      aside.querySelector('textarea')?.focus();
      return;
    }
    if (!/^[aru]$/.test(event.key) || aside.hidden) return;
    event.preventDefault();
    decide(event.key);
  });
  dialog.addEventListener('click', (event) => {
    const act = event.target.closest('[data-act]')?.dataset.act;
    if (act !== undefined) ACTS[act]();
    else if (event.target.closest('.picture') !== null) ACTS.zoom();
    else if (event.target === stage) dialog.close();
  });
  dialog.addEventListener('submit', (event) => {
    if (!event.target.matches('.decide')) return;
    event.preventDefault();
    void submit(event.target, event.submitter);
  });
  dialog.addEventListener('close', () => {
    document.body.classList.remove('lit');
    find(state.shown)?.focus();
  });
  slide.addEventListener('input', layOut);
  window.addEventListener('resize', () => dialog.open && layOut());

  let touch;
  stage.addEventListener('touchstart', ({ touches }) => {
    touch = touches.length === 1 && !state.isZoomed ? touches[0].clientX : undefined;
  });
  stage.addEventListener('touchend', ({ changedTouches }) => {
    const moved = touch === undefined ? 0 : changedTouches[0].clientX - touch;
    if (Math.abs(moved) > 50) step(moved < 0 ? 1 : -1);
  });

  document.addEventListener('click', (event) => {
    const anchor = event.target.closest('a[data-picture]');
    if (anchor === null || event.button !== 0 || hasModifier(event) || event.shiftKey) return;
    event.preventDefault();
    open(anchor);
  });
  document.addEventListener('keydown', (event) => {
    if (dialog.open || hasModifier(event) || isTyping(event.target)) return;
    if (event.shiftKey) {
      document.querySelector(`form.review [data-key="${event.key}"]`)?.focus();
      return;
    }
    const anchor = event.target.closest('a[data-picture]');
    if (anchor === null) return;
    if (event.key === 'ArrowRight') move(anchor, 1);
    else if (event.key === 'ArrowLeft') move(anchor, -1);
    else if (event.key === 'r' && hasDetails(anchor)) open(anchor, 'r');
    else if (/^[au]$/.test(event.key) && hasDetails(anchor))
      decideInGrid(anchor, event.key).catch((error) => window.alert(`This did not work: ${error.message}`));
    else return;
    event.preventDefault();
  });
}
