export type * from './creative.ts';
export { type CreativeRendererOptions, startCreativeRenderer } from './renderer.ts';
