/** The look of a mail: name and logo of the organization, and small pictures, which are part of the mail. */
import type { Queryable } from '../../db/database.ts';
import { isScreenshotKey, shownPart } from '../../domain/thumbnails.ts';
import type { Log } from '../../lib/log.ts';
import type { MailPicture } from '../../mail/mailer.ts';
import { findImage, type Image } from '../sets/images.ts';

/** Others have none, so that a mail stays below about 500 kB. */
const PICTURES_MAX = 5;
/** CSS pixels. A picture is drawn with twice as many, for sharp screens. */
const PICTURE = { width: 400, height: 300 };
const LOGO = { width: 180, height: 40 };

export interface ShownPicture extends MailPicture {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
}

export interface MailLook {
  /** Undefined: the organization has none. */
  readonly name: string | undefined;
  readonly logo: ShownPicture | undefined;
  /** By the tokens of pictures. */
  readonly pictures: ReadonlyMap<string, ShownPicture>;
}

export interface MailMeans {
  readonly db: Queryable;
  readonly log: Log;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** @returns the signed id of a share link or a follower, for an address. */
  readonly tokenOf: (id: string) => string;
  /** @returns a JPEG or PNG. @throws Error if the picture was deleted. */
  readonly drawPicture: (image: Image, width: number) => Promise<Buffer>;
}

export async function readMailLook(
  means: Pick<MailMeans, 'db' | 'log' | 'drawPicture'>,
  organizationId: string,
  items: readonly { readonly picture?: string | null }[],
): Promise<MailLook> {
  const rows = means.db.selectFrom('branding').select(['brand_name', 'logo_token']);
  const { brand_name, logo_token } =
    (await rows.where('organization_id', '=', organizationId).executeTakeFirst()) ?? {};
  const tokens = [...new Set(items.map(({ picture }) => picture ?? ''))].filter(Boolean).slice(0, PICTURES_MAX);
  const pictures = new Map<string, ShownPicture>();
  for (const token of tokens) {
    const picture = await readPicture(means, token);
    if (picture !== undefined) pictures.set(token, picture);
  }
  return {
    name: brand_name ?? undefined,
    logo: logo_token ? await readPicture(means, logo_token) : undefined,
    pictures,
  };
}

/** @returns undefined without the picture: a mail without it is better than none. */
async function readPicture(
  { db, log, drawPicture }: Parameters<typeof readMailLook>[0],
  token: string,
): Promise<ShownPicture | undefined> {
  const image = await findImage(db, token);
  if (image === undefined) return undefined;
  const isScreenshot = isScreenshotKey(image.artifact_key);
  const [part, most] = isScreenshot ? [shownPart(image), PICTURE] : [image, LOGO];
  const scale = Math.min(1, most.width / part.width, most.height / part.height);
  const [width, height] = [Math.round(part.width * scale), Math.round(part.height * scale)];
  try {
    return {
      // Without the token, which opens the picture to everyone.
      ...{ cid: `${image.sha256.slice(0, 16)}@tearsheet`, content: await drawPicture(image, 2 * width), width, height },
      ...(isScreenshot
        ? { filename: 'picture.jpg', contentType: 'image/jpeg' }
        : { filename: 'logo.png', contentType: 'image/png' }),
    };
  } catch (err) {
    log.warn({ err, key: image.artifact_key }, 'a mail is sent without a picture, which could not be drawn');
    return undefined;
  }
}
