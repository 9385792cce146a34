/** Groups the pictures of a document: sites, and the markers of one ad on one site and device. */
import type { ExportPicture } from '../../core/exports/exportContent.ts';

export interface Strip {
  readonly site: string;
  /** Pictures of one ad, site and device, by marker. */
  readonly pictures: readonly ExportPicture[];
}

/** @param pictures in the order of `readExportPictures`, so that the pictures of a strip follow each other. */
export function stripsOf(pictures: readonly ExportPicture[]): Strip[] {
  const strips: { site: string; pictures: ExportPicture[] }[] = [];
  for (const picture of pictures) {
    const last = strips.at(-1);
    if (last !== undefined && isSameStrip(last.pictures[0], picture)) last.pictures.push(picture);
    else strips.push({ site: picture.site_url, pictures: [picture] });
  }
  return strips;
}

function isSameStrip(a: ExportPicture | undefined, b: ExportPicture): boolean {
  return a?.site_url === b.site_url && a.device === b.device && a.ad_id === b.ad_id;
}
