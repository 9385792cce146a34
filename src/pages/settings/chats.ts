/** The chats that get notices: list, add, and what an administrator can do with one. */
import { COST } from '../../api/limits/costs.ts';
import { type ChatRow, createChat, deleteChat, enableChat, listChats, testChat } from '../../core/notices/chats.ts';
import { type FieldErrors, invalid } from '../../domain/failure.ts';
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
import { isUuid } from '../../domain/slugs.ts';
import { urlFault } from '../../domain/webAddresses.ts';
import { addressFault } from '../../egress/addressFault.ts';
import type { Guard } from '../../egress/guard.ts';
import { type Html, html } from '../../lib/html.ts';
import { badge, button, type Column, emptyState, panel, table } from '../components.ts';
import type { PagesOptions, ResultsPage } from '../context.ts';
import {
  answerForm,
  checkbox,
  checkboxes,
  EMPTY_FORM,
  type FormState,
  otherFaults,
  selectField,
  textField,
} from '../fields.ts';
import { formField, hiddenFields } from '../forms.ts';
import { timeElement } from '../labels.ts';
import { ADMIN, type PageRoutes, redirectTo, type ViewerRequest } from '../pageRoutes.ts';
import { framedPage } from './frame.ts';

type Given = Pick<ViewerRequest, 'viewer' | 'paths'>;

export function addChatRoutes(pages: PageRoutes): void {
  const { options, guard } = pages;
  const { db } = options.store;
  const path = '/o/:slug/settings/notices';
  pages.get(path, (given) => chatsPage(options, given), ADMIN);
  pages.post(
    path,
    (given) => {
      const { viewer, actor, paths } = given;
      const run = async () => {
        const chat = await readChat(guard, given);
        await db.transaction().execute((tx) => createChat(tx, viewer.organizationId, chat, actor));
        return redirectTo(given, paths.settings('notices'), 'saved');
      };
      return answerForm(given, { run, again: (form) => chatsPage(options, given, form), secrets: ['address'] });
    },
    ADMIN,
  );
  const actions = {
    test: async (given: ViewerRequest, id: string) => {
      const { viewer, actor, paths } = given;
      const { organizationId, slug } = viewer;
      const place = { publicUrl: options.publicUrl, slug };
      const delivery = await db.transaction().execute((tx) => testChat(tx, { organizationId, id }, place, actor));
      return redirectTo(given, paths.delivery(delivery));
    },
    enable: async (given: ViewerRequest, id: string) => {
      const { organizationId } = given.viewer;
      await db.transaction().execute((tx) => enableChat(tx, { organizationId, id }, given.actor));
      return redirectTo(given, given.paths.settings('notices'), 'saved');
    },
    remove: async (given: ViewerRequest, id: string) => {
      const { organizationId } = given.viewer;
      await db.transaction().execute((tx) => deleteChat(tx, { organizationId, id }, given.actor));
      return redirectTo(given, given.paths.settings('notices'), 'chat_removed');
    },
  };
  for (const [name, act] of Object.entries(actions))
    pages.post(
      `${path}/:chat/${name}`,
      async (given) => {
        const id = String(given.request.params['chat']).toLowerCase();
        if (!isUuid(id)) return undefined;
        return answerForm(given, { run: () => act(given, id), again: (form) => chatsPage(options, given, form) });
      },
      { scope: 'admin', cost: name === 'test' ? COST.outgoing : COST.usual },
    );
}

/** @throws Failure (422) with all faults; also for an address that the service would not connect to. */
async function readChat(guard: Pick<Guard, 'resolve'>, { request }: ViewerRequest) {
  const name = plainName(formField(request, 'name'));
  const kind = CHAT_KINDS.find((one) => one === formField(request, 'kind'));
  const address = formField(request, 'address').trim();
  const notices = NOTICE_KINDS.filter((one) => formField(request, one) !== '');
  const shape = urlFault(address);
  const fault = shape ?? (await addressFault(guard, address));
  const errors: FieldErrors = {
    ...(name === '' && { name: ['must not be empty.'] }),
    ...(name.length > CHAT_NAME_MAX && { name: [`must have at most ${CHAT_NAME_MAX} characters.`] }),
    ...(fault !== undefined && { address: [fault] }),
    ...(notices.length === 0 && { notices: ['need at least one kind.'] }),
    ...(kind === undefined && { kind: ['must be one of the list.'] }),
  };
  if (kind === undefined || Object.keys(errors).length > 0) throw invalid(errors);
  return { name, kind, address, notices };
}

async function chatsPage({ store }: PagesOptions, given: Given, form = EMPTY_FORM): Promise<ResultsPage> {
  const rows = await listChats(store.db, given.viewer.organizationId);
  const none = emptyState({ title: 'No chats yet', text: 'Add one below.' });
  const body = html`<p class="meta">Each chat gets notices of the whole organization. Members choose their e-mails on the page “Notices” of their account.</p>
${rows.length === 0 ? none : table({ columns: columns(given), rows })}
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
