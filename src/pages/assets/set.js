// Keys and conveniences of the page of a set and of one picture. Each does what a link or a button of the page does.
{
  const press = (selector) => document.querySelector(selector)?.click();
  const isTyping = (target) => target.matches('textarea, select, input:not([type="checkbox"])');

  // Keys of one picture.
  const KEYS = {
    ArrowLeft: 'a[rel="prev"]',
    ArrowRight: 'a[rel="next"]',
    e: '#show-slots',
    z: '[data-zoom]',
    a: '#decision [data-key="a"]',
  };

  // Asks for the reason of a rejection. Enter rejects, also without a reason.
  function askReason(reject) {
    const field = document.getElementById('comment');
    field.placeholder = 'Reason (optional). Enter rejects the picture, Escape goes back.';
    field.onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      reject.click();
    };
    field.onblur = () => {
      field.onkeydown = null;
      field.placeholder = '';
    };
    field.focus();
  }

  document.addEventListener('keydown', (event) => {
    if (isTyping(event.target) && event.key === 'Escape') event.target.blur();
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const cell = event.target.closest('.shot');
    if (cell !== null) {
      if (!inGrid(cell, event.key)) return;
    } else if (document.querySelector('.picture-head') === null) return;
    else if (event.key === 'c') document.getElementById('comment')?.focus();
    else if (event.key === 'r') {
      const reject = document.querySelector('#decision [data-key="r"]');
      if (reject?.value === 'rejected') askReason(reject);
      else reject?.click();
    } else if (Object.hasOwn(KEYS, event.key)) press(KEYS[event.key]);
    else return;
    event.preventDefault();
  });

  // Keys of a picture in the grid. Returns whether the key has a meaning.
  function inGrid(cell, key) {
    const all = [...document.querySelectorAll('.shot .frame')];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step !== undefined) all[all.indexOf(cell.querySelector('.frame')) + step]?.focus();
    else if (key === 'x') cell.querySelector('[name="pick"]')?.click();
    else if (key === 'a' || key === 'r') cell.querySelector(`[data-key="${key}"]`)?.click();
    else return false;
    return true;
  }

  // Live changes replace the picture and what surrounds it, so each click looks them up.
  const find = (selector) => document.querySelector(selector);

  let isZoomed = false;

  function toggleZoom() {
    isZoomed = !isZoomed;
    showZoom();
  }

  function showZoom() {
    const [stage, image] = [find('.stage'), find('.stage img')];
    stage.classList.toggle('zoomed', isZoomed);
    find('[data-zoom]').setAttribute('aria-pressed', String(isZoomed));
    image.style.width = isZoomed ? `${image.getAttribute('width') / devicePixelRatio}px` : '';
    if (isZoomed && image.hasAttribute('srcset')) showOriginal(image);
  }

  document.addEventListener('tearsheet:replaced', () => {
    if (isZoomed && find('.stage:not(.zoomed)') !== null) showZoom();
  });

  function showOriginal(image) {
    image.removeAttribute('srcset');
    image.src = image.closest('a').href;
  }

  function pressPin(isPressed) {
    const stage = find('.stage');
    find('[data-pin]').setAttribute('aria-pressed', String(isPressed));
    stage.classList.toggle('pinning', isPressed);
    if (isPressed && stage.classList.contains('zoomed')) toggleZoom();
  }

  // A click on the picture sets the pin of a new comment while its button is pressed.
  function setPin({ clientX, clientY }) {
    const { left, top, width, height } = find('.stage img').getBoundingClientRect();
    const [x, y] = [(clientX - left) / width, (clientY - top) / height].map((at) => Math.min(1, Math.max(0, at)));
    const { elements } = find('[data-pin]').form;
    elements.pin.value = `${x.toFixed(4)},${y.toFixed(4)}`;
    const svg = find('.pins');
    const dot = svg.querySelector('.new') ?? document.createElementNS(svg.namespaceURI, 'circle');
    dot.setAttribute('class', 'new');
    dot.setAttribute('cx', x * svg.viewBox.baseVal.width);
    dot.setAttribute('cy', y * svg.viewBox.baseVal.height);
    dot.setAttribute('r', svg.dataset.radius);
    svg.append(dot);
    pressPin(false);
    elements.body.focus();
  }

  function play(button) {
    const image = find('.stage img');
    const isPlaying = image.src === button.href;
    showOriginal(image);
    if (!isPlaying) image.src = button.href;
    button.querySelector('span').textContent = isPlaying ? button.dataset.play : button.dataset.stop;
  }

  const isPinning = () => find('[data-pin][aria-pressed="true"]') !== null;

  function clickStage(event) {
    const slot = event.target.closest('[data-slot]');
    if (isPinning()) setPin(event);
    else if (slot === null) toggleZoom();
    else {
      find('#slots > details').open = true;
      location.hash = `slot-${slot.dataset.slot}`;
    }
  }

  document.addEventListener('click', (event) => {
    const { target } = event;
    const button = target.closest('[data-play]');
    if (target.closest('[data-zoom]') !== null) toggleZoom();
    else if (target.closest('[data-pin]') !== null) {
      pressPin(!isPinning());
      find('.stage').scrollIntoView({ block: 'nearest' });
    } else if (button !== null || (target.closest('.stage') !== null && target.closest('.pins a') === null)) {
      event.preventDefault();
      if (button === null) clickStage(event);
      else play(button);
    }
  });

  document.addEventListener('input', ({ target }) => {
    if (!target.matches('.slide input')) return;
    const sides = find('.sides');
    sides.classList.toggle('overlaid', target.value > 0);
    sides.lastElementChild.style.clipPath = target.value > 0 ? `inset(0 0 0 ${100 - target.value}%)` : '';
  });

  // Browsers copy only while they handle a click, so the address of the new link follows as a promise.
  document.addEventListener('submit', (event) => {
    if (!event.target.matches('[data-share]') || navigator.clipboard?.write === undefined) return;
    event.preventDefault();
    const created = createLink(event.target);
    const text = created.then(({ address }) => new Blob([address], { type: 'text/plain' }));
    const copied = navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]).then(
      () => true,
      () => false,
    );
    void showLink(created, copied);
  });

  async function createLink(form) {
    const body = new URLSearchParams(new FormData(form));
    const response = await fetch(form.action, { method: 'POST', body, signal: AbortSignal.timeout(15000) });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const address = page.querySelector('[data-copy-now] [data-copy]')?.dataset.copy;
    if (address === undefined)
      throw new Error(page.querySelector('main p')?.textContent ?? `The service answered ${response.status}.`);
    return { address, list: new URL(response.url) };
  }

  async function showLink(created, copied) {
    try {
      const { list } = await created;
      if (await copied) {
        list.searchParams.delete('created');
        list.searchParams.set('notice', 'copied');
      }
      location.assign(list);
    } catch (error) {
      window.alert(`The link was not created: ${error.message}`);
    }
  }

  const near = document.querySelector('a[rel="next"]');
  if (near !== null) {
    const hint = document.createElement('link');
    Object.assign(hint, { rel: 'prefetch', href: near.href });
    document.head.append(hint);
  }
}
