/**
 * Replaces the macros that an ad server would fill in. Unknown macros stay, so that a creative's own templates work.
 * @param stamp a number for cache busters. It is always the same, so that two renderings give the same bytes.
 */
export function replaceMacros(text: string, stamp: string): string {
  return text
    .replace(
      /%%CACHEBUSTER%%|\$\{CACHEBUSTER\}|\{\{?CACHEBUSTER\}?\}|\[CACHEBUSTER\]|\[CACHEBUSTING\]|%5BCACHEBUST(ER|ING)%5D/gi,
      stamp,
    )
    .replace(
      /\[(timestamp|random|rand|ord|RANDOM_NUMBER)\]|%5B(timestamp|random)%5D|%%(TIMESTAMP|RANDOM)%%|\$\{(TIMESTAMP|RANDOM)\}|__(TIMESTAMP|RANDOM)__/gi,
      stamp,
    )
    .replace(/%%(CLICK_URL(_UNESC|_ESC(_ESC)?)?|VIEW_URL(_UNESC|_ESC)?|DEST_URL(_ESC(_ESC)?)?)%%/gi, '')
    .replace(/\$\{(CLICK_URL(_ENC|_UNESC|_ESC)?|CLICKURL(_ENC)?)\}|\[(CLICK_URL|clickTracker|CLICKTRACKER)\]/gi, '')
    .replace(/\{\{\s*(clickTag|click_?url|clickthrough)\s*\}\}|\$\{clickTag\}|%%clickTag%%/gi, 'about:blank')
    .replace(
      /%%(SITE|PATTERN:url|REFERRER_URL(_ESC)?)%%|\$\{(REFERER_URL|SOURCE_URL)(_ENC)?\}|\[(PAGEURL|PAGE_URL|REFERRER)\]/gi,
      '',
    )
    .replace(/\$\{(GDPR|US_PRIVACY|GDPR_CONSENT_\d+)\}|\[(GDPR|GDPRCONSENT|REGULATIONS)\]/gi, '');
}
