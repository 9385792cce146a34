/** The creative check: facts that the capture measured, and a table of rules that say what an ad server will object to. */
import type { AdSize } from './ads.ts';
import { firstOf } from './text.ts';

/** Why a part of the facts is missing. */
export interface NotMeasured {
  readonly not_measured: string;
}

export interface Exit {
  /** Null: no click opened an address. */
  readonly address: string | null;
  /** `click_tag`: the value of the ad server, or a literal that it replaces. `library`: by a library of the ad server. */
  readonly by: 'click_tag' | 'library' | 'hard_coded' | null;
  readonly new_window: boolean;
}

export interface ScriptError {
  readonly message: string;
  readonly file: string;
  readonly second: number;
}

/** Facts of an HTML creative. Texts and lists are cut off, because a hostile creative may make any. */
export interface PageFacts {
  /** Before the load event, and in all. Own texts count as compressed by gzip. Without data and blob URLs. */
  readonly load: { initial_bytes: number; total_bytes: number; initial_requests: number; requests: number };
  readonly hosts: string[];
  /** Addresses with http. */
  readonly insecure: string[];
  readonly declared_size: AdSize | null;
  readonly errors: ScriptError[];
  readonly sound: string[];
  readonly system_fonts: string[];
  /** `seconds`: at least until then the picture changed, at most {@link MOTION_MS}. */
  readonly motion: { readonly seconds: number } | NotMeasured;
  readonly exit: Exit | NotMeasured;
  /** Null for a creative that is no zip. */
  readonly zip: {
    readonly files: number;
    readonly unused: { file: string; bytes: number }[];
    readonly missing: string[];
    readonly backup_image: string | null;
  } | null;
}

export interface CreativeFacts {
  /** The length of the file of the ad; null for a tag. */
  readonly file_bytes: number | null;
  /** The share of the pixels at the edge that look white. */
  readonly white_edge: number | null;
  /** Only for an animated image. `loops`: 0 without an end. */
  readonly animation: { readonly seconds: number; readonly loops: number } | null;
  /** Null for images and videos. */
  readonly page: PageFacts | NotMeasured | null;
}

const isMeasured = <T extends object>(facts: T | NotMeasured): facts is T => !('not_measured' in facts);

/** The ad, as its row describes it. */
export interface CheckedAd {
  readonly width: number | null;
  readonly height: number | null;
  readonly category: 'display' | 'video' | null;
}

export type CheckLimits = Readonly<Record<'initial_load_kb' | 'total_weight_kb' | 'requests', number>>;
/** Null, and absent: the figure of the IAB. */
export type CheckSettings = { readonly [Limit in keyof CheckLimits]?: number | null | undefined } & {
  readonly switched_off?: readonly RuleId[] | undefined;
};

export const CHECK_LIMITS = { kilobytes: 100_000, requests: 1_000, listed: 50 } as const;

/** How long the picture is watched: 30 s, and the pause of a loop. */
export const MOTION_MS = 35_000;

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

export function checkLimits({ width, height }: CheckedAd, settings: CheckSettings): CheckLimits {
  const area = (width ?? 300) * (height ?? 250);
  const distance = ([w, h]: readonly number[]) => Math.abs((w ?? 0) * (h ?? 0) - area);
  const [, , initial, subload] = IAB_WEIGHTS.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  return {
    initial_load_kb: settings.initial_load_kb ?? initial,
    total_weight_kb: settings.total_weight_kb ?? initial + subload,
    requests: settings.requests ?? IAB_REQUESTS,
  };
}

