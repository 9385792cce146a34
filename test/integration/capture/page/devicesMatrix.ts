import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { DEVICES, findDevice, userAgentOf } from '../../../../src/domain/devices.ts';
import { required } from '../../../support/required.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { ad, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

const PAGE = `<!doctype html><meta name="viewport" content="width=device-width"><body style="margin:0">
<div id="div-gpt-ad-x" style="width:300px;height:250px"></div><p>A story.</p><script>
fetch('/properties?' + encodeURIComponent(JSON.stringify({ width: innerWidth, height: innerHeight, ratio: devicePixelRatio,
  touch: 'ontouchstart' in window && navigator.maxTouchPoints > 0, coarse: matchMedia('(pointer: coarse)').matches,
  agent: navigator.userAgent, hints: navigator.userAgentData?.platform ?? '', platform: navigator.platform })))</script>`;

const OWN = required(findDevice('Own device 500 x 700, 1.5x, touch, Test/1.0'));

/** A picture for each family of devices and each pixel ratio. */
const PICTURED: ReadonlySet<string | undefined> = new Set(
  [...Map.groupBy([...DEVICES, OWN], ({ agent, ratio }) => `${agent} ${ratio}`).values()].map(([first]) => first?.name),
);

const ROWS = [...DEVICES, OWN].map((device) => [device.name, device] as const);
/** One of each family, with whole and broken pixel ratios. */
const KEPT = ['desktop', 'iphone', 'ipad', 'tablet', 'Google Pixel 9', OWN.name] as const;
/** `make verify` takes the other pictures, because those of sharp screens take long. */
const KEPT_PICTURES: readonly string[] = ['desktop', 'Google Pixel 9', OWN.name];

const isPictured = (tier: Tier, name: string) =>
  PICTURED.has(name) && KEPT_PICTURES.includes(name) === (tier === 'test');

function devicesOf(tier: Tier) {
  const kept = rowsOf('test', ROWS, KEPT);
  return tier === 'test' ? kept : ROWS.filter((row) => !kept.includes(row) || isPictured(tier, row[0]));
}

export function testDevices(tier: Tier): void {
  let sites: Sites;
  let opener: PageOpener;
  const headers: Record<string, unknown>[] = [];

  beforeAll(async () => {
    sites = await startSites();
    opener = await openerFor();
    sites.put('/seen', (request, response) => {
      headers.push({ ...request.headers });
      response.setHeader('content-type', 'text/html').end(PAGE);
    });
  });
  afterAll(async () => {
    await opener.close();
    await sites.close();
  });

  function reportedProperties(): Record<string, unknown> {
    const query = sites.asked.findLast((path) => path.startsWith('/properties?'))?.slice('/properties?'.length) ?? '{}';
    return JSON.parse(decodeURIComponent(query));
  }

  test.each(devicesOf(tier))('a page sees the properties of %s', async (_name, device) => {
    const open = await opener.open(`${sites.url}/seen`, device);
    readyPage(open);
    const apple = device.agent === 'iphone' || device.agent === 'ipad';
    const sendsHints = !apple && device.userAgent === undefined;
    const hints = !sendsHints ? '' : device.agent === 'windows' ? 'Windows' : 'Android';
    const agent = userAgentOf(device, opener.browserVersion);
    const { width, height } = device.viewport;
    const seen = {
      width,
      height,
      ratio: Math.fround(device.ratio),
      touch: device.touch,
      coarse: device.touch,
      agent,
      hints,
    };
    expect(reportedProperties()).toMatchObject(seen);
    expect(headers.at(-1)).toMatchObject({ 'user-agent': agent });
    expect(headers.at(-1)?.['sec-ch-ua-platform']).toBe(sendsHints ? `"${hints}"` : undefined);
    if (isPictured(tier, device.name)) {
      const picture = await open.place(await ad(300, 250, device.ratio));
      placed(picture);
      expect(Math.abs(picture.width - width * device.ratio)).toBeLessThan(1);
      expect(Math.abs(picture.height - height * device.ratio)).toBeLessThan(1);
    }
    await open.close();
  });
}
