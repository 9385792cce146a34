/** Crashes of the browser that are not the fault of the creative: it is rendered again in other browsers. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { killBrowsers, killRenderers } from '../page/browserProcesses.ts';

let renderer: TestRenderer;
let server: Listener;
/** Called with each request for the image of the creative. */
let onImage: (response: ServerResponse) => void;
beforeAll(async () => {
  renderer = await startTestRenderer();
  server = await listenHttp((_request, response) => onImage(response));
});
afterAll(async () => {
  await renderer?.close();
  await server?.close();
});

/** The second color saves the search for a later picture, which follows if all pictures have one color. */
const IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="250"><rect width="300" height="250"/><rect width="9" height="9" fill="#fff"/></svg>';
const creative = () => tag(`<img src="${server.url}/image.svg" width="300" height="250" alt="">`);

/** Kills at the first requests, and then answers. @returns the number of requests. */
function killAtFirst(times: number, kill: () => void): () => number {
  let asked = 0;
  onImage = (response) => {
    asked += 1;
    if (asked <= times) kill();
    else response.setHeader('content-type', 'image/svg+xml').end(IMAGE);
  };
  return () => asked;
}

test('a creative whose browser is killed is rendered in the next one', async () => {
  killAtFirst(1, killBrowsers);
  expect(await renderer.render(creative())).toMatchObject({ status: 'uploaded', width: 300, height: 250 });
});

test('a creative whose page is killed twice is rendered in the third browser', async () => {
  killAtFirst(2, killRenderers);
  expect(await renderer.render(creative())).toMatchObject({ status: 'uploaded', width: 300, height: 250 });
});

test('a creative that ends three browsers fails and is not rendered in a fourth one', async () => {
  const asked = killAtFirst(Number.POSITIVE_INFINITY, killRenderers);
  expect(await renderer.render(creative())).toEqual({
    status: 'generic_error',
    reason: 'The creative crashed 3 browsers. It may need too much memory.',
  });
  expect(asked()).toBe(3);
});
