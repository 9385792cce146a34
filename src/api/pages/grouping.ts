/** Groups screenshots by site and device, and the frames of one ad into a film strip. */
import type { ScreenshotRow } from '../../store/database/rows.ts';

export interface ScreenshotView extends ScreenshotRow {
  /** The provenance record. */
  readonly record?: object | undefined;
}

export interface FilmStrip {
  /** Ordered by marker. */
  readonly frames: readonly ScreenshotView[];
}

export interface DeviceGroup {
  readonly device: string;
  readonly strips: readonly FilmStrip[];
}

export interface SiteGroup {
  readonly siteUrl: string;
  readonly devices: readonly DeviceGroup[];
}

/** Keeps sites, devices and ads in the order of their first screenshot. */
export function groupScreenshots(screenshots: readonly ScreenshotView[]): SiteGroup[] {
  return [...Map.groupBy(screenshots, ({ site_url }) => site_url)].map(([siteUrl, ofSite]) => ({
    siteUrl,
    devices: [...Map.groupBy(ofSite, ({ device }) => device)].map(([device, ofDevice]) => ({
      device,
      strips: [...Map.groupBy(ofDevice, ({ ad }) => ad.id).values()].map((frames) => ({
        frames: frames.toSorted((a, b) => (a.marker_ms ?? -1) - (b.marker_ms ?? -1)),
      })),
    })),
  }));
}

/** @returns the screenshots in the order of the page, so that a list page does not divide a group without need. */
export function inPageOrder(screenshots: readonly ScreenshotView[]): ScreenshotView[] {
  return groupScreenshots(screenshots).flatMap(({ devices }) =>
    devices.flatMap(({ strips }) => strips.flatMap(({ frames }) => frames)),
  );
}
