import { expect, test } from 'vitest';
import { exportOptions } from '../../../src/contract/exports.ts';
import type { ExportPicture } from '../../../src/core/exports/exportContent.ts';
import { DEFAULT_BRANDING, PAGE_SIZES, type PageSize } from '../../../src/domain/branding.ts';
import type { DocumentContent, DocumentElement } from '../../../src/exports/document/elements.ts';
import { stripsOf } from '../../../src/exports/document/picturePages.ts';
import { planDocument } from '../../../src/exports/document/plan.ts';
import { examplePicture } from './examplePicture.ts';

const picture = (given: Partial<ExportPicture>): ExportPicture => ({ ...examplePicture, ...given });
const desktop = { device: 'desktop', ratio: 1, width: 1_440, height: 900 } as const;

function contentOf(pictures: ExportPicture[], pageSize: PageSize = '16:9'): DocumentContent {
  return {
    campaign: 'Spring',
    brandName: 'Acme',
    branding: { ...DEFAULT_BRANDING, logo: null },
    clientLogo: null,
    options: {
      format: 'pptx',
      frame: 'device',
      page_size: pageSize,
      pictures: 'standard',
      time_zone: 'UTC',
      failures: false,
      part: 1,
      audience: 'organization',
    },
    parts: 1,
    pictures,
    failures: [],
    findings: [],
  };
}

/** Whether it is a picture at its own page, and not on the cover. */
const isShot = (element: DocumentElement) => element.kind === 'picture' && element.ground === undefined;

test('the markers of one ad on one site and device are one strip', () => {
  const strips = stripsOf([
    picture({ id: 'a', marker_ms: 0 }),
    picture({ id: 'b', marker_ms: 500 }),
    picture({ id: 'c', ad_id: 'other' }),
    picture({ id: 'd', ...desktop }),
  ]);
  expect(strips.map(({ pictures }) => pictures.map(({ id }) => id))).toEqual([['a', 'b'], ['c'], ['d']]);
});

test('up to three phones of one site share a slide, each with its ad, and a document ends with its sender', () => {
  const phone = (id: string, more: Partial<ExportPicture> = {}) =>
    picture({ id, ad_id: id, ad_name: `Ad ${id}`, ...more });
  const other = { site_url: 'https://daily.example/' };
  const pictures = [
    ...[
      picture({ ...desktop, id: 'a', ad_id: 'a' }),
      phone('b'),
      phone('c', { device: 'mobile' }),
      phone('d'),
      phone('e'),
    ],
    ...[
      phone('f', other),
      phone('g', other),
      phone('h', { ...other, marker_ms: 0 }),
      phone('h', { ...other, marker_ms: 1 }),
    ],
  ];
  const shownOn = (pageSize?: PageSize) =>
    planDocument(contentOf(pictures, pageSize)).pages.flatMap(({ elements }) => {
      const ids = elements
        .filter(isShot)
        .flatMap((element) => (element.kind === 'picture' ? [element.picture.id] : []));
      return ids.length === 0 ? [] : [ids.join('')];
    });
  expect(shownOn()).toEqual(['a', 'bcd', 'e', 'fg', 'hh']);
  expect(shownOn('a4')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'hh']);
  const texts = planDocument(contentOf(pictures)).pages.map(({ elements }) =>
    elements.flatMap((element) => (element.kind === 'text' ? element.paragraphs.map(({ text }) => text) : [])),
  );
  const row = texts.find((page) => page.includes('Ad b')) ?? [];
  expect(row).toEqual(expect.arrayContaining(['Ad c', 'Ad d', expect.stringMatching(/^300 × 250 · iPhone · 21 Nov/)]));
  expect(texts.at(-1)).toEqual(expect.arrayContaining(['Acme', 'Placement previews: Spring']));
});

test.each(PAGE_SIZES)('all elements of %s pages are inside the page, and pictures keep their shape', (pageSize) => {
  const film = Array.from({ length: 31 }, (_, at) => picture({ ad_id: 'film', marker_ms: at * 1_000 }));
  const wide = Array.from({ length: 5 }, (_, at) => picture({ ...desktop, ad_id: 'wide', marker_ms: at * 1_000 }));
  const long = picture({
    ad_name: 'W'.repeat(500),
    site_url: `https://news.example/${'path/'.repeat(300)}`,
    ad_id: 'long',
  });
  const { pages, width, height } = planDocument(
    contentOf([picture({}), ...film, ...wide, long, picture(desktop)], pageSize),
  );
  const shown = pages
    .flatMap(({ elements }) => elements.filter(isShot))
    .filter((element) => element.kind === 'picture');
  expect(shown).toHaveLength(39);
  for (const { box } of pages.flatMap(({ elements }) => elements)) {
    expect(box.width).toBeGreaterThan(0);
    expect(box.height).toBeGreaterThan(0);
    expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width + 0.01);
    expect(box.y + box.height).toBeLessThanOrEqual(height + 0.01);
  }
  for (const {
    box,
    picture: { width: w, height: h },
  } of shown) {
    const isPortrait = h > w;
    expect(box.height > box.width).toBe(isPortrait);
    expect(Math.min(box.width, box.height)).toBeGreaterThan(60);
  }
});

