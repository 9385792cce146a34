import type { NetworkRow, SlotTable } from '../slotTable.ts';
import type { NameContext } from './adNames.ts';
import type { Declaration } from './declarations.ts';

/** A slot in the markup of a network. `origin` is the element of the network; the slot is an element around it if it has no box. */
export interface NetworkMatch {
  row: NetworkRow;
  origin: Element;
  /** The name that an ad script uses for the element, if not its id. */
  name?: string;
}

/** The facts that one scan of a frame collects before it looks at the elements. */
export interface SlotContext extends NameContext {
  table: SlotTable;
  declared: Map<string, Declaration[]>;
  labels: RegExp;
  /** A key for each standard size. */
  sizeKeys: Set<number>;
  /** Texts of the frame's inline scripts. */
  scripts: string[];
  networks: Map<Element, NetworkMatch[]>;
  /** Links that hold only the image of an ad. */
  images: Map<Element, { image: Element; size: [number, number] }>;
  isPhone: boolean;
  /** Rules that hide elements, or show them at some widths; empty until the first hidden slot. */
  hiding: HidingRule[] | undefined;
}

/** A style rule for `display`. `always`: it hides at every width; else it holds for some windows only. */
export interface HidingRule {
  selector: string;
  always: boolean;
}
