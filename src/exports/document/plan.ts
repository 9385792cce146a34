/** Plans a document: cover, summary, a section for each site, and the list of failures if it is wanted. */
import { cutMiddle } from '../../domain/middle.ts';
import type { DocumentContent } from './content.ts';
import { coverPage } from './coverPage.ts';
import type { DocumentElement, DocumentPage, DocumentPlan } from './elements.ts';
import { siteTitle } from './labels.ts';
import { layoutOf } from './layout.ts';
import { stripPages } from './picturePages.ts';
import { stripsOf } from './strips.ts';
import { failureTable, summaryTable, tablePages } from './tablePages.ts';

export function planDocument(content: DocumentContent): DocumentPlan {
  const layout = layoutOf(content);
  const pages: DocumentPage[] = [];
  const add = (section: string, made: readonly (readonly DocumentElement[])[]) => {
    for (const elements of made) pages.push({ section, elements });
  };
  const next = () => pages.length + 1;
  add('Overview', [coverPage(content, layout)]);
  add('Overview', tablePages(content, layout, { table: summaryTable(content), number: next() }));
  for (const strip of stripsOf(content.pictures)) {
    add(cutMiddle(siteTitle(strip.site), 80), stripPages(content, layout, { strip, number: next() }));
  }
  if (content.failures.length > 0) {
    add('Not captured', tablePages(content, layout, { table: failureTable(content), number: next() }));
  }
  const { width, height } = layout;
  return { title: content.campaign, author: content.brandName, width, height, pages };
}
