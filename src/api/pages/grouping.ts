/** From a flat list of pictures to what the page shows: by site, by device, and the frames of one ad as a strip. */
import type { ScreenshotRow } from '../../store/database/rows.ts';

export interface ScreenshotPosition {
  readonly siteUrl: string;
  readonly device: string;
  readonly adId: string;
  readonly markerMs: number | null;
}

export interface FilmStrip<S> {
  readonly adId: string;
  /** By their moment. */
  readonly frames: readonly S[];
}

export interface DeviceGroup<S> {
  readonly device: string;
  readonly strips: readonly FilmStrip<S>[];
}

export interface SiteGroup<S> {
  readonly siteUrl: string;
  readonly devices: readonly DeviceGroup<S>[];
}

/** Sites, devices and ads in the order in which they first come. */
export function groupScreenshots<S extends ScreenshotPosition>(shots: readonly S[]): SiteGroup<S>[] {
  return [...Map.groupBy(shots, (shot) => shot.siteUrl)].map(([siteUrl, ofSite]) => ({
    siteUrl,
    devices: [...Map.groupBy(ofSite, (shot) => shot.device)].map(([device, ofDevice]) => ({
      device,
      strips: [...Map.groupBy(ofDevice, (shot) => shot.adId)].map(([adId, frames]) => ({
        adId,
        frames: frames.toSorted((a, b) => (a.markerMs ?? -1) - (b.markerMs ?? -1)),
      })),
    })),
  }));
}

/** The same pictures in the order in which the page shows them, so that parts of it hold together. */
export function inPageOrder<S extends ScreenshotPosition>(shots: readonly S[]): S[] {
  return groupScreenshots(shots).flatMap(({ devices }) =>
    devices.flatMap(({ strips }) => strips.flatMap(({ frames }) => frames)),
  );
}

export interface ScreenshotView extends ScreenshotRow {
  readonly siteUrl: string;
  readonly adId: string;
  readonly markerMs: number | null;
  readonly record?: object | undefined;
}
