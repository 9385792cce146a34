/** Runs in the page: puts the image into the slot, alone and at its top left corner, in view; resolves when it can be painted. */
export async function showInSlot([selector, source]: readonly [string, string]): Promise<void> {
  const slot = document.querySelector<HTMLElement>(selector);
  if (slot === null) throw new Error(`The page has no ${selector}.`);
  let image = slot.querySelector<HTMLImageElement>('img.bench');
  if (image === null) {
    image = document.createElement('img');
    image.className = 'bench';
    image.decoding = 'sync';
    image.style.cssText = 'display:block;width:300px;height:250px;margin:0';
    slot.replaceChildren(image);
    const { top, bottom } = slot.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) slot.scrollIntoView({ block: 'center', behavior: 'instant' });
  }
  image.src = source;
  await image.decode();
}
