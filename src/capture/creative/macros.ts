/**
 * Replaces the macros of ad servers that a page would have filled. What is not known is left as it stands,
 * so that a creative's own templates survive.
 * @param stamp a number that stays the same for one creative, so that two renders are alike.
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
