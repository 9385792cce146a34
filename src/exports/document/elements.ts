/** A document as pages of simple elements, in points from the top left corner. PPTX and PDF are both written from it. */
import type { AdFinding } from '../../core/ads/creativeCheck.ts';
import type { ExportFailure, ExportPicture } from '../../core/exports/exportContent.ts';
import type { BrandingRow } from '../../core/organizations/branding.ts';
import type { Logo } from '../../domain/branding.ts';
import type { ExportOptions } from '../../domain/exports.ts';

/** Everything that a document shows, without the bytes of its pictures. */
export interface DocumentContent {
  readonly campaign: string;
  /** Name of the organization: its brand name, or its slug. */
  readonly brandName: string;
  readonly branding: BrandingRow;
  /** That of the campaign. */
  readonly clientLogo: Logo | null;
  readonly options: ExportOptions;
  readonly parts: number;
  readonly pictures: readonly ExportPicture[];
  /** Empty unless the options ask for them. */
  readonly failures: readonly ExportFailure[];
  /** Empty unless the options ask for failures. */
  readonly findings: readonly AdFinding[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Paragraph {
  readonly text: string;
  /** Points. */
  readonly size: number;
  readonly bold?: boolean;
  /** `#rrggbb`. */
  readonly color?: string;
  /** http or https address. */
  readonly link?: string;
  /** Points below the paragraph. */
  readonly after?: number;
  /** Lines at most; the rest is cut. */
  readonly lines?: number;
}

export interface TextElement {
  readonly kind: 'text';
  readonly box: Box;
  readonly paragraphs: readonly Paragraph[];
  readonly align?: 'left' | 'right' | 'center';
  readonly anchor?: 'top' | 'middle' | 'bottom';
  /** Whether it is the title of its page, for outlines and screen readers. */
  readonly isTitle?: boolean;
}

export interface RectangleElement {
  readonly kind: 'rectangle';
  readonly box: Box;
  readonly fill: string;
}

export interface PictureElement {
  readonly kind: 'picture';
  readonly box: Box;
  readonly picture: ExportPicture;
  /** Whether a line around it shows where a white page ends. */
  readonly hasEdge: boolean;
  /** The color behind the picture of the cover, which does not move and is counted at its own page. */
  readonly ground?: string;
  /** Says in words what the picture shows. */
  readonly description: string;
}

/** A logo, or the top of the page of a failure. */
export interface PlacedFile {
  readonly kind: 'logo' | 'page';
  /** In the artifact store. */
  readonly key: string;
  readonly box: Box;
  /** Says in words what it shows. */
  readonly description: string;
}

export interface TableElement {
  readonly kind: 'table';
  readonly box: Box;
  /** Widths in points. */
  readonly columns: readonly number[];
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Points, of the header too. */
  readonly rowHeights: readonly number[];
  /** Points of the text. */
  readonly size: number;
  readonly headerFill: string;
  readonly headerInk: string;
}

export type PlacedPicture = PictureElement | PlacedFile;
export type DocumentElement = TextElement | RectangleElement | PlacedPicture | TableElement;

export interface DocumentPage {
  /** Pages of one section follow each other; a viewer lists the sections. */
  readonly section: string;
  readonly elements: readonly DocumentElement[];
}

export interface DocumentPlan {
  readonly title: string;
  /** Name of the organization. */
  readonly author: string;
  readonly subject: string;
  readonly language: string;
  readonly width: number;
  readonly height: number;
  readonly pages: readonly DocumentPage[];
}
