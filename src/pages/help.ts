/** The help for people who buy, check and send pictures: docs/tear-sheets.md as a page. */
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { Html, html } from '../lib/html.ts';
import { pageHead } from './parts/components.ts';
import { pathsOf } from './parts/paths.ts';
import type { PageRoutes } from './routes/pageRoutes.ts';

const TEXT = readFileSync(new URL('../../docs/tear-sheets.md', import.meta.url), 'utf8');

const idOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** @param base path of the service. @returns the text without its title, and its title. */
function render(base: string): { readonly title: string; readonly text: Html } {
  const [, title = '', text = ''] = /^# (.+)\n([\s\S]*)$/.exec(TEXT) ?? [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: name }) {
        return `<h${depth} id="${idOf(name)}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      html: ({ text: raw }) => html`${raw}`.text,
    },
    // Other documents have no page; those of the API are in its reference.
    walkTokens(token) {
      if (token.type === 'link' && !/^(https:|#)/.test(token.href)) token.href = `${base}/docs`;
    },
  });
  return { title, text: new Html(marked.parse(text, { async: false })) };
}

export function addHelpRoutes(pages: PageRoutes): void {
  const { title, text } = render(pathsOf(pages.options.publicUrl, '').base);
  const titles = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
  const links = titles.map((name) => html`<li><a href="#${idOf(name)}">${name}</a></li>`);
  const body = html`<div class="help">
    <nav class="toc" aria-label="On this page"><ul>${links}</ul></nav>
    <div class="prose">${pageHead({ title })}${text}</div>
  </div>`;
  pages.get('/o/:slug/help', () => ({ title: 'Help', assets: ['help.css'], body }));
}
