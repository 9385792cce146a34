/** HTML whose size the tests know. */
export const page = (style: string, body: string, head = '') =>
  `<!doctype html><html><head>${head}<style>html,body{margin:0}${style}</style></head><body>${body}</body></html>`;
export const stage = (width: number, height: number, more = '') =>
  `#ad{position:relative;width:${width}px;height:${height}px;overflow:hidden;background:#123456;${more}}`;
/** The letter saves the search for a later picture, which follows if all pictures have one color. */
export const AD = '<div id="ad">A</div>';
export const fluid = '#ad{position:absolute;inset:0;background:#123456}';
