/** Answers a consent dialog without a known rule: finds a layer over the page that mentions consent and has a button to agree. */
import { expressionOf } from './script.ts';

function layerOf(button: Element): Element | undefined {
  for (let at: Element | null = button; at; at = at.parentElement ?? shadowHost(at)) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position) || at.tagName === 'DIALOG') return at;
  }
  // A frame that contains only a dialog is itself the layer, because its parent positions it.
  return window === top ? undefined : document.body;
}

function shadowHost(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

function mentionsConsent(layer: Element): boolean {
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

function isAgreement(button: HTMLElement): boolean {
  const text = (button.innerText || button.getAttribute('value') || button.getAttribute('aria-label') || '').trim();
  if (text.length > 40) return false;
  return /^(i )?(accept|pressConsentButton|allow|consent|ok(ay)?|got it|understood|continue|alle akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|accetta|akkoord|accepteren|aceitar|zgadzam|godkänn|souhlasím)\b/i.test(
    text,
  );
}

/** @returns the text of the pressed button, or null. */
function pressConsentButton(): string | null {
  const button = buttonsIn(document).find((candidate) => {
    const layer = isAgreement(candidate) ? layerOf(candidate) : undefined;
    return layer !== undefined && mentionsConsent(layer);
  });
  if (button === undefined) return null;
  button.click();
  return (button.innerText || 'button').trim().slice(0, 40);
}

/** Evaluates to the text of the pressed button, or null. */
export const PRESS_CONSENT_BUTTON = expressionOf(
  { layerOf, shadowHost, mentionsConsent, buttonsIn, isAgreement, pressConsentButton },
  'pressConsentButton()',
);