export const SEVERITIES = ['error', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where in the creative. */
export interface Place {
  readonly file?: string;
  readonly address?: string;
  readonly second?: number;
}

interface Found extends Place {
  readonly message: string;
}

/** The facts as rules read them. Parts that the ad does not have, or that were not measured, are undefined. */
interface Given {
  readonly facts: CreativeFacts;
  readonly size: AdSize | undefined;
  readonly limits: CheckLimits;
  /** Undefined for a video, which other limits apply to. */
  readonly load: PageFacts['load'] | undefined;
  readonly page: PageFacts | undefined;
  readonly zip: NonNullable<PageFacts['zip']> | undefined;
  readonly exit: Exit | undefined;
  /** Until when the ad moves; infinite for an image that loops without an end. */
  readonly seconds: number | undefined;
}

type Find = (given: Given) => readonly Found[] | NotMeasured | false | undefined;
interface Rule {
  readonly severity: Severity;
  readonly source: string;
  readonly why: string;
  readonly find: Find;
}

const rule =
  (severity: Severity) =>
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
  initial_load: warning(IAB, 'A heavy ad appears late, and publishers reject it.', ({ load, limits }) => {
    const limit = limits.initial_load_kb;
    return load && over(load.initial_bytes, limit, `The first load has ${kb(load.initial_bytes)}`);
  }),
  total_weight: warning(IAB, 'Visitors pay for it, and Chrome removes heavy ads.', ({ load, limits }) => {
    const limit = limits.total_weight_kb;
    return load && over(load.total_bytes, limit, `The ad loads ${kb(load.total_bytes)} in all`);
  }),
  requests: warning(
    IAB,
    'Each request delays the ad, most of all on phones.',
    ({ load, limits: { requests: most } }) => {
      const count = load?.initial_requests ?? 0;
      return count > most && [{ message: `The first load makes ${count} requests; the limit is ${most}.` }];
    },
  ),
  file_size: warning(`${GOOGLE}; ${CM360}`, 'The ad server rejects the file.', ({ facts, load, page }) => {
    if (load === undefined || facts.file_bytes === null) return undefined;
    const [server, most] = page ? ['Campaign Manager 360', CM360_ZIP_KB] : ['Google Ads', GOOGLE_IMAGE_KB];
    return over(facts.file_bytes, most, `The file has ${kb(facts.file_bytes)}`, ` of ${server}`);
  }),
  zip_files: warning(`${GOOGLE}; ${CM360}`, 'The ad server rejects the zip.', ({ zip }) => {
    const message = `The zip has ${zip?.files} files; Google Ads takes ${GOOGLE_FILES}, Campaign Manager 360 takes 100.`;
    return (zip?.files ?? 0) > GOOGLE_FILES && [{ message }];
  }),
  unused_files: note(
    CM360,
    'Ad servers count them, and some reject files that the page does not use.',
    ({ zip, page }) => {
      const { unused = [] } = zip ?? {};
      // A file may load late.
      if (page && !isMeasured(page.motion)) return undefined;
      const names = unused.map(({ file, bytes }) => `${file} (${kb(bytes)})`);
      const [first] = unused;
      return first && [{ message: `The ad did not load ${firstOf(names, 5)}.`, file: first.file }];
    },
  ),
  missing_file: error(GOOGLE, 'A part of the ad may not show, and Google Ads rejects the zip.', ({ zip }) =>
    zip?.missing.map((file) => ({ message: `The zip does not contain ${file}, which the ad loads.`, file })),
  ),
  third_party_hosts: warning(GOOGLE, 'Google Ads takes only files of the zip and Google fonts.', ({ zip, page }) =>
    (zip && page?.hosts.filter((host) => !ALLOWED_HOST.test(host)))?.map((address) => ({
      message: `The ad loads files from ${address}.`,
      address,
    })),
  ),
  insecure_address: error(LEAN, 'Pages with https block it, and ad servers reject the ad.', ({ page }) =>
    page?.insecure.map((address) => ({ message: `The ad loads ${address} without encryption.`, address })),
  ),
  exit_missing: error(CM360, 'Visitors do not reach the landing page, and no click is counted.', ({ exit, page }) => {
    if (page && !isMeasured(page.exit)) return page.exit;
    const message = 'No address opened when the middle of the ad and what looks like a button were clicked.';
    return exit?.address === null && [{ message }];
  }),
  exit_hard_coded: error(CM360, 'The ad server cannot set the landing page, and counts no click.', ({ exit }) => {
    const { address = null, by } = exit ?? {};
    if (address === null || by !== 'hard_coded') return undefined;
    return [{ message: `A click opens ${address}, which is written into the ad, instead of clickTag.`, address }];
  }),
  exit_same_window: error(DV360, 'The landing page must open in a new tab.', ({ exit }) => {
    const { address = null, new_window } = exit ?? {};
    return address !== null && !new_window && [{ message: 'A click replaces the ad or its page.', address }];
  }),
  ad_size_missing: warning(
    GOOGLE,
    'Google Ads reads the size from it, and rejects a zip without it.',
    ({ zip, page }) => {
      const message = 'The page has no <meta name="ad.size" content="width=…,height=…">.';
      return zip && page?.declared_size === null && [{ message }];
    },
  ),
  ad_size_mismatch: error(
    GOOGLE,
    'The place has the declared size: the ad is cut off, or leaves a part empty.',
    (given) => {
      const [size, declared] = [given.size, given.page?.declared_size];
      if (!size || !declared || (size.width === declared.width && size.height === declared.height)) return undefined;
      return [{ message: `ad.size is ${sizeText(declared)}, but the ad shows ${sizeText(size)}.` }];
    },
  ),
  animation_length: note(
    LEAN,
    'The IAB recommends at most 15 s, and many publishers require it.',
    ({ seconds = 0 }) => {
      const isLong = seconds > SHORT_SECONDS && seconds <= LONG_SECONDS;
      return isLong && [{ message: `The ad moves for ${Math.round(seconds)} s.`, second: SHORT_SECONDS }];
    },
  ),
  motion_after_30_s: error(POLICY, 'Google and most publishers reject it, loops included.', ({ page, seconds = 0 }) => {
    if (page && !isMeasured(page.motion)) return page.motion;
    return seconds > LONG_SECONDS && [{ message: 'The ad still moves after 30 s.', second: LONG_SECONDS }];
  }),
  loops: warning(LEAN, 'Most publishers take at most three loops.', ({ facts: { animation } }) => {
    const loops = animation?.loops ?? 1;
    const message = loops === 0 ? 'The image loops without an end.' : `The image loops ${loops} times.`;
    return (loops === 0 || loops > MAX_LOOPS) && [{ message }];
  }),
  script_error: warning(LEAN, 'The rest of the script does not run.', ({ page }) =>
    page?.errors.map(({ message, ...where }) => ({ message: `A script failed: ${message}`, ...where })),
  ),
  backup_image_missing: note(CM360, 'Ad servers show it where the ad cannot run.', ({ zip }) => {
    const message = 'The zip has no GIF, JPEG or PNG of the size of the ad besides those that the ad shows.';
    return zip?.backup_image === null && [{ message }];
  }),
  sound_without_gesture: error(`${LEAN}; ${DV360}`, 'Ads with sound must wait for a gesture.', ({ page }) =>
    page?.sound.map((file) => ({ message: `${file} plays with sound before a visitor acts.`, file })),
  ),
  system_fonts: note(LEAN, 'The text looks different on each device, and may break differently.', ({ page }) => {
    const { system_fonts: fonts = [] } = page ?? {};
    return fonts.length > 0 && [{ message: `Text is in fonts of the device: ${firstOf(fonts, 5)}.` }];
  }),
  no_border: warning(`${POLICY}; ${IAB}`, 'On a white page the ad looks like a part of it.', ({ facts, load }) => {
    const share = facts.white_edge ?? 0;
    const message = `${Math.round(share * 100)} % of the edge of the ad is white or transparent.`;
    return load !== undefined && share >= MOSTLY && [{ message }];
  }),
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof RULES;
export const RULE_IDS = Object.keys(RULES) as [RuleId, ...RuleId[]];

function over(bytes: number, limitKb: number, what: string, whose = ''): Found[] {
  return bytes > limitKb * KB ? [{ message: `${what}; the limit${whose} is ${limitKb.toLocaleString('en')} kB.` }] : [];
}

export interface Finding extends Omit<Rule, 'find'> {
  readonly rule: RuleId;
  readonly message: string;
  readonly where: Place;
}

/** @returns the findings of the rules that are not switched off, the worst first. */
export function findingsOf(facts: CreativeFacts, ad: CheckedAd, settings: CheckSettings): Finding[] {
  const given = givenOf(facts, ad, settings);
  const all = RULE_IDS.filter((id) => !settings.switched_off?.includes(id)).flatMap((id): Finding[] => {
    const { find, ...about } = RULES[id];
    const found = find(given) || [];
    if ('not_measured' in found)
      return [{ rule: id, ...about, severity: 'note', message: `Not measured: ${found.not_measured}`, where: {} }];
    return found.map(({ message, ...where }) => ({ rule: id, ...about, message, where }));
  });
  return all.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function givenOf(facts: CreativeFacts, ad: CheckedAd, settings: CheckSettings): Given {
  const { file_bytes, animation } = facts;
  const page = measured(facts.page);
  const { width, height } = ad;
  const bytes = file_bytes ?? 0;
  const image = { initial_bytes: bytes, total_bytes: bytes, initial_requests: 1, requests: 1 };
  return {
    facts,
    page,
    size: width === null || height === null ? undefined : { width, height },
    limits: checkLimits(ad, settings),
    load: ad.category === 'video' ? undefined : facts.page === null ? image : page?.load,
    zip: page?.zip ?? undefined,
    exit: measured(page?.exit),
    seconds: animation
      ? animation.seconds * (animation.loops || Number.POSITIVE_INFINITY)
      : measured(page?.motion)?.seconds,
  };
}

function measured<T extends object>(part: T | NotMeasured | null | undefined): T | undefined {
  return part && isMeasured(part) ? part : undefined;
}