test('a set of 1,000 ads has its summary on several pages', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => picture({ ad_id: `ad ${at}` }));
  const { pages } = planDocument(contentOf(many));
  const tables = pages.flatMap(({ elements }) => elements).filter((element) => element.kind === 'table');
  expect(tables.flatMap(({ rows }) => rows)).toHaveLength(1_000);
  expect(tables.length).toBeGreaterThan(10);
});

test('the list of failures shows each page in its row, in the last column', () => {
  const failure = { site_url: 'https://news.example/', device: 'desktop', ad_name: 'Ad', marker_ms: null };
  const failures = Array.from({ length: 20 }, (_, at) => ({
    ...{ ...failure, status: 'no_slots' as const, reason: 'No slot.', page_key: at % 2 === 0 ? null : `p${at}.png` },
  }));
  const { pages } = planDocument({ ...contentOf([picture({})]), failures });
  const lists = pages.filter(({ section }) => section === 'Not captured');
  const shown = lists.flatMap(({ elements }) => {
    const table = elements.find((element) => element.kind === 'table');
    if (table?.kind !== 'table') throw new Error('There is no table.');
    const edge = table.box.x + table.columns.slice(0, -1).reduce((sum, width) => sum + width, 0);
    return elements.flatMap((element) => {
      if (element.kind !== 'page') return [];
      expect(element.box.x).toBeGreaterThan(edge);
      expect(element.box.x + element.box.width).toBeLessThan(table.box.x + table.box.width);
      const endOf = (at: number) =>
        table.rowHeights.slice(0, at + 1).reduce((sum, height) => sum + height, table.box.y);
      const row = table.rowHeights.findIndex((_height, at) => endOf(at) > element.box.y);
      expect(element.box.y + element.box.height).toBeLessThan(endOf(row));
      return [[element.key, row] as const];
    });
  });
  const perPage = lists.map(({ elements }) => elements.find((e) => e.kind === 'table')).map((t) => t?.rows.length ?? 0);
  const rows = perPage.flatMap((count) => Array.from({ length: count }, (_, at) => at + 1));
  expect(shown).toEqual(failures.flatMap(({ page_key }, at) => (page_key === null ? [] : [[page_key, rows[at]]])));
});

test('a document ends with the findings of the creative check, if there are any', () => {
  const sectionsOf = (findings: DocumentContent['findings']) =>
    planDocument({ ...contentOf([picture({})]), findings }).pages.map(({ section }) => section);
  expect(sectionsOf([])).not.toContain('Creative check');
  const finding = { ad_name: 'Spring', rule: 'initial_load', message: 'The first load has 300 kB.' };
  expect(sectionsOf([finding]).slice(-2)).toEqual(['Creative check', 'Contact']);
  const { pages } = planDocument({ ...contentOf([picture({})]), findings: [finding] });
  expect(pages.flatMap(({ elements }) => elements).find(({ kind }) => kind === 'table')).toMatchObject({
    header: ['Ad', 'Rule', 'Finding'],
    rows: [['Spring', 'initial_load', 'The first load has 300 kB.']],
  });
  const german = { ...contentOf([picture({})]), findings: [finding] };
  const document = planDocument({ ...german, options: { ...german.options, language: 'de' } });
  expect(document.pages.at(-2)?.section).toBe('Prüfung der Werbemittel');
  expect(document.pages.at(-2)?.elements.find(({ kind }) => kind === 'table')).toMatchObject({
    header: ['Werbemittel', 'Regel', 'Befund'],
  });
});

test('five pictures of a desktop share a slide, and facts on paper follow their picture', () => {
  const film = Array.from({ length: 5 }, (_, at) => picture({ ...desktop, marker_ms: at * 1_000 }));
  const slides = planDocument(contentOf(film)).pages.filter(({ elements }) => elements.some(isShot));
  expect(slides).toHaveLength(1);
  const page = planDocument(contentOf([picture(desktop)], 'a4')).pages.at(-2);
  const shown = page?.elements.find(({ kind }) => kind === 'picture')?.box;
  const facts = page?.elements.at(-1)?.box;
  expect(facts?.y).toBeCloseTo((shown?.y ?? 0) + (shown?.height ?? 0) + 16);
});

