/** The creative check: a table of rules that say what an ad server will object to, its settings, and the answer of the API. */
import { z } from 'zod';
import type { AdSize } from '../domain/ads.ts';
import { firstOf } from '../domain/text.ts';
import { CreativeFacts, type Exit, type NotMeasured, type PageFacts } from './creativeFacts.ts';
import { OURS } from './schemaParts.ts';

/** The ad, as its row describes it. */
export interface CheckedAd {
  readonly width: number | null;
  readonly height: number | null;
  readonly category: 'display' | 'video' | null;
}

export const CHECK_LIMITS = { kilobytes: 100_000, requests: 1_000 } as const;

/**
 * Maximum weights in kB: width, height, initial load, subload. The total is the sum of both. Source: IAB New Ad Portfolio 1.1
 * (2017), "Fixed Size Ad Specifications". Another size has the figures of the one with the nearest area.
 */
const IAB_WEIGHTS = [
  [970, 250, 250, 500],
  [300, 1050, 250, 500],
  [970, 90, 200, 400],
  [728, 90, 150, 300],
  [160, 600, 150, 300],
  [300, 250, 150, 300],
  [320, 50, 50, 100],
  [300, 50, 50, 100],
  [120, 60, 50, 100],
  [640, 1136, 300, 600],
] as const;

/** IAB New Ad Portfolio 1.1, "General Ad Requirements": file requests during the initial file load. */
const IAB_REQUESTS = 10;

/** IAB New Ad Portfolio 1.1, "General Ad Requirements": the share of an average processor that an ad may need. */
const IAB_PROCESSOR = 0.3;

const count = z.number().int().min(0);
const Limits = z.object({ initial_load_kb: count, total_weight_kb: count, requests: count });

export function checkLimits({ width, height }: CheckedAd, settings: CheckSettings): z.infer<typeof Limits> {
  const area = (width ?? 300) * (height ?? 250);
  const distance = ([w, h]: readonly number[]) => Math.abs((w ?? 0) * (h ?? 0) - area);
  const [, , initial, subload] = IAB_WEIGHTS.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  return {
    initial_load_kb: settings.initial_load_kb ?? initial,
    total_weight_kb: settings.total_weight_kb ?? initial + subload,
    requests: settings.requests ?? IAB_REQUESTS,
  };
}

const SEVERITIES = ['error', 'warning', 'note'] as const;

const Where = z.object({ file: z.string(), address: z.string(), second: z.number() }).partial();
type Found = { readonly message: string } & z.infer<typeof Where>;

/** The facts as rules read them. A part that the ad does not have, or that was not measured, has nothing to object to. */
interface Given extends CreativeFacts {
  readonly size: AdSize | undefined;
  readonly limits: z.infer<typeof Limits>;
  readonly page: PageFacts;
  readonly isPage: boolean;
  /** No files: the ad is no zip. */
  readonly zip: NonNullable<PageFacts['zip']>;
  readonly exit: Exit;
  /** Until when the ad moves; infinite for an image that loops without an end. */
  readonly seconds: number;
}

/** @returns the message of the only finding, or all findings. */
type Find = (given: Given) => readonly Found[] | string | NotMeasured | false | null;
interface Rule {
  readonly severity: (typeof SEVERITIES)[number];
  readonly source: string;
  readonly why: string;
  readonly find: Find;
}

const rule =
  (severity: Rule['severity']) =>
  (source: string, why: string, find: Find): Rule => ({ severity, source, why, find });
const [error, warning, note] = [rule('error'), rule('warning'), rule('note')];

const IAB = 'IAB New Ad Portfolio 1.1';
const LEAN = 'IAB New Ad Portfolio 1.1, LEAN';
const GOOGLE = 'Google Ads, uploaded display ads';
const POLICY = 'Google Ads, policy for image ads';
const CM360 = 'Campaign Manager 360, HTML5 assets';
const DV360 = 'Display & Video 360, HTML5 creatives';

/** A server that counts in thousands is stricter by 2 %. */
const KB = 1024;
const kb = (bytes: number) => `${Math.ceil(bytes / KB).toLocaleString('en')} kB`;
const over = (bytes: number, limitKb: number, what: string, whose = '') =>
  bytes > limitKb * KB && `${what}; the limit${whose} is ${limitKb.toLocaleString('en')} kB.`;
