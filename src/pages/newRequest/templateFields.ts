import type { TemplateRow } from '../../core/requests/templates.ts';
import { type Html, html } from '../html.ts';
import type { Draft } from './draft.ts';
import type { FieldFaults } from './fieldFaults.ts';
import { described, faultList } from './fields.ts';

interface TemplateView {
  readonly draft: Draft;
  readonly templates: readonly TemplateRow[];
  readonly faults: FieldFaults;
}

/** Chooses and removes a template, and saves the sites, devices and options of the form as one. */
export function templateFields(view: TemplateView): Html {
  return html`<div class="templates">${chooser(view)}${saver(view)}</div>${faultList(view.faults, 'template')}`;
}

function chooser({ draft, templates }: TemplateView): Html {
  if (templates.length === 0)
    return html`<p class="hint">No templates yet. Save the sites and devices below under a name to use them again.</p>`;
  const items = templates.map(
    ({ id, name }) => html`<option value="${id}"${id === draft.template && html` selected`}>${name}</option>`,
  );
  return html`<div><label for="template-list">Template</label>
    <div class="row"><select id="template-list" name="template"><option value="">Choose…</option>${items}</select>
    <button name="action" value="template-use">Use</button>
    <button class="quiet" name="action" value="template-remove">Remove</button></div></div>`;
}

function saver({ draft, faults }: TemplateView): Html {
  return html`<div><label for="template">Save as template</label>
    <div class="row"><input id="template" name="template_name" value="${draft.templateName}" placeholder="Name"${described(faults, 'template')}>
    <button name="action" value="template-save">Save</button></div></div>`;
}
