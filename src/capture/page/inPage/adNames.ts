/** Recognizes ad slots by the classes, ids and attributes of an element. */
import type { PagePart } from './script.ts';

/** `adSlot-top article_ad` → ad, slot, top, article, ad. */
function wordsOf(element: Element): string[] {
  const named = `${element.id} ${element.getAttribute('class') ?? ''}`.slice(0, 400);
  return named
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** How strongly the names suggest an ad: 2 yes, 1 only together with an ad's size, 0 no. */
function nameStrength(element: Element): 0 | 1 | 2 {
  const words = wordsOf(element);
  const not =
    /^(label|labels|blocker|blocked|adblock|free|close|notice|disclosure|disclaimer|choices|cookie|consent|gdpr|hero|header|footer|nav|menu|form|login|button|btn|link|text|title|subscribe|app)$/;
  if (words.some((word) => not.test(word))) return 0;
  const yes =
    /^(ads?|adverts?|advertisements?|advertising|adslots?|adunits?|adspace|adbox|adcontainer|adwrapper|adplacement|adzone|adbanner|dfp|gpt|gam|adsense|adsbygoogle|mpu|doubleclick)$/;
  if (words.some((word) => yes.test(word))) return 2;
  const perhaps =
    /^(banner|leaderboard|billboard|skyscraper|halfpage|sponsor|sponsors|sponsored|sponsorship|promo|commercial|partner)$/;
  return words.some((word) => perhaps.test(word)) ? 1 : 0;
}

function hasAdAttribute(element: Element): boolean {
  const names =
    'data-google-query-id data-ad-slot data-ad-unit data-ad-client data-ad-sizes data-ad-size data-adunit data-ad-unit-path data-ad-id data-dfp data-dfp-sizes data-gpt data-freestar-ad data-ad data-ad-position';
  if (names.split(' ').some((name) => element.hasAttribute(name))) return true;
  return /^(div-)?gpt-(ad|unit)|^google_ads_|^aswift_|^dfp[-_]|^ad[-_]?slot|^adngin-|^fs-slot/i.test(element.id);
}

export const AD_NAMES = { wordsOf, nameStrength, hasAdAttribute } satisfies PagePart;
