/** Answers a consent dialog without a known rule: finds a layer over the page that mentions consent and has a button to agree. */
import { isClobbered } from './clobbering.ts';
import { parentOf, topmostAt } from './visibility.ts';

function layerOf(button: Element): Element | undefined {
  for (let at: Element | null = button; at; at = parentOf(at)) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position) || at.tagName === 'DIALOG') return at;
  }
  // A frame that contains only a dialog is itself the layer, because its parent positions it.
  return window === top ? undefined : document.body;
}

/** @param text which text counts; the text that is shown takes much longer to find. */
function mentionsConsent(layer: Element, text: 'shown' | 'any' = 'shown'): boolean {
  const words = text === 'shown' && layer instanceof HTMLElement ? layer.innerText : (layer.textContent ?? '');
  return /cookie|çerez|süti|eväste|informasjonskaps|kolačić|ciastecz|クッキー|쿠키|куки|עוגיות|consent|privacy|gdpr|partners|datenschutz|einwillig|zustimm|confidentialit|vie privée|privacidad|tracking|personal data/i.test(
    words.slice(0, 5_000),
  );
}

function buttonsIn(root: Document | ShadowRoot): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (isClobbered(element)) continue;
    if (element.shadowRoot) found.push(...buttonsIn(element.shadowRoot));
    const clickable = element.matches('button, [role="button"], a, input[type="button"], input[type="submit"]');
    if (clickable && element instanceof HTMLElement && element.checkVisibility()) found.push(element);
  }
  return found;
}

function isAgreement(button: HTMLElement): boolean {
  const text = (button.innerText || button.getAttribute('value') || button.getAttribute('aria-label') || '').trim();
  if (text.length > 40) return false;
  return /^(i )?(accept|agree|allow|consent|ok(ay)?|got it|understood|continue|alle akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|acepto|accetta|accetto|akkoord|accepteren|aceitar|zgadzam|akceptuj\p{L}*|godkänn|acceptera|souhlasím|přijmout|přijímám|godta|godkjenn|aksepter|accepter|tillad|hyväksy|hyväksyn|(tümünü )?kabul(?! etm)|elfogad\p{L}*|prihvati|prihvaćam|принять|принимаю|согласен|согласиться|接受|我?同意(する)?|동의(함|합니다|하기)?|수락)(?!\p{L})/iu.test(
    text,
  );
}

/** @returns the text of the pressed button, or null. */
export function pressConsentButton(): string | null {
  const button = buttonsIn(document).find((candidate) => {
    const layer = isAgreement(candidate) ? layerOf(candidate) : undefined;
    return layer !== undefined && mentionsConsent(layer);
  });
  if (button === undefined) return null;
  button.click();
  return (button.innerText || 'button').trim().slice(0, 40);
}

/** Whether the screen shows an element that is named after consent, or a layer that mentions it or has content of its own document. */
export function mayShowDialog(): boolean {
  const names = 'consent|cookie|gdpr|cmp|privacy|onetrust|didomi|usercentrics|truste|evidon|sp_message|fc-';
  const named = names.split('|').flatMap((name) => [`[id*="${name}" i]`, `[class*="${name}" i]`]);
  for (const element of document.querySelectorAll(named.join())) {
    if (isClobbered(element)) continue;
    const { top, bottom, width, height } = element.getBoundingClientRect();
    if (width > 100 && height > 20 && bottom > 0 && top < innerHeight && element.checkVisibility()) return true;
  }
  const parts = Array.from({ length: 9 }, (_, index) => 0.02 + 0.12 * index);
  const seen = new Set<Element>();
  for (const [x, y] of parts.flatMap((across) => parts.map((down) => [innerWidth * across, innerHeight * down]))) {
    const hit = topmostAt(x ?? 0, y ?? 0);
    if (hit === null || seen.has(hit)) continue;
    seen.add(hit);
    const layer = layerOf(hit);
    if (layer === undefined || seen.has(layer)) continue;
    seen.add(layer);
    if (layer.matches('iframe') || layer.querySelector('iframe') !== null || mentionsConsent(layer, 'any')) return true;
  }
  return false;
}
