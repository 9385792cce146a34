/** The chats that get notices: list, add, and what an administrator can do with one. */
import { z } from 'zod';
import { COST } from '../../api/limits/costs.ts';
import { Faults } from '../../contract/faults.ts';
import { type ChatRow, createChat, deleteChat, enableChat, listChats, testChat } from '../../core/notices/chats.ts';
import { invalid } from '../../domain/failure.ts';
import {
  CHAT_KIND_TEXTS,
  CHAT_KINDS,
  CHAT_NAME_MAX,
  CHATS_MAX,
  NOTICE_KINDS,
  NOTICES,
  type NoticeKind,
  plainName,
} from '../../domain/notices.ts';
import { urlFault } from '../../domain/webAddresses.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { Guard } from '../../egress/guard.ts';
import { type Html, html } from '../../lib/html.ts';
import { badge, button, type Column, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import {
  checkbox,
  checkboxes,
  EMPTY_FORM,
  type FormState,
  otherFaults,
  selectField,
  textField,
} from '../parts/formFields.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, framedPage } from './frame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

export function addChatRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const at = (rest = '') => ({ page: 'notices', path: `/o/:slug/settings/notices${rest}` }) as const;
  const again = (given: ViewerRequest, form: FormState) => chatsPage(options, given, form);
  pages.get(at().path, (given) => chatsPage(options, given), ADMIN);
  addAction(pages, at(), {
    read: (given) => readChat(guard, given),
    act: (tx, { viewer, actor }, chat) => createChat(tx, viewer.organizationId, chat, actor),
    ...{ again, secrets: ['address'] },
  });
  addAction(pages, at('/:id/test'), {
    act: (tx, given) =>
      testChat(tx, refOf(given), { publicUrl: options.publicUrl, slug: given.viewer.slug }, given.actor),
    answer: (given, delivery) => redirectTo(given, given.paths.delivery(delivery)),
    ...{ again, cost: COST.outgoing },
  });
  addAction(pages, at('/:id/enable'), { act: (tx, given) => enableChat(tx, refOf(given), given.actor), again });
  addAction(pages, at('/:id/remove'), {
    act: (tx, given) => deleteChat(tx, refOf(given), given.actor),
    ...{ again, notice: 'chat_removed' },
  });
}

const Chat = z.object({
  name: z
    .string()
    .transform((text) => plainName(text))
    .refine((name) => name !== '', 'must not be empty.')
    .refine((name) => name.length <= CHAT_NAME_MAX, `must have at most ${CHAT_NAME_MAX} characters.`),
  kind: z.enum(CHAT_KINDS, 'must be one of the list.'),
  notices: z.array(z.enum(NOTICE_KINDS)).min(1, 'need at least one kind.'),
});

/** @throws Failure (422) with all faults; also for an address that the service would not connect to. */
async function readChat(guard: Pick<Guard, 'resolve'>, { request }: ViewerRequest) {
  const address = formField(request, 'address').trim();
  const fault = urlFault(address) ?? (await addressFault(guard, address));
  const faults = new Faults();
  if (fault !== undefined) faults.add('address', fault);
  const chat = faults.read(
    Chat,
    {
      ...{ name: formField(request, 'name'), kind: formField(request, 'kind') },
      notices: NOTICE_KINDS.filter((one) => formField(request, one) !== ''),
    },
    '',
  );
  if (chat === undefined || fault !== undefined) throw invalid(faults.errors);
  return { ...chat, address };
}

async function chatsPage({ store }: PagesOptions, given: Given, form = EMPTY_FORM): Promise<ResultsPage> {
  const rows = await listChats(store.db, given.viewer.organizationId);
  const body = html`<p class="meta">Each chat gets notices of the whole organization. Members choose their e-mails on the page “Notices” of their account.</p>
${rows.length > 0 && table({ columns: columns(given), rows })}
${panel('Add a chat', createForm(given, form), { id: 'create' })}`;
  return framedPage(given, 'notices', { body, status: form.status });
}

function columns({ viewer, paths }: Given): Column<ChatRow>[] {
  const action = (id: string, name: string, label: string) =>
    html`<form method="post" action="${paths.settings('notices')}/${id}/${name}">${hiddenFields(viewer, paths.settings('notices'))}${button(name === 'remove' ? { label, kind: 'danger' } : { label })}</form>`;
  return [
    {
      label: 'Chat',
      kind: 'main',
      cell: ({ name, kind, host }) =>
        html`<strong><bdi>${name}</bdi></strong> <span class="meta">${CHAT_KIND_TEXTS[kind]}, <code>https://${host}/…</code></span>`,
    },
    { label: 'Notices', cell: ({ notices }) => notices.map((kind) => html`<div>${NOTICES[kind].label}</div>`) },
    {
      label: 'Status',
      cell: ({ disabled_at, disabled_reason }) =>
        disabled_at === null
          ? badge('active', 'Enabled')
          : html`${badge('canceled', 'Disabled')} <span class="meta">since ${timeElement(disabled_at)}. ${disabled_reason}</span>`,
    },
    {
      label: 'Action',
      kind: 'action',
      cell: ({ id, disabled_at }) =>
        html`<div class="actions">${disabled_at === null ? action(id, 'test', 'Send a test') : action(id, 'enable', 'Enable')}${action(id, 'remove', 'Remove')}</div>`,
    },
  ];
}

function createForm({ viewer, paths }: Given, form: FormState): Html {
  const path = paths.settings('notices');
  const isTyped = Object.keys(form.values).length > 0;
  const isChecked = (kind: NoticeKind) => (isTyped ? form.values[kind] !== undefined : kind !== 'share_opened');
  const boxes = NOTICE_KINDS.map((kind) =>
    checkbox({ name: kind, label: NOTICES[kind].label, isChecked: isChecked(kind) }),
  );
  const kinds = CHAT_KINDS.map((kind) => [kind, CHAT_KIND_TEXTS[kind]] as const);
  return html`${otherFaults(form.errors, ['name', 'kind', 'address', 'notices'])}
<form class="fields" method="post" action="${path}">${hiddenFields(viewer, path)}
${textField({ name: 'name', label: 'Name', hint: `For example the channel. At most ${CHATS_MAX} chats.`, isRequired: true, max: CHAT_NAME_MAX }, form)}
${selectField({ name: 'kind', label: 'Kind', choices: kinds }, form)}
${textField({ name: 'address', label: 'Address', type: 'url', isRequired: true, hint: 'The address of the incoming webhook is a secret, so no page shows it again.' }, form)}
${checkboxes({ name: 'notices', label: 'Notices' }, boxes, form.errors)}
${button({ label: 'Add the chat', kind: 'primary' })}</form>`;
}
