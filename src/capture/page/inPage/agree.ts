/** Answers a consent dialog that no rule knows: a layer over the page with a button that says so. */
import { expressionOf } from './script.ts';

function layerOf(button: Element): Element | undefined {
  for (let at: Element | null = button; at; at = at.parentElement ?? shadowHost(at)) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position) || at.tagName === 'DIALOG') return at;
  }
  // A frame that is nothing but a dialog stands in a layer of its parent's.
  return window === top ? undefined : document.body;
}

function shadowHost(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

function speaksOfConsent(layer: Element): boolean {
  const text = layer instanceof HTMLElement ? layer.innerText.slice(0, 5_000) : '';
  return /cookie|consent|privacy|gdpr|partners|datenschutz|einwillig|zustimm|confidentialit|vie privée|privacidad|tracking|personal data/i.test(
    text,
  );
}

function buttonsIn(root: Document | ShadowRoot): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) found.push(...buttonsIn(element.shadowRoot));
    const clickable = element.matches('button, [role="button"], a, input[type="button"], input[type="submit"]');
    if (clickable && element instanceof HTMLElement && element.checkVisibility()) found.push(element);
  }
  return found;
}

function isWilling(button: HTMLElement): boolean {
  const text = (button.innerText || button.getAttribute('value') || button.getAttribute('aria-label') || '').trim();
  if (text.length > 40) return false;
  return /^(i )?(accept|agree|allow|consent|ok(ay)?|got it|understood|continue|alle akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|accetta|akkoord|accepteren|aceitar|zgadzam|godkänn|souhlasím)\b/i.test(
    text,
  );
}

/** @returns what the button said that was pressed, or null. */
function agree(): string | null {
  const willing = buttonsIn(document).find((button) => {
    const layer = isWilling(button) ? layerOf(button) : undefined;
    return layer !== undefined && speaksOfConsent(layer);
  });
  if (willing === undefined) return null;
  willing.click();
  return (willing.innerText || 'button').trim().slice(0, 40);
}

/** Gives the text of the button that was pressed, or null. */
export const AGREE = expressionOf({ layerOf, shadowHost, speaksOfConsent, buttonsIn, isWilling, agree }, 'agree()');
