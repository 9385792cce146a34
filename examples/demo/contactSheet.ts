import { writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface Entry {
  readonly file: string | undefined;
  readonly ad: string;
  readonly site: string;
  readonly device: string;
  readonly marker: number | null;
  readonly status: string;
  readonly words: string;
  readonly width: number;
  readonly height: number;
}

const asText = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** Writes `index.html`: every picture by site and device, and each missing picture with its reason. */
export async function writeContactSheet(folder: string, title: string, entries: readonly Entry[]): Promise<string> {
  const groups = Map.groupBy(entries, (entry) => `${entry.site} · ${entry.device}`);
  const sections = [...groups].map(
    ([name, group]) => `<section><h2>${asText(name)}</h2><div>${group.map(figure).join('')}</div></section>`,
  );
  const placed = entries.filter((entry) => entry.file !== undefined).length;
  const file = path.join(folder, 'index.html');
  await writeFile(
    file,
    page(title, `${placed} pictures, ${entries.length - placed} sites that cannot show an ad`, sections.join('\n')),
  );
  return file;
}

function figure(entry: Entry): string {
  const moment = entry.marker === null ? 'at rest' : `at ${entry.marker} s`;
  const caption = `<figcaption><b>${asText(entry.ad)}</b> ${moment}<br><small>${asText(entry.status)} · ${asText(entry.words)}</small></figcaption>`;
  if (entry.file === undefined) return `<figure class="none"><p>${asText(entry.status)}</p>${caption}</figure>`;
  return `<figure><a href="${entry.file}"><img loading="lazy" src="${entry.file}" width="${entry.width}" height="${entry.height}" alt="${asText(entry.ad)} on ${asText(entry.site)}"></a>${caption}</figure>`;
}

function page(title: string, subtitle: string, body: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${asText(title)}</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1c1f24; background: #f6f6f3 }
  h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1rem; margin: 2.5rem 0 .75rem; font-weight: 600 }
  section > div { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: flex-start }
  figure { margin: 0; width: 21rem } figcaption { margin-top: .4rem; font-size: .85rem } small { color: #5d6470 }
  img { display: block; width: 100%; height: auto; max-height: 30rem; object-fit: contain; object-position: top; background: #fff; box-shadow: 0 1px 4px #0003 }
  .none p { margin: 0; padding: 3rem 1rem; text-align: center; background: #eceae4; color: #6b5a3a; font-family: ui-monospace, monospace }
  @media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e8eb } .none p { background: #24272d; color: #cdb98b } small { color: #9aa3af } }
</style>
<h1>${asText(title)}</h1><p>${asText(subtitle)}</p>
${body}
</html>
`;
}