const sizeText = ({ width, height }: AdSize) => `${width}×${height}`;

/** Google lets creatives load these. */
const ALLOWED_HOST = /(?:^|\.)(?:fonts\.googleapis\.com|gstatic\.com|ajax\.googleapis\.com|2mdn\.net)$/;
const GOOGLE_IMAGE_KB = 150;
const CM360_ZIP_KB = 9.5 * KB;
const GOOGLE_FILES = 40;
const MAX_LOOPS = 3;
const SHORT_SECONDS = 15;
const LONG_SECONDS = 30;
/** An ad with a larger share of such an edge has no shape on a white page. */
const MOSTLY = 0.5;

/**
 * The rules by id. Sources: IAB New Ad Portfolio 1.1 (iabtechlab.com/standards/new-ad-portfolio, LEAN on pages 14 to 20), and of
 * support.google.com google-ads/answer/1722096, adspolicy/answer/176108, campaignmanager/answer/3145300 and 4558694, and
 * displayvideo/answer/10261241.
 */
const RULES = {
  initial_load: warning(IAB, 'A heavy ad appears late, and publishers reject it.', ({ page: { load }, limits }) =>
    over(load.initial_bytes, limits.initial_load_kb, `The first load has ${kb(load.initial_bytes)}`),
  ),
  total_weight: warning(IAB, 'Visitors pay for it, and Chrome removes heavy ads.', ({ page: { load }, limits }) =>
    over(load.total_bytes, limits.total_weight_kb, `The ad loads ${kb(load.total_bytes)} in all`),
  ),
  requests: warning(
    IAB,
    'Each request delays the ad, most of all on phones.',
    ({ page, limits: { requests: most } }) => {
      const count = page.load.initial_requests;
      return count > most && `The first load makes ${count} requests; the limit is ${most}.`;
    },
  ),
  file_size: warning(`${GOOGLE}; ${CM360}`, 'The ad server rejects the file.', ({ file_bytes, isPage }) => {
    const [server, most] = isPage ? ['Campaign Manager 360', CM360_ZIP_KB] : ['Google Ads', GOOGLE_IMAGE_KB];
    return over(file_bytes ?? 0, most, `The file has ${kb(file_bytes ?? 0)}`, ` of ${server}`);
  }),
  zip_files: warning(
    `${GOOGLE}; ${CM360}`,
    'The ad server rejects the zip.',
    ({ zip: { files } }) =>
      files > GOOGLE_FILES &&
      `The zip has ${files} files; Google Ads takes ${GOOGLE_FILES}, Campaign Manager 360 takes 100.`,
  ),
  unused_files: note(CM360, 'Ad servers count them, and some reject files that the page does not use.', (given) => {
    const [first] = given.zip.unused;
    const names = given.zip.unused.map(({ file, bytes }) => `${file} (${kb(bytes)})`);
    return first ? [{ message: `The ad did not load ${firstOf(names, 5)}.`, file: first.file }] : null;
  }),
  missing_file: error(GOOGLE, 'A part of the ad may not show, and Google Ads rejects the zip.', ({ zip }) =>
    zip.missing.map((file) => ({ message: `The zip does not contain ${file}, which the ad loads.`, file })),
  ),
  third_party_hosts: warning(GOOGLE, 'Google Ads takes only files of the zip and Google fonts.', ({ zip, page }) => {
    const hosts = zip.files > 0 ? page.hosts.filter((host) => !ALLOWED_HOST.test(host)) : [];
    return hosts.map((address) => ({ message: `The ad loads files from ${address}.`, address }));
  }),
  insecure_address: error(LEAN, 'Pages with https block it, and ad servers reject the ad.', ({ page }) =>
    page.insecure.map((address) => ({ message: `The ad loads ${address} without encryption.`, address })),
  ),
  exit_missing: error(CM360, 'Visitors do not reach the landing page, and no click is counted.', ({ exit, page }) => {
    if ('not_measured' in page.exit) return page.exit;
    const message = 'No address opened when the middle of the ad and what looks like a button were clicked.';
    return exit.address === null && message;
  }),
  exit_hard_coded: error(CM360, 'The ad server cannot set the landing page, and counts no click.', ({ exit }) => {
    const { address, by } = exit;
    if (address === null || by !== 'hard_coded') return null;
    return [{ message: `A click opens ${address}, which is written into the ad, instead of clickTag.`, address }];
  }),
  exit_same_window: error(DV360, 'The landing page must open in a new tab.', ({ exit: { address, new_window } }) =>
    address === null || new_window ? null : [{ message: 'A click replaces the ad or its page.', address }],
  ),
  ad_size_missing: warning(
    GOOGLE,
    'Google Ads reads the size from it, and rejects a zip without it.',
    ({ zip, page }) =>
      zip.files > 0 && !page.declared_size && 'The page has no <meta name="ad.size" content="width=…,height=…">.',
  ),
  ad_size_mismatch: error(
    GOOGLE,
    'The place has the declared size: the ad is cut off, or leaves a part empty.',
    (given) => {
      const [size, declared] = [given.size, given.page.declared_size];
      if (!size || !declared || sizeText(size) === sizeText(declared)) return null;
      return `ad.size is ${sizeText(declared)}, but the ad shows ${sizeText(size)}.`;
    },
  ),
  animation_length: note(LEAN, 'The IAB recommends at most 15 s, and many publishers require it.', ({ seconds }) => {
    const isLong = seconds > SHORT_SECONDS && seconds <= LONG_SECONDS;
    return isLong && [{ message: `The ad moves for ${Math.round(seconds)} s.`, second: SHORT_SECONDS }];
  }),
  motion_after_30_s: error(POLICY, 'Google and most publishers reject it, loops included.', ({ page, seconds }) => {
    if ('not_measured' in page.motion) return page.motion;
    return seconds > LONG_SECONDS && [{ message: 'The ad still moves after 30 s.', second: LONG_SECONDS }];
  }),
  loops: warning(LEAN, 'Most publishers take at most three loops.', ({ animation }) => {
    const loops = animation?.loops ?? 1;
    if (loops === 0) return 'The image loops without an end.';
    return loops > MAX_LOOPS && `The image loops ${loops} times.`;
  }),
  processor_load: warning(
    IAB,
    'Pages become slow, and Chrome removes such ads.',
    ({ page: { processor_load = 0 } }) => {
      const percent = Math.round(100 * processor_load);
      return (
        processor_load > IAB_PROCESSOR &&
        `The ad keeps a processor busy for ${percent} % of the time; the limit is ${100 * IAB_PROCESSOR} %.`
      );
    },
  ),
  script_error: warning(LEAN, 'The rest of the script does not run.', ({ page }) =>
    page.errors.map(({ message, ...where }) => ({ message: `A script failed: ${message}`, ...where })),
  ),
  backup_image_missing: note(CM360, 'Ad servers show it where the ad cannot run.', ({ zip }) => {
    const message = 'The zip has no GIF, JPEG or PNG of the size of the ad besides those that the ad shows.';
    return zip.backup_image === null && message;
  }),
  sound_without_gesture: error(`${LEAN}; ${DV360}`, 'Ads with sound must wait for a gesture.', ({ page }) =>
    page.sound.map((file) => ({ message: `${file} plays with sound before a visitor acts.`, file })),
  ),
  system_fonts: note(
    LEAN,
    'The text looks different on each device, and may break differently.',
    ({ page }) => page.system_fonts.length > 0 && `Text is in fonts of the device: ${firstOf(page.system_fonts, 5)}.`,
  ),
  no_border: warning(`${POLICY}; ${IAB}`, 'On a white page the ad looks like a part of it.', ({ white_edge }) => {
    const share = white_edge ?? 0;
    return share >= MOSTLY && `${Math.round(share * 100)} % of the edge of the ad is white or transparent.`;
  }),
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof RULES;
export const RULE_IDS = Object.keys(RULES) as [RuleId, ...RuleId[]];

/** @returns the findings of the rules that are not switched off, the worst first. */
export function findingsOf(facts: CreativeFacts, ad: CheckedAd, settings: CheckSettings): Finding[] {
  // Other limits apply to a video.
  if (ad.category === 'video' || (facts.page && 'not_measured' in facts.page)) return [];
  const given = givenOf(facts, facts.page, { ad, settings });
  const all = RULE_IDS.filter((id) => !settings.switched_off?.includes(id)).flatMap((id): Finding[] => {
    const { find, ...about } = RULES[id];
    const found = find(given) || [];
    if (typeof found === 'object' && 'not_measured' in found)
      return [{ rule: id, ...about, severity: 'note', message: `Not measured: ${found.not_measured}`, where: {} }];
    const list = typeof found === 'string' ? [{ message: found }] : found;
    return list.map(({ message, ...where }) => ({ rule: id, ...about, message, where }));
  });
  return all.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

const NO_ZIP: Given['zip'] = { files: 0, unused: [], missing: [], backup_image: '' };
const NO_PAGE = {
  load: { initial_bytes: 0, total_bytes: 0, initial_requests: 0, requests: 0 },
  ...{ hosts: [], insecure: [], declared_size: null, errors: [], sound: [], system_fonts: [] },
  ...{ motion: { seconds: 0 }, exit: { address: '', by: null, new_window: true }, zip: null },
} satisfies PageFacts;

/** @param page null for an image, which is one request. */
function givenOf(
  facts: CreativeFacts,
  page: PageFacts | null,
  about: { ad: CheckedAd; settings: CheckSettings },
): Given {
  const { file_bytes, animation } = facts;
  const { width, height } = about.ad;
  const bytes = file_bytes ?? 0;
  const load = { initial_bytes: bytes, total_bytes: bytes, initial_requests: 1, requests: 1 };
  const { motion, exit, zip } = page ?? NO_PAGE;
  const loops = animation?.loops || Number.POSITIVE_INFINITY;
  return {
    ...facts,
    page: page ?? { ...NO_PAGE, load },
    isPage: page !== null,
    size: width === null || height === null ? undefined : { width, height },
    limits: checkLimits(about.ad, about.settings),
    // A file may load late.
    zip: zip === null ? NO_ZIP : 'not_measured' in motion ? { ...zip, unused: [] } : zip,
    exit: 'not_measured' in exit ? NO_PAGE.exit : exit,
    seconds: animation ? animation.seconds * loops : 'seconds' in motion ? motion.seconds : 0,
  };
}

const kilobytes = z.number().int().min(1).max(CHECK_LIMITS.kilobytes).nullish();
export const CheckSettings = z
  .object({
    initial_load_kb: kilobytes.describe('Null: the figure of the IAB for the size.'),
    total_weight_kb: kilobytes.describe('Null: the figure of the IAB for the size.'),
    requests: z
      .number()
      .int()
      .min(1)
      .max(CHECK_LIMITS.requests)
      .nullish()
      .describe('Before the ad has loaded. Null: 10, as the IAB.'),
    switched_off: z.array(z.enum(RULE_IDS)).max(RULE_IDS.length).optional().describe('Rules that find nothing.'),
  })
  .meta({ id: 'CreativeCheckSettings', description: `Limits and rules of the creative check. ${OURS}` });
export type CheckSettings = z.infer<typeof CheckSettings>;

const Finding = z
  .object({
    rule: z.enum(RULE_IDS).describe('To switch it off in the settings. New rules may be added at any time.'),
    severity: z
      .enum(SEVERITIES)
      .describe(
        '`error`: ad servers reject it, or it does not work. `warning`: many publishers reject it. `note`: a hint.',
      ),
    message: z.string(),
    where: Where,
    why: z.string(),
    source: z.string(),
  })
  .meta({ id: 'CreativeFinding', description: `Something that an ad server will object to. ${OURS}` });
export type Finding = z.infer<typeof Finding>;

export const CreativeCheckRecord = z
  .object({
    type: z.literal('creative_check'),
    ad_id: z.uuid(),
    not_measured: z.string().nullable().describe('Why there are no facts, and how to get them. Null if there are.'),
    facts: CreativeFacts.nullable(),
    limits: Limits,
    findings: z.array(Finding).describe('The worst first.'),
  })
  .meta({ id: 'CreativeCheck', description: `The objections of ad servers to the creative of an ad. ${OURS}` });
export type CreativeCheckRecord = z.infer<typeof CreativeCheckRecord>;
