/** The creative check on the page of an ad. */
import type { CreativeCheckRecord, Finding } from '../../contract/creativeCheck.ts';
import { counted } from '../../domain/text.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, facts } from '../parts/components.ts';
import type { PagePaths } from '../parts/paths.ts';

/** The states whose colors the badges have. */
const LOOKS: Readonly<Record<Finding['severity'], string>> = { error: 'failed', warning: 'pending', note: 'canceled' };

export function creativeCheckCard(check: CreativeCheckRecord | undefined, paths: PagePaths): HtmlContent {
  if (check === undefined) return null;
  const { not_measured, findings } = check;
  const found = findings.map(({ rule, severity, message, where, why, source }) => {
    const places = [where.file, where.second !== undefined && `at ${Math.round(where.second * 10) / 10} s`];
    const place = places.filter((one) => one).join(', ');
    return html`<li><p>${badge(LOOKS[severity], severity)} ${message}${place !== '' && html` <span class="meta">${place}</span>`}</p>
      <p class="hint">${why} <span class="meta">${source}; rule <code>${rule}</code></span></p></li>`;
  });
  const text =
    (not_measured && `Not measured: ${not_measured}`) ?? (found.length === 0 ? 'No rule found anything.' : undefined);
  return html`<section class="part"><h2>Creative check</h2>
${text !== undefined && html`<p class="hint">${text}</p>`}
<ul class="stack" aria-label="Findings">${found}</ul>
${check.facts && measured(check)}
<p class="hint"><a href="${paths.settings()}#creative-check">Limits and rules</a></p></section>`;
}

const kb = (bytes: number | null) => (bytes === null ? null : `${Math.ceil(bytes / 1024).toLocaleString('en')} kB`);

function measured({ facts: all, limits }: CreativeCheckRecord): Html {
  const { file_bytes = null, page = null, animation = null } = all ?? {};
  const { load, motion, exit, zip } = page !== null && 'load' in page ? page : {};
  const first = load && `${kb(load.initial_bytes)} in ${counted(load.initial_requests, 'request')}`;
  const seconds = motion && 'seconds' in motion ? `${motion.seconds} s` : animation && `${animation.seconds} s`;
  const loops = animation && (animation.loops === 0 ? ', without an end' : `, ${counted(animation.loops, 'time')}`);
  return html`<details><summary>Measured facts</summary>${facts([
    ['File', kb(file_bytes)],
    ['First load', first && `${first}; the limit is ${limits.initial_load_kb} kB in ${limits.requests}`],
    ['In total', load && `${kb(load.total_bytes)}; the limit is ${limits.total_weight_kb} kB`],
    ['Files in the zip', zip && String(zip.files)],
    ['Backup image', zip?.backup_image],
    ['Motion until', seconds && `${seconds}${loops ?? ''}`],
    ['A click opens', exit && 'address' in exit ? exit.address : null],
  ])}</details>`;
}
