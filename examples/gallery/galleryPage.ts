/** The page of the gallery: one card for each picture. The script and styles of the page are in `page/`. */
import { readFileSync } from 'node:fs';
import type { Gallery, GalleryItem } from './capture.ts';
import { boxesInDocument, boxesInPicture, escaped, overlaySvg } from './overlay.ts';
import { type WholePage, wholePageKey } from './wholePages.ts';

const SCRIPT = readFileSync(new URL('page/gallery.js', import.meta.url), 'utf8');
const STYLES = readFileSync(new URL('page/gallery.css', import.meta.url), 'utf8');

/** @param title text about the run, for example its date. */
export function galleryPage(
  { items }: Pick<Gallery, 'items'>,
  wholePages: ReadonlyMap<string, WholePage>,
  title: string,
): string {
  const cards = items.map((item, index) => card(item, index, wholePages));
  const statuses = counted(items.map(({ status }) => status));
  const devices = counted(items.flatMap(({ device }) => (device === null ? [] : [device])));
  const warnings = counted(items.flatMap((item) => [...new Set(item.warnings.map(({ code }) => code))]));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tearsheet gallery</title>
<style>${STYLES}</style></head>
<body data-view="grid">
<header>
  <h1>Tearsheet gallery</h1>
  <p>${escaped(title)}</p>
  <form>
    ${filter('status', statuses)} ${filter('device', devices)} ${filter('warning', warnings)}
    <select name="mark" aria-label="mark"><option value="">any mark</option><option value="none">not marked</option><option value="y">good</option><option value="n">returned</option></select>
    <input name="text" type="search" placeholder="creative, page, reason" aria-label="text">
    <button type="button" data-do="export">Export marks</button>
    <output></output>
  </form>
  <p class="keys"><kbd>Enter</kbd> one or all <kbd>←</kbd> <kbd>→</kbd> move <kbd>y</kbd> good <kbd>n</kbd> return <kbd>u</kbd> no mark <kbd>c</kbd> comment <kbd>b</kbd> boxes <kbd>w</kbd> whole page <kbd>r</kbd> record <kbd>e</kbd> export</p>
</header>
<main>
${cards.join('\n')}
</main>
<script>${SCRIPT}</script>
</body></html>
`;
}

function counted(values: readonly string[]): [value: string, count: number][] {
  return [...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]);
}

function filter(name: string, values: readonly [string, number][]): string {
  const options = values.map(
    ([value, count]) => `<option value="${escaped(value)}">${escaped(value)} (${count})</option>`,
  );
  return `<select name="${name}" aria-label="${name}"><option value="">any ${name}</option>${options.join('')}</select>`;
}

function card(item: GalleryItem, index: number, wholePages: ReadonlyMap<string, WholePage>): string {
  const { creative, page, device, status, reason, warnings, record } = item;
  const where = page === null ? 'not placed, because it was not rendered' : `${page} as ${device}`;
  const attributes = {
    status,
    device: device ?? '',
    warnings: [...new Set(warnings.map(({ code }) => code))].join(' '),
    key: JSON.stringify([creative, page, device]),
    sha256: record?.sha256 ?? '',
    name: `${creative} on ${where}`,
  };
  const data = Object.entries(attributes).map(([name, value]) => `data-${name}="${escaped(value)}"`);
  const messages = warnings.map(({ code, message }) => `<li><b>${escaped(code)}</b> ${escaped(message)}</li>`);
  return `<article class="card" id="n${index + 1}" tabindex="-1" ${data.join(' ')}>
<div class="views">${picture(item)}${wholePage(item, wholePages)}</div>
<div class="about">
<h2><small>${index + 1}</small> ${escaped(creative)} <small>${escaped(where)}</small></h2>
<p class="status ${status === 'uploaded' ? 'good' : 'bad'}">${escaped(status)}${facts(item)}</p>
${reason === null ? '' : `<p class="reason">${escaped(reason)}</p>`}
${messages.length === 0 ? '' : `<ul class="warnings">${messages.join('')}</ul>`}
<p class="marks"><button type="button" data-mark="y">good</button><button type="button" data-mark="n">return</button><input name="comment" placeholder="comment" aria-label="comment"></p>
${record === null ? '' : `<details><summary>record</summary><pre>${escaped(JSON.stringify(record, null, 1))}</pre></details>`}
</div></article>`;
}

function facts({ record }: GalleryItem): string {
  const slot = record?.slot;
  if (record == null || slot == null) return '';
  const scaled = record.scale === 1 ? '' : `, scale ${record.scale}`;
  const text = `ad ${record.ad_size?.join('×')} in ${slot.element}, ${slot.size.join('×')}, score ${record.score}${scaled}, ${record.page_mode}, ${record.creative_mode}`;
  return ` <small>${escaped(text)}</small>`;
}

function picture({ picture: taken, record, status }: GalleryItem): string {
  if (taken === null || record === null) return `<figure class="picture none"><p>${escaped(status)}</p></figure>`;
  const { file, thumbnail, width, height } = taken;
  const image = `<img loading="lazy" src="${thumbnail}" data-full="${file}" width="${width}" height="${height}" alt="">`;
  return `<figure class="picture"><a href="${file}">${image}</a>${overlaySvg(boxesInPicture(record), taken)}</figure>`;
}

function wholePage({ page, device, record }: GalleryItem, wholePages: ReadonlyMap<string, WholePage>): string {
  const whole = page === null || device === null ? undefined : wholePages.get(wholePageKey(page, device));
  if (whole === undefined || record === null) return '';
  const { file, width, height } = whole;
  return `<figure class="whole"><a href="${file}"><img loading="lazy" src="${file}" width="${width}" height="${height}" alt=""></a>${overlaySvg(boxesInDocument(record), whole)}</figure>`;
}
