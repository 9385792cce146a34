import { describe, expect, test } from 'vitest';
import {
  type AppliedRule,
  hostFault,
  normalHost,
  normalPath,
  pathFault,
  RULE_LIMITS,
  type RulePages,
  rulesFor,
  selectorFault,
  slotFor,
  withAccessOf,
  withSlot,
} from '../../../src/domain/siteRules.ts';

const rule = (host: string, path = '/*', device: RulePages['device'] = 'all') => ({ host, path, device });
const desktop = (url: string) => ({ url, device: 'desktop' as const });
const matches = (host: string, path: string, url: string) => rulesFor([rule(host, path)], desktop(url)).length === 1;

const applied = (id: string, parts: Partial<AppliedRule>): AppliedRule => ({
  ...{ id, host: 'news.example', slots: [], hide: [], click: [], wait_for: [], cookies: [], headers: [] },
  ...parts,
});

describe('the host of a site rule', () => {
  test.each([
    ['news.example', 'news.example'],
    [' News.Example. ', 'news.example'],
    ['*.News.example', '*.news.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.日本.example', '*.xn--wgv71a.example'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('%s is stored as %s', (given, host) => {
    expect([hostFault(given), normalHost(given)]).toEqual([undefined, host]);
  });

  test.each([
    ...['', ' ', '*', '*.', '*.com', '*.127.0.0.1', '**.news.example', 'news.*', 'a.*.example', 'news..example'],
    ...['https://news.example', 'news.example/sport', 'news.example:8080', 'me@news.example', 'news example', '[::1]'],
    ...[
      'news.example..',
      'news.example?x',
      'news.example#x',
      'news\\.example',
      'a%2eb.example',
      `${'a.'.repeat(200)}example`,
    ],
  ])('%j is no host', (given) => {
    expect(hostFault(given)).toMatch(/^must (be a host name|have at least two names)/);
  });

  test('a wildcard stands for subdomains of any depth, and not for the host itself or a longer name', () => {
    const found = ['www.news.example', 'a.b.news.example', 'news.example', 'badnews.example', 'news.example.evil'];
    expect(found.map((host) => matches('*.news.example', '/*', `https://${host}/`))).toEqual([
      ...[true, true, false, false, false],
    ]);
  });

  test('a rule matches its host on each port, in any case and with a final dot', () => {
    expect(matches('news.example', '/*', 'http://News.Example.:8080/a')).toBe(true);
    expect(matches('news.example', '/*', 'https://www.news.example/')).toBe(false);
  });
});

describe('the path of a site rule', () => {
  test.each([
    ['/*', '/', true],
    ['/', '/', true],
    ['/', '/sport', false],
    ['/sport/*', '/sport/', true],
    ['/sport/*', '/sport', false],
    ['/sport*', '/sport', true],
    ['/*/2026/*.html', '/a/b/2026/x.html', true],
    ['/*/2026/*.html', '/2026/x.html', false],
    ['/a*a', '/a', false],
    ['/a*a', '/aa', true],
    ['/*b*b', '/ab', false],
    ['/%C3%A9t%C3%A9', '/été', true],
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(matches('news.example', normalPath(pattern), `https://news.example${path}?q=/sport/`)).toBe(expected);
  });

  test('a path is stored as addresses have it', () => {
    expect(['/été/*', '//evil.example/*', '/\\evil.example/*', '/a/***/b', ' /a '].map(normalPath)).toEqual([
      ...['/%C3%A9t%C3%A9/*', '/evil.example/*', '/evil.example/*', '/a/*/b', '/a'],
    ]);
  });

  test.each(['', 'sport', '*', '/a?b', '/a#b', '/a\nb', `/${'a'.repeat(RULE_LIMITS.path)}`, `/${'語'.repeat(60)}`])(
    '%j is no path',
    (path) => {
      expect(pathFault(path)).toMatch(/^must /);
    },
  );

  test('a path with hundreds of stars is compared in a moment', () => {
    const started = performance.now();
    const path = `/${'a'.repeat(8_000)}`;
    for (let times = 0; times < 200; times += 1)
      matches('news.example', `/${'*a'.repeat(240)}*b`, `https://news.example${path}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('a selector of a site rule', () => {
  test.each(['#mpu', '.ad:has(> iframe)', 'div[data-a="x"] > p:nth-child(2)'])('%s is accepted', (selector) => {
    expect(selectorFault(selector)).toBeUndefined();
  });

  test.each([' ', '#a { } body', 'a\nb', ':has(:has(a))', '.a:has(b):HAS(c)', 'a'.repeat(501)])(
    '%j is rejected',
    (selector) => {
      expect(selectorFault(selector)).toMatch(/^must /);
    },
  );
});

describe('the rules of a page', () => {
  const order = (rules: readonly RulePages[], url: string, device: 'desktop' | 'phone' = 'phone') =>
    rulesFor(rules, { url, device }).map(({ host, path, device: kind }) => `${host} ${path} ${kind}`);

  test('the host decides before the path, and the path before the device', () => {
    const rules = [
      rule('*.example', '/sport/cup', 'phone'),
      rule('*.news.example', '/sport/cup', 'phone'),
      rule('m.news.example'),
      rule('m.news.example', '/*', 'phone'),
      rule('m.news.example', '/sport/*', 'phone'),
      rule('m.news.example', '/sport/cup'),
    ];
    expect(order(rules, 'https://m.news.example/sport/cup')).toEqual([
      'm.news.example /sport/cup all',
      'm.news.example /sport/* phone',
      'm.news.example /* phone',
      'm.news.example /* all',
      '*.news.example /sport/cup phone',
    ]);
  });

  test('a rule for another class of devices does not apply', () => {
    const rules = [rule('news.example', '/*', 'phone'), rule('news.example', '/*', 'tablet'), rule('news.example')];
    expect(order(rules, 'https://news.example/', 'desktop')).toEqual(['news.example /* all']);
  });

  test('the slot of the most specific rule wins, and one for the size comes before one for every size', () => {
    const size = { width: 300, height: 250 };
    const general = applied('general', { slots: [{ size, selector: '#general' }] });
    const specific = applied('specific', {
      slots: [
        { size: null, selector: '#any' },
        { size, selector: '#mpu' },
      ],
    });
    const found = (width: number) => slotFor([specific, general], { width, height: 250 });
    expect([found(300)?.selector, found(728)?.selector]).toEqual(['#mpu', '#any']);
    expect(slotFor([applied('none', { hide: ['a'] }), general], size)).toEqual({ rule: general, selector: '#general' });
    expect(slotFor([general], { width: 250, height: 300 })).toBeUndefined();
  });

  test('cookies and headers of rules add up, and those of the request win', () => {
    const pair = (name: string, value: string) => ({ name, value });
    const specific = { cookies: [pair('a', '2'), pair('b', '2')], headers: [pair('X-Key', '2')] };
    const general = { cookies: [pair('b', '3'), pair('c', '3')], headers: [] };
    const given = { cookies: [pair('a', '1')], headers: [pair('x-key', '1')] };
    expect(withAccessOf([specific, general], given)).toEqual({
      cookies: [pair('a', '1'), pair('b', '2'), pair('c', '3')],
      headers: [pair('x-key', '1')],
    });
    expect(withAccessOf([], undefined)).toBeUndefined();
    const many = { cookies: Array.from({ length: 20 }, (_, n) => pair(`n${n}`, '')), headers: [] };
    expect(withAccessOf([many], given)?.cookies).toHaveLength(20);
  });

  test('a slot replaces the one of its size', () => {
    const size = { width: 300, height: 250 };
    const slots = [
      { size, selector: '#old' },
      { size: null, selector: '#any' },
    ];
    expect(withSlot(slots, { size: { ...size }, selector: '#new' })).toEqual([slots[1], { size, selector: '#new' }]);
  });
});
