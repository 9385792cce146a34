/** The table of docs/limits.md has the limits of the code. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenApi } from '../../../src/api/public/openApi.ts';
import { SETTINGS } from '../../../src/config.ts';
import { CHECK_LIMITS } from '../../../src/contract/creativeCheck.ts';
import { LISTED_MAX } from '../../../src/contract/creativeFacts.ts';
import { REPLAYED_EVENTS_MAX } from '../../../src/contract/events.ts';
import { MAX_VALUES } from '../../../src/contract/faults.ts';
import { MEMBERS_MAX } from '../../../src/core/people/members.ts';
import { CREATIVE_MAX_BYTES, HTML_TAG_MAX_BYTES, LOOKUP_KEY_MAX } from '../../../src/domain/ads.ts';
import {
  ANIMATION_BYTES_MAX,
  ANIMATION_FPS_MAX,
  ANIMATION_FRAMES_MAX,
  ANIMATION_SECONDS_MAX,
} from '../../../src/domain/animations.ts';
import { MAX_DOCUMENT_PICTURES } from '../../../src/domain/exports.ts';
import { KEYS_MAX } from '../../../src/domain/keys.ts';
import {
  DEFAULT_LIMITS,
  INSTRUCTIONS_MAX,
  MAX_BODY_BYTES,
  MAX_BODY_SHAPES,
  MAX_BODY_VALUES,
} from '../../../src/domain/limits.ts';
import { MARKER_MAX_SECONDS } from '../../../src/domain/markers.ts';
import { PLAN_LIMITS } from '../../../src/domain/mediaPlans.ts';
import {
  METADATA_KEY_MAX,
  METADATA_MAX_BYTES,
  METADATA_MAX_PAIRS,
  METADATA_VALUE_MAX,
} from '../../../src/domain/metadata.ts';
import { ACCESS_LIMITS } from '../../../src/domain/pageAccess.ts';
import { PLACEMENT_SIZES_MAX } from '../../../src/domain/placements.ts';
import { UPLOAD_DAYS } from '../../../src/domain/retention.ts';
import { COMMENT_MAX, COMMENTS_OF_PICTURE_MAX, THREAD_COMMENT_MAX } from '../../../src/domain/reviews.ts';
import {
  SAVED_BODY_MAX_BYTES,
  SAVED_SITES_MAX,
  SITE_LISTS_MAX,
  TEMPLATES_MAX,
} from '../../../src/domain/savedObjects.ts';
import { RUN_GAP_MINUTES, SCHEDULE_DAYS_MAX, SCHEDULES_MAX } from '../../../src/domain/schedules.ts';
import { GROUP_ADS_MAX, GROUP_NAME_MAX, SELECTOR_MAX } from '../../../src/domain/screenshotOptions.ts';
import {
  ANSWERS_OF_LINK_MAX,
  COMMENTS_OF_LINK_MAX,
  FOLLOWERS_OF_LINK_MAX,
  FOLLOWS_PER_DAY_MAX,
  SHARE_DAYS_MAX,
  SHARE_LINKS_MAX,
} from '../../../src/domain/shareLinks.ts';
import { RULE_LIMITS } from '../../../src/domain/siteRules.ts';
import { DEFAULT_UPLOAD_LIMITS, GIVEN_PAGE_LIMITS } from '../../../src/domain/uploads.ts';
import { URL_MAX } from '../../../src/domain/webAddresses.ts';
import { DISABLE_AFTER_DAYS, ENDPOINTS_MAX } from '../../../src/domain/webhookEndpoints.ts';

const LIMITS: Readonly<Record<string, number>> = {
  'entries of a request': DEFAULT_LIMITS.entries,
  'screenshots of a request': DEFAULT_LIMITS.screenshots,
  'markers of one screenshot object': DEFAULT_LIMITS.frames,
  'ads in one picture': GROUP_ADS_MAX,
  'characters of the name of a group': GROUP_NAME_MAX,
  'cookies of a page': ACCESS_LIMITS.cookies,
  'headers of a page': ACCESS_LIMITS.headers,
  'characters of the value of a cookie or header': ACCESS_LIMITS.value,
  'characters of all cookies and headers of a page': ACCESS_LIMITS.bytes,
  'sizes of a placement': PLACEMENT_SIZES_MAX,
  'latest marker, in seconds': MARKER_MAX_SECONDS,
  'seconds of an animation': ANIMATION_SECONDS_MAX,
  'frames of an animation per second': ANIMATION_FPS_MAX,
  'frames of an animation': ANIMATION_FRAMES_MAX,
  'file of an animation, in bytes': ANIMATION_BYTES_MAX,
  'subscribers of a request': DEFAULT_LIMITS.subscribers,
  'JSON body of a request, before and after decompression, in bytes': MAX_BODY_BYTES,
  'objects, lists and items of a JSON body': MAX_BODY_VALUES,
  'different sequences of field names in a JSON body': MAX_BODY_SHAPES,
  'objects, lists and items of any other JSON body, and of one ad, screenshot or subscriber': MAX_VALUES,
  'file of a creative, in bytes': CREATIVE_MAX_BYTES,
  'creative of the type `html_tag`, in bytes': HTML_TAG_MAX_BYTES,
  'parts of a saved page (MHTML)': GIVEN_PAGE_LIMITS.parts,
  'pixels of a screenshot that is given as a page': GIVEN_PAGE_LIMITS.pixels,
  'uploads that nothing uses': DEFAULT_UPLOAD_LIMITS.unused,
  'bytes of these uploads together': DEFAULT_UPLOAD_LIMITS.unusedBytes,
  'days until the removal of an upload that nothing uses': UPLOAD_DAYS,
  'days without a successful attempt until a webhook endpoint is disabled': DISABLE_AFTER_DAYS,
  'characters of an address': URL_MAX,
  'characters of a lookup key': LOOKUP_KEY_MAX,
  'characters of the instructions of a set': INSTRUCTIONS_MAX,
  'characters of the comment of a review': COMMENT_MAX,
  'characters of a comment in a thread': THREAD_COMMENT_MAX,
  'comments of the organization on one picture, or on a set as a whole': COMMENTS_OF_PICTURE_MAX,
  'pairs of the metadata of an ad or a set': METADATA_MAX_PAIRS,
  'characters of a key of metadata': METADATA_KEY_MAX,
  'characters of a value of metadata': METADATA_VALUE_MAX,
  'metadata of an ad or a set as JSON, in bytes': METADATA_MAX_BYTES,
  'objects of a page of a list': longestPage(),
  'templates of an organization': TEMPLATES_MAX,
  'site lists of an organization': SITE_LISTS_MAX,
  'kB of a limit of the creative check': CHECK_LIMITS.kilobytes,
  'requests of a limit of the creative check': CHECK_LIMITS.requests,
  'items of a list in the facts of a creative': LISTED_MAX,
  'site rules of an organization': RULE_LIMITS.rules,
  'site rules that apply to one page': RULE_LIMITS.ofPage,
  'slots of a site rule; selectors to hide, to click and to wait for, each': RULE_LIMITS.selectors,
  'characters of a selector': SELECTOR_MAX,
  'sites of a template or a site list': SAVED_SITES_MAX,
  'template or site list as JSON, in bytes': SAVED_BODY_MAX_BYTES,
  'schedules of an organization': SCHEDULES_MAX,
  'minutes between two runs of a schedule, at least': RUN_GAP_MINUTES,
  'days from now to the end of a schedule': SCHEDULE_DAYS_MAX,
  'rows of a media plan below its headings': PLAN_LIMITS.rows,
  'file of a media plan, in bytes': PLAN_LIMITS.bytes,
  'sheets of a workbook that are searched for the plan': PLAN_LIMITS.sheets,
  'words of media plans that an organization has explained': PLAN_LIMITS.words,
  'pictures of a media plan': PLAN_LIMITS.pictures,
  'webhook endpoints of an organization': ENDPOINTS_MAX,
  'events of a period that is sent again': REPLAYED_EVENTS_MAX,
  'members and open invitations of an organization': MEMBERS_MAX,
  'valid API keys of an organization': KEYS_MAX,
  'valid share links of a set or a campaign': SHARE_LINKS_MAX,
  'days of a share link': SHARE_DAYS_MAX,
  'answers of clients by one share link': ANSWERS_OF_LINK_MAX,
  'addresses that ask for e-mails about one share link': FOLLOWERS_OF_LINK_MAX,
  'e-mails a day that ask one address to confirm, once for each share link': FOLLOWS_PER_DAY_MAX,
  'comments of clients by one share link': COMMENTS_OF_LINK_MAX,
  'pictures of a document (PPTX or PDF)': MAX_DOCUMENT_PICTURES,
};

const TEXT = readFileSync(path.join(import.meta.dirname, '../../../docs/limits.md'), 'utf8');
const [, section = ''] = TEXT.split('\n## Limits\n');
const ROWS = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+) \| (.+) \|(.*)\|$/gm)].slice(1);

test('the limits in docs/limits.md are those of the code', () => {
  const documented = Object.fromEntries(ROWS.map(([, limit, value]) => [limit, value]));
  const actual = Object.entries(LIMITS).map(([limit, value]) => [limit, value.toLocaleString('en')]);
  expect(documented).toEqual(Object.fromEntries(actual));
});

test('the settings in docs/limits.md exist', () => {
  const names = ROWS.flatMap(([, , , setting = '']) => setting.match(/[A-Z_]+/g) ?? []);
  expect(names.filter((name) => !(name in SETTINGS))).toEqual([]);
});

function longestPage(): number {
  const text = JSON.stringify(buildOpenApi());
  const maxima = text.matchAll(/"name":"per_page","schema":\{[^}]*"maximum":(\d+)/g);
  return Math.max(...[...maxima].map(([, maximum]) => Number(maximum)));
}