test('a whole page has a slide of its own, and facts follow the moments above them', () => {
  const phone = (id: string, height: number) => picture({ id, ad_id: id, height });
  const film = [0, 500, 1_000].map((marker_ms) => picture({ ...desktop, id: 'f', ad_id: 'film', marker_ms }));
  const pages = planDocument(contentOf([phone('a', 2_532), phone('b', 7_500), phone('c', 2_532), ...film])).pages;
  const slides = pages.flatMap(({ elements }) => {
    const shown = elements.filter(isShot).filter((element) => element.kind === 'picture');
    const ids = shown.map((element) => element.picture.id).join('');
    return ids === '' ? [] : [{ ids, end: Math.max(...shown.map(({ box }) => box.y + box.height)), elements }];
  });
  expect(slides.map(({ ids }) => ids)).toEqual(['a', 'b', 'c', 'fff']);
  expect(slides.at(-1)?.elements.at(-1)?.box.y).toBeCloseTo((slides.at(-1)?.end ?? 0) + 16);
});

test('one picture needs no summary, and only a picture without a frame needs an edge', () => {
  const content = contentOf([picture({})]);
  const edges = (frame: 'none' | 'device') =>
    planDocument({ ...content, options: { ...content.options, frame } }).pages.map(({ elements }) =>
      elements.filter(isShot).flatMap((element) => (element.kind === 'picture' ? [element.hasEdge] : [])),
    );
  expect([edges('none'), edges('device')]).toEqual([
    [[], [true], []],
    [[], [false], []],
  ]);
});

test('pages show addresses with their own letters and link to the addresses as they are', () => {
  const address = 'https://xn--fsqu00a.example/%E6%96%B0%E9%97%BB?q=%20';
  const { pages } = planDocument(contentOf([picture({ final_url: address })]));
  const texts = pages.flatMap(({ elements }) => elements).flatMap((e) => (e.kind === 'text' ? e.paragraphs : []));
  expect(texts.find(({ link }) => link !== undefined)).toMatchObject({
    text: 'https://例子.example/新闻?q= ',
    link: address,
  });
});

test.each(PAGE_SIZES)(
  'the cover of %s pages shows the logos of agency and client beside each other, the last page only that of the agency',
  (pageSize) => {
    const content = contentOf([picture({})], pageSize);
    const logo = (key: string) => ({ token: key, key, width: 1_200, height: 200 });
    const logosOf = (clientLogo: ReturnType<typeof logo> | null) => {
      const branding = { ...content.branding, logo: logo('agency') };
      const { pages, width } = planDocument({ ...content, branding, clientLogo });
      const shown = pages.map(({ elements }) => elements.filter(({ kind }) => kind === 'logo'));
      return { shown, width, keys: shown.map((on) => on.map((element) => 'key' in element && element.key).join()) };
    };
    const { shown, width, keys } = logosOf(logo('client'));
    expect(keys).toEqual(['agency,client', '', 'agency']);
    const [agency, client] = shown[0]?.map(({ box }) => box) ?? [];
    expect((client?.x ?? 0) - (agency?.x ?? 0) - (agency?.width ?? 0)).toBeGreaterThan(20);
    expect((client?.x ?? 0) + (client?.width ?? 0)).toBeLessThan(width - 36 + 0.01);
    expect(logosOf(null).keys).toEqual(['agency', '', 'agency']);
  },
);

test.each(PAGE_SIZES)(
  'the cover of %s pages shows the first picture that is no whole page, beside or above its texts',
  (pageSize) => {
    const whole = picture({ id: 'whole', height: 9_000 });
    const coverOf = (pictures: ExportPicture[]) => {
      const [cover] = planDocument(contentOf(pictures, pageSize)).pages;
      const shown = cover?.elements.find((element) => element.kind === 'picture');
      const texts = cover?.elements.filter((element) => element.kind === 'text').map(({ box }) => box) ?? [];
      return { shown, texts };
    };
    const { shown, texts } = coverOf([whole, picture({ ...desktop, id: 'first' }), picture({})]);
    expect(shown).toMatchObject({ picture: { id: 'first' }, ground: DEFAULT_BRANDING.accent_color });
    const { x = 0, y = 0, width = 0, height = 0 } = shown?.box ?? {};
    expect(Math.max(width / height, height / width)).toBeGreaterThan(1.3);
    expect(width * height).toBeGreaterThan(120_000);
    for (const box of texts) expect(box.x + box.width <= x || box.y >= y + height).toBe(true);
    expect(coverOf([whole])).toMatchObject({ shown: undefined, texts: texts.map(() => ({ x: 36 })) });
  },
);

