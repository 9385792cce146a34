import { expect, it } from 'vitest';
import { type ContentPromise, requirePromise } from '../../../src/lib/promisedContent.ts';

const PUBLIC = 'Send an address that returns the file without a sign-in or a preview page.';

it.each<[Parameters<typeof requirePromise>[0], ContentPromise, string]>([
  [
    'html',
    { address: 'https://a.example/spring.ZIP?dl=0' },
    `The address ends with .zip, but the server answered with an HTML page. ${PUBLIC}`,
  ],
  ['html', { address: 'https://a.example/a.mp4' }, 'ends with .mp4, but the server answered with an HTML page'],
  ['html', { address: 'https://a.example/a.jpeg' }, 'ends with .jpeg, but the server answered with an HTML page'],
  ['html', { address: 'https://a.example/vast.xml' }, 'ends with .xml, but the server answered with an HTML page'],
  ['script', { address: 'https://a.example/a.zip' }, 'ends with .zip, but the server answered with a script.'],
  ['raster', { address: 'https://a.example/a.zip' }, 'ends with .zip, but the server answered with an image.'],
  ['raster', { address: 'https://a.example/a.mp4' }, 'ends with .mp4, but the server answered with an image.'],
  ['html', { name: 'spring.zip' }, 'The name of the file ends with .zip, but the file is an HTML page.'],
  [
    'html',
    { contentType: 'application/x-zip-compressed; x=1' },
    'content type application/x-zip-compressed, but sends an HTML page',
  ],
  ['html', { contentType: 'image/png' }, 'The server declares the content type image/png, but sends an HTML page.'],
  [
    'html',
    { earlierFormat: 'html5_zip' },
    'In earlier captures the ad was an HTML5 zip, but its address now answers with an HTML page',
  ],
])('content that is %s breaks the promise %j', (kind, promise, message) => {
  expect(() => requirePromise(kind, promise)).toThrow(message);
});

it.each<[Parameters<typeof requirePromise>[0], ContentPromise]>([
  ['html', { address: 'https://a.example/tag' }],
  ['html', { address: 'https://a.example/ad.php?file=spring.zip' }],
  ['html', { address: 'https://a.example/spring.zip/' }],
  ['html', { address: 'https://a.example/spring.zip/index.html' }],
  ['html', { address: 'https://a.example.zip' }],
  ['script', { address: 'https://a.example/tag.js', contentType: 'image/gif' }],
  ['raster', { address: 'https://a.example/a.png', contentType: 'text/html' }],
  ['video', { address: 'https://a.example/a.gif' }],
  ['vast', { address: 'https://a.example/vast.xml', contentType: 'text/html' }],
  ['zip', { address: 'https://a.example/a.zip', contentType: 'text/html' }],
  ['raster', { earlierFormat: 'html5_zip' }],
  ['html', { earlierFormat: 'html' }],
  ['html', { earlierFormat: 'tag' }],
])('content that is %s keeps the promise %j', (kind, promise) => {
  expect(() => requirePromise(kind, promise)).not.toThrow();
});
