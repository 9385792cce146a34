/** HTML templates that escape every inserted value unless it is {@link Html} itself. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type HtmlContent = string | number | null | undefined | false | Html | readonly HtmlContent[];

/** html`<p title="${name}">${parts}</p>`. Put attribute values into double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlContent[]): Html {
  return new Html(strings.reduce((out, part, i) => out + render(values[i - 1]) + part));
}

function render(value: HtmlContent): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