test.each(['16:9', 'a4'] as const)(
  'a long reason is whole on %s pages, in a higher row, and a very long one is cut at its end',
  (pageSize) => {
    const failure = { site_url: 'https://news.example/', device: 'desktop', ad_name: 'Ad', marker_ms: null };
    const reasons = ['Short.', 'A long reason. '.repeat(38).trim(), 'Very long. '.repeat(200)];
    const failures = Array.from({ length: 12 }, (_, at) => ({
      ...{ ...failure, status: 'no_slots' as const, reason: reasons[at % 3] ?? '', page_key: `p${at}.png` },
    }));
    const { pages, height } = planDocument({ ...contentOf([picture({})], pageSize), failures });
    const tables = pages.flatMap(({ elements }) => elements.filter((element) => element.kind === 'table'));
    expect(tables.flatMap(({ rows }) => rows)).toHaveLength(12);
    for (const { box } of tables) expect(box.y + box.height).toBeLessThan(height - 40);
    const [{ rows, rowHeights } = { rows: [], rowHeights: [] }] = tables;
    const [short, long, cut] = rows.map((row) => row[4] ?? '');
    expect([short, long]).toEqual(reasons.slice(0, 2));
    expect([cut?.length, cut?.slice(-7)]).toEqual([599, '. Very…']);
    const [, first = 0, second = 0] = rowHeights;
    expect([first, second > 100]).toEqual([52, true]);
  },
);

test('a tear sheet says beside the picture that its slot has to be checked', () => {
  const textsOf = (slot_uncertain: boolean) =>
    JSON.stringify(planDocument(contentOf([picture({ ...desktop, slot_uncertain })])).pages);
  expect(textsOf(true)).toContain('To be checked: this slot');
  expect(textsOf(false)).not.toContain('To be checked');
});

test('a document is in the language and the time zone of the organization, with all its words', () => {
  const locale = { page_size: '16:9', language: 'de', time_zone: 'Europe/Berlin' } as const;
  const options = exportOptions({ format: 'pdf', failures: true }, locale);
  expect(options).toMatchObject({ language: 'de', time_zone: 'Europe/Berlin' });
  expect(exportOptions({ format: 'pdf', time_zone: 'UTC' }, { ...locale, language: 'en' })).not.toHaveProperty(
    'language',
  );
  // A ZIP has words only in its frames.
  expect(exportOptions({ format: 'zip' }, locale)).not.toHaveProperty('language');
  expect(exportOptions({ format: 'zip', frame: 'browser' }, locale)).toMatchObject({ language: 'de' });
  const captured_at = new Date('2026-11-21T23:30:00Z');
  const film = [0, 500].map((marker_ms) =>
    picture({ id: 'b', ad_id: 'film', device: 'mobile', marker_ms, captured_at }),
  );
  const { site_url, device, ad_name } = examplePicture;
  const failure = {
    site_url,
    device,
    ad_name,
    marker_ms: null,
    status: 'no_slots',
    reason: null,
    page_key: 'k',
  } as const;
  const content = { ...contentOf([picture({ captured_at, slot_uncertain: true }), ...film]), options, parts: 2 };
  const plan = planDocument({ ...content, failures: [failure as DocumentContent['failures'][number]] });
  expect(plan).toMatchObject({ language: 'de', subject: 'Platzierungsvorschauen' });
  const texts = JSON.stringify(plan.pages, (key, value) => (key === 'picture' ? undefined : value));
  for (const shown of [
    ...['Platzierungsvorschau · 2', 'Aufgenommen am 22. Nov. 2026', '2 Bilder · 1 Website · 2 Geräte · Teil 1 von 2'],
    ...['Zusammenfassung', 'Nicht aufgenommen', 'Kein Platz für das Werbemittel', 'Zu prüfen: ', 'Android-Smartphone'],
    ...[
      '22. Nov. 2026, 00:30 MEZ',
      'Das Werbemittel wurde für dieses Bild in die Live-Seite eingesetzt.',
      ' bei 0,5 s auf ',
    ],
  ])
    expect(texts).toContain(shown);
  expect(texts).not.toMatch(
    /Placement|Captured|Contact|Each page|"(Ad|Page|Device|Size|Slot|Site|Reason|Pictures|Moment)[" ]|Summary|Not captured/,
  );
});
