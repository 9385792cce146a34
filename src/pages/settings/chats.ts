/** The chats that get notices: list, add, and what an administrator can do with one. */
import { z } from 'zod';
import { COST } from '../../api/limits/costs.ts';
import { webAddress } from '../../contract/textFields.ts';
import { type ChatRow, createChat, deleteChat, enableChat, listChats, testChat } from '../../core/notices/chats.ts';
import { invalid } from '../../domain/failure.ts';
import {
  CHAT_KIND_TEXTS,
  CHAT_KINDS,
  CHAT_NAME_MAX,
  CHATS_MAX,
  NOTICE_KINDS,
  NOTICES,
  plainName,
} from '../../domain/notices.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { Guard } from '../../egress/guard.ts';
import { html } from '../../lib/html.ts';
import { type Button, badge, type Column, panel, table } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { EMPTY_FORM, type FormState } from '../parts/formFields.ts';
import { actionForm } from '../parts/forms.ts';
import { formTable, readForm, renderForm } from '../parts/formTable.ts';
import { timeElement } from '../parts/labels.ts';
import { ADMIN, type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { addAction, framedPage } from '../routes/settingsFrame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

const Chat = z.object({
  name: z
    .string()
    .transform((text) => plainName(text))
    .refine((name) => name !== '', 'must not be empty.')
    .refine((name) => name.length <= CHAT_NAME_MAX, `must have at most ${CHAT_NAME_MAX} characters.`)
    .meta({ maxLength: CHAT_NAME_MAX }),
  kind: z.enum(CHAT_KINDS, 'must be one of the list.'),
  address: webAddress,
  notices: z.array(z.enum(NOTICE_KINDS)).min(1, 'need at least one kind.'),
});

const CHAT = formTable(Chat, {
  name: { label: 'Name', hint: `For example the channel. At most ${CHATS_MAX} chats.` },
  kind: { kind: 'select', label: 'Kind', choices: CHAT_KINDS.map((kind) => [kind, CHAT_KIND_TEXTS[kind]] as const) },
  address: {
    kind: 'url',
    label: 'Address',
    hint: 'The address of the incoming webhook is a secret, so no page shows it again.',
    isSecret: true,
  },
  notices: {
    kind: 'checkboxes',
    label: 'Notices',
    choices: NOTICE_KINDS.map((kind) => [kind, NOTICES[kind].label] as const),
    value: NOTICE_KINDS.filter((kind) => kind !== 'share_opened'),
  },
});

export function addChatRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const at = (rest = '') => ({ page: 'notices', path: `/o/:slug/settings/notices${rest}` }) as const;
  const again = (given: ViewerRequest, form: FormState) => chatsPage(options, given, form);
  pages.get(at().path, (given) => chatsPage(options, given), ADMIN);
  addAction(pages, at(), {
    read: (given) => readChat(guard, given),
    act: (tx, { viewer, actor }, chat) => createChat(tx, viewer.organizationId, chat, actor),
    again,
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

/** @throws Failure (422); also for an address that the service would not connect to. */
async function readChat(guard: Pick<Guard, 'resolve'>, { request }: ViewerRequest) {
  const chat = readForm(CHAT, request);
  const fault = await addressFault(guard, chat.address);
  if (fault !== undefined) throw invalid({ address: [fault] });
  return chat;
}

async function chatsPage({ store }: PagesOptions, given: Given, form = EMPTY_FORM): Promise<ResultsPage> {
  const { viewer, paths } = given;
  const rows = await listChats(store.db, viewer.organizationId);
  const create = renderForm(CHAT, { viewer, page: paths.settings('notices'), form, submit: 'Add the chat' });
  const body = html`<p class="meta">Each chat gets notices of the whole organization.
Members choose their e-mails on the page “Notices” of their account.</p>
${rows.length > 0 && table({ columns: columns(given), rows })}
${panel('Add a chat', create, { id: 'create' })}`;
  return framedPage(given, 'notices', { body, status: form.status });
}

function columns({ viewer, paths }: Given): Column<ChatRow>[] {
  const path = paths.settings('notices');
  const action = (id: string, name: string, shown: Button) =>
    actionForm({ viewer, action: `${path}/${id}/${name}`, next: path, ...shown });
  return [
    {
      label: 'Chat',
      kind: 'main',
      cell: ({ name, kind, host }) =>
        html`<strong><bdi>${name}</bdi></strong>
<span class="meta">${CHAT_KIND_TEXTS[kind]}, <code>https://${host}/…</code></span>`,
    },
    { label: 'Notices', cell: ({ notices }) => notices.map((kind) => html`<div>${NOTICES[kind].label}</div>`) },
    {
      label: 'Status',
      cell: ({ disabled_at, disabled_reason }) =>
        disabled_at === null
          ? badge('active', 'Enabled')
          : html`${badge('canceled', 'Disabled')}
<span class="meta">since ${timeElement(disabled_at)}. ${disabled_reason}</span>`,
    },
    {
      label: 'Action',
      kind: 'action',
      cell: ({ id, disabled_at }) => {
        const isEnabled = disabled_at === null;
        const first = isEnabled
          ? action(id, 'test', { label: 'Send a test' })
          : action(id, 'enable', { label: 'Enable' });
        return html`<div class="actions">${first}${action(id, 'remove', { label: 'Remove', kind: 'danger' })}</div>`;
      },
    },
  ];
}
