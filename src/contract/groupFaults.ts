/** Finds the faults of groups. One picture shows all ads of a group on a page, so its entries must agree about the page. */
import { GROUP_ADS_MAX } from '../domain/screenshotOptions.ts';
import type { WantedScreenshots } from '../domain/screenshots.ts';
import type { Faults } from './faults.ts';

/** A screenshot object of an entry with a group. */
interface GroupMember {
  /** `screenshot_requests.0.screenshots.0` */
  readonly path: string;
  /** Identifies the ad. */
  readonly ad: string;
  readonly wanted: WantedScreenshots;
}

interface GroupPage {
  readonly path: string;
  readonly look: string;
  /** The paths of the members, by their ads. */
  readonly ads: Map<string, string>;
}

/** The groups of one request. */
export class GroupFaults {
  readonly #pages = new Map<string, GroupPage>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  addMember({ path, ad, wanted }: GroupMember): void {
    const { site, device, markers, options, access } = wanted;
    const { group, location, otherAds, fullPage, view } = options;
    if (markers.length > 1)
      this.#faults.add(
        `${path}.options.ad.frames`,
        'must have at most one frame, because the picture of a group shows each ad at one moment.',
      );
    const key = JSON.stringify([group, site.key, device, location]);
    const look = JSON.stringify([otherAds, fullPage, view, access]);
    const page = this.#pages.get(key) ?? { path, look, ads: new Map<string, string>() };
    this.#pages.set(key, page);
    if (page.look !== look)
      this.#faults.add(
        `${path}.options.page`,
        `must be the same as in ${page.path}, because one picture shows all ads of a group.`,
      );
    const earlier = page.ads.get(ad);
    if (earlier === undefined) page.ads.set(ad, path);
    if (page.ads.size === GROUP_ADS_MAX + 1 && earlier === undefined)
      this.#faults.add(
        path,
        `exceeds the limit of ${GROUP_ADS_MAX} ads in the picture of ${page.path}: use another group for this ad.`,
      );
    if (earlier !== undefined)
      this.#faults.add(path, `repeats ${earlier}: the picture of a group shows each ad once. Remove one of the two.`);
  }
}
