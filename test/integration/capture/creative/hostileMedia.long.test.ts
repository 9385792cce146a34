/** Each hostile or broken creative of the fixtures, as a client sends it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTILE } from '../../../fixtures/hostile/hostile.ts';
import { type Publishers, startPublishers } from '../../../fixtures/publisherServer.ts';
import { required } from '../../../support/required.ts';
import { startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';

let publishers: Publishers;
let renderer: TestRenderer;
beforeAll(async () => {
  [publishers, renderer] = await Promise.all([
    startPublishers(),
    // Some of them never answer.
    startTestRenderer({ networkBudgetMs: 1_000, fetchTimeoutMs: 2_000, creativeDeadlineMs: 15_000 }),
  ]);
});
afterAll(() => Promise.all([publishers?.close(), renderer?.close()]));

/** The status and words of the reason, or `shown` for a picture of 300 × 250 in spite of the fault. */
const OUTCOMES: Readonly<Record<string, 'shown' | readonly [status: string, reason: RegExp]>> = {
  'zip-corrupt': ['generic_error', /damaged/],
  'zip-truncated': ['generic_error', /damaged/],
  'zip-slip': ['generic_error', /outside of its own folder/],
  'zip-bomb': ['generic_error', /bomb|unpacks to more than 96 MB/],
  'zip-no-index': ['generic_error', /no HTML page/],
  'zip-two-indexes': ['generic_error', /two pages: a\.html .*b\.html/],
  'zip-nested': ['generic_error', /holds other zips \(inner\.zip\)/],
  'vast-loop': ['generic_error', /form a circle/],
  'vast-no-media': ['generic_error', /no video file/],
  'vast-no-ad': ['generic_error', /no ad/],
  'vast-dead-media': ['not_found', /404/],
  'vast-chain': ['generic_error', /more than 5 nested wrappers/],
  'vast-entities': ['generic_error', /entities/],
  'vast-truncated': ['generic_error', /not well-formed/],
  'png-truncated': ['generic_error', /damaged/],
  'png-giant': ['generic_error', /more than 67108864 pixels/],
  'png-wrong-type': ['generic_error', /address ends with \.png, but the server answered with an HTML page/],
  'mp4-truncated': ['generic_error', /cannot be played/],
  'html-alert-loop': 'shown',
  'html-busy-loop': 'shown',
  'html-busy-later': 'shown',
  'html-navigates-top': 'shown',
  'html-never-loads': 'shown',
  'html-throws': 'shown',
  'html-removes-itself': 'shown',
  'html-resizes': 'shown',
  'tag-navigates-top': 'shown',
  'tag-late-write': 'shown',
  'answers-404': ['not_found', /404/],
  'answers-403': ['generic_error', /403/],
  'answers-500': ['generic_error', /500/],
  'answers-never': ['net_read_timeout', /did not answer/],
  'redirect-loop': ['generic_error', /redirects more than 5 times/],
};

const render = (content: string, kind: 'url' | 'html_tag') =>
  renderer.render({ kind, content }, { markers: [0, 2_000], ratios: [1] });

test.each(HOSTILE.filter(({ key }) => key !== 'svg-bomb'))(
  'the hostile creative $key has its outcome: $fault',
  async ({ key, type, content }) => {
    const expected = required(OUTCOMES[key]);
    const result = await render(content(publishers.cdn), type);
    if (expected === 'shown') expect(result).toMatchObject({ status: 'uploaded', width: 300, height: 250 });
    else expect(result).toEqual({ status: expected[0], reason: expect.stringMatching(expected[1]) });
  },
);

test('a bomb of SVG references ends, and the next creative is rendered', async () => {
  const [bomb, next] = ['svg-bomb', 'html-throws'].map((key) => required(HOSTILE.find((medium) => medium.key === key)));
  const result = await render(required(bomb).content(publishers.cdn), 'url');
  // A fast machine draws it.
  expect(['uploaded', 'generic_error', 'net_read_timeout']).toContain(result.status);
  if (result.status !== 'uploaded') expect(result.reason).toMatch(/\w/);
  expect(await render(required(next).content(publishers.cdn), 'url')).toMatchObject({ status: 'uploaded' });
});
