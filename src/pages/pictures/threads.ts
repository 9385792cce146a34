/** Comments in threads with their pins, and the answers of clients: how all pages show them, and the forms of reviewers. */
import type { Request } from 'express';
import { readOrFail } from '../../api/public/endpoint.ts';
import { NewComment } from '../../contract/comments.ts';
import type { CommentRow, Thread } from '../../core/reviews/commentQueries.ts';
import { addComment, deleteComment, mayDelete, resolveThread } from '../../core/reviews/comments.ts';
import type { AnswerRow } from '../../core/sharing/answerQueries.ts';
import type { Queryable } from '../../db/database.ts';
import { THREAD_COMMENT_MAX } from '../../domain/reviews.ts';
import { counted, storable } from '../../domain/text.ts';
import { type Texts, textsOf } from '../../domain/texts/languages.ts';
import type { PictureSize } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button } from '../parts/components.ts';
import type { Viewer } from '../parts/context.ts';
import { EMPTY_FORM, textField } from '../parts/formFields.ts';
import { formField, hiddenFields } from '../parts/forms.ts';
import { icon } from '../parts/icons.ts';
import { timeElement } from '../parts/labels.ts';
import type { PagePaths } from '../parts/paths.ts';
import { goBack, type PageRoutes, REVIEW, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';

/** The size of a pin as a share of the width, for pictures of desktops and of phones, which are shown narrower. */
const PIN = { wide: 1 / 80, tall: 1 / 28 };

type Pinned = Pick<CommentRow, 'id' | 'pin_x' | 'pin_y' | 'resolved_at'>;

/** Numbers from 1 for the threads with a pin. */
function numbersOf(threads: readonly Pinned[]): ReadonlyMap<string, number> {
  return new Map(threads.filter(({ pin_x }) => pin_x !== null).map(({ id }, index) => [id, index + 1]));
}

/** The pins of open threads, over a picture of this size. A script adds the pin of a new comment. */
export function pins(
  shown: readonly Pinned[],
  { width, height }: PictureSize,
  { threads } = textsOf('en').parts,
): Html {
  const radius = width * (width > height ? PIN.wide : PIN.tall);
  const numbers = numbersOf(shown);
  const drawn = shown.map(({ id, pin_x, pin_y, resolved_at }) => {
    if (pin_x === null || pin_y === null || resolved_at !== null) return null;
    const [x, y] = [Math.round(pin_x * width), Math.round(pin_y * height)];
    const number = numbers.get(id);
    return html`<a href="#thread-${id}" aria-label="${threads.comment} ${number}"><circle cx="${x}" cy="${y}" r="${radius}"/>
      <text x="${x}" y="${y}" font-size="${radius}">${number}</text></a>`;
  });
  return html`<svg class="pins" viewBox="0 0 ${width} ${height}" data-radius="${radius}">${drawn}</svg>`;
}

/** How a page shows threads. */
interface ThreadLook {
  /** Whether threads with a pin have its number. */
  readonly hasNumbers?: boolean;
  author(comment: CommentRow): HtmlContent;
  time(time: Date): Html;
  /** Forms below a thread. */
  actions(thread: Thread): HtmlContent;
  /** Follows the time of a comment. */
  remark?(comment: CommentRow): HtmlContent;
  /** The version that the page shows, if threads may be about earlier ones. */
  readonly shownId?: string | undefined;
  readonly texts?: Texts['parts'];
}

/** Open threads, then a fold with the resolved ones. Each thread is live on its own, so that a reply that was not sent keeps only its thread. */
export function threadList(threads: readonly Thread[], look: ThreadLook): HtmlContent {
  const { resolved: resolvedText } = look.texts ?? textsOf('en').parts;
  const numbers = numbersOf(look.hasNumbers === false ? [] : threads);
  const item = (thread: Thread) => {
    const replies = thread.replies.map((reply) => html`<div class="reply">${comment(reply, look)}</div>`);
    return html`<li id="thread-${thread.id}" data-live>
      ${comment(thread, look, numbers.get(thread.id))}${replies}
      ${look.actions(thread)}
    </li>`;
  };
  const list = (id: string, some: readonly Thread[]) =>
    html`<ol class="threads" id="${id}" data-keyed>${some.map(item)}</ol>`;
  const [open, resolved] = [threads.filter(isOpen), threads.filter((thread) => !isOpen(thread))];
  return html`${list('open-threads', open)}<details>
    <summary id="resolved-count" data-live>${resolvedText(resolved.length)}</summary>${list('resolved-threads', resolved)}
  </details>`;
}

const isOpen = ({ resolved_at }: Pinned) => resolved_at === null;

function comment(row: CommentRow, look: ThreadLook, number?: number): Html {
  // No paragraph, because the remark may hold a form.
  const pin = number !== undefined && html`<span class="pin">${number}</span> `;
  const { shownId = row.screenshot_id, texts = textsOf('en').parts } = look;
  const earlier = row.screenshot_id !== shownId && row.thread_id === null && ` · ${texts.threads.earlier}`;
  const time = look.time(row.created_at);
  return html`<div class="meta">${pin}<strong>${look.author(row)}</strong> · ${time}${earlier}${look.remark?.(row)}</div>
    <p class="said"><bdi>${row.body}</bdi></p>`;
}

/** @param id of the field. */
export function commentField(id: string, label: HtmlContent, isRequired = true): Html {
  return textField({ name: 'body', id, label, rows: 2, isRequired, max: THREAD_COMMENT_MAX }, EMPTY_FORM);
}

/** The place of a comment on the picture, which a script sets. */
export const pinField = ({ threads } = textsOf('en').parts) => html`<input type="hidden" name="pin" value="">
  <button type="button" data-pin aria-pressed="false">${icon('map-pin')}<span>${threads.pin}</span></button>`;

/** The fields of {@link commentField} and of a reply, as the contract names them. */
export function commentOf(request: Request) {
  const [x, y] = formField(request, 'pin').split(',', 2).map(Number);
  const pin = x === undefined || y === undefined ? null : { x, y };
  return { body: storable(formField(request, 'body')), pin, reply_to: formField(request, 'reply_to') || null };
}

interface OwnThreads {
  readonly viewer: Viewer;
  readonly paths: PagePaths;
  /** The page to return to. */
  readonly next: string;
  /** The path that stores a comment. */
  readonly action: string;
  readonly hasPin: boolean;
  /** The version that the page shows, if the threads may be about earlier ones. */
  readonly shownId?: string;
  /** The link to the picture of a thread, if the threads are about several ones. */
  readonly pictureOf?: (screenshotId: string | null) => HtmlContent;
}

/** Threads with the forms of reviewers. */
export function ownThreads(
  threads: readonly Thread[],
  { viewer, paths, next, action, hasPin, shownId, pictureOf }: OwnThreads,
): Html {
  const given = { viewer, paths, next };
  const hasReplies = new Set(threads.filter(({ replies }) => replies.length > 0).map(({ id }) => id));
  const list = threadList(threads, {
    hasNumbers: pictureOf === undefined,
    author: ({ client_name, client_email, key_name, user_name }) =>
      client_name === null
        ? html`<bdi>${user_name ?? (key_name || 'A key')}</bdi>`
        : html`<bdi>${client_name}</bdi> <span class="meta">(client, <bdi>${client_email}</bdi>)</span>`,
    time: timeElement,
    shownId,
    remark: (row) => {
      const picture = pictureOf?.(row.thread_id === null ? row.screenshot_id : null);
      const canDelete = viewer.canReview && mayDelete(row, viewer) && !hasReplies.has(row.id);
      return [resolvedRemark(row), picture, canDelete && deleteForm(row, given)];
    },
    actions: (thread) => viewer.canReview && threadForms(thread, given),
  });
  const form = html`<form class="stack" method="post" action="${action}">
    ${hiddenFields(viewer, next)}${commentField('new-comment', 'New comment, for reviewers only')}
    <div class="bar">${button({ label: 'Comment' })}${hasPin && pinField()}</div>
  </form>`;
  return html`${list}${viewer.canReview && form}`;
}

type Forms = Pick<OwnThreads, 'viewer' | 'paths' | 'next'>;

const pathOf = (paths: PagePaths, { id }: Pick<CommentRow, 'id'>, verb: string) =>
  `${paths.organization}/comments/${id}/${verb}`;

/** Replies to a thread, and resolves it or opens it again. */
function threadForms(thread: Thread, { viewer, paths, next }: Forms): Html {
  const subject = thread.screenshot_id === null ? paths.set(thread.set_id) : paths.screenshot(thread.screenshot_id);
  const label = thread.share_id === null ? 'Reply' : 'Reply (visible to the client)';
  const resolve = isOpen(thread) ? { value: 'yes', label: 'Resolve' } : { value: '', label: 'Reopen' };
  return html`<div class="bar">
    <details>
      <summary>Reply</summary>
      <form class="stack" method="post" action="${subject}/comments">
        ${hiddenFields(viewer, next)}<input type="hidden" name="reply_to" value="${thread.id}">
        ${commentField(`reply-${thread.id}`, label)}
        ${button({ label: 'Reply' })}
      </form>
    </details>
    <form method="post" action="${pathOf(paths, thread, 'resolve')}">
      ${hiddenFields(viewer, next)}${button({ name: 'resolved', kind: 'quiet', ...resolve })}
    </form>
  </div>`;
}

function resolvedRemark({ resolved_at, resolving_user, resolver_name }: CommentRow): HtmlContent {
  const who = resolving_user ?? (resolver_name || 'a key');
  return resolved_at !== null && html` · resolved by <bdi>${who}</bdi>, ${timeElement(resolved_at)}`;
}

function deleteForm(row: CommentRow, { viewer, paths, next }: Forms): Html {
  const remove = button({ label: 'Delete the comment', icon: 'trash-2', kind: 'quiet', iconOnly: true });
  return html` <form method="post" action="${pathOf(paths, row, 'delete')}">${hiddenFields(viewer, next)}${remove}</form>`;
}

const ANSWERS = { approved: 'Client: approved', changes_requested: 'Client: changes' } as const;

/** The newest answer of a client in two words. */
export function answerBadge(answer: Pick<AnswerRow, 'answer'> | undefined): HtmlContent {
  return answer && badge(answer.answer, ANSWERS[answer.answer]);
}

/** An answer with its author, time and address. */
export function answerLine(answer: AnswerRow): Html {
  const { client_name, client_email, client_address, pictures, screenshot_id, label } = answer;
  const about = screenshot_id === null && html`, about ${counted(pictures, 'picture')}`;
  const from = client_address !== null && `, from ${client_address}`;
  const through = label !== '' && html`, through the link “<bdi>${label}</bdi>”`;
  const origin = html`<bdi>${client_email}</bdi>, ${timeElement(answer.created_at)}${from}${through}${about}`;
  return html`<p>${answerBadge(answer)} <strong><bdi>${client_name}</bdi></strong> <span class="meta">${origin}</span></p>${
    answer.comment !== null && html`<p class="said"><bdi>${answer.comment}</bdi></p>`
  }`;
}

/** The forms of {@link ownThreads}. */
export function addThreadRoutes(pages: PageRoutes): void {
  type Ref = ReturnType<typeof refOf>;
  type Act = (tx: Queryable, ref: Ref, given: ViewerRequest) => Promise<unknown>;
  const post = (path: string, act: Act) =>
    pages.post(
      `/o/:slug/${path}`,
      async (given) => {
        await pages.options.store.db.transaction().execute((tx) => act(tx, refOf(given), given));
        return goBack(given);
      },
      REVIEW,
    );
  const add =
    (subjectOf: (id: string) => { screenshotId: string } | { setId: string }): Act =>
    (tx, { organizationId, id }, { request, actor }) => {
      const { body, pin, reply_to: replyTo } = readOrFail(NewComment, commentOf(request));
      return addComment(tx, { organizationId, ...subjectOf(id) }, { text: { body, pin, replyTo }, actor });
    };
  post(
    'screenshots/:id/comments',
    add((screenshotId) => ({ screenshotId })),
  );
  post(
    'screenshot_sets/:id/comments',
    add((setId) => ({ setId })),
  );
  post('comments/:id/delete', (tx, ref, { actor }) => deleteComment(tx, ref, actor));
  post('comments/:id/resolve', (tx, ref, { request, actor }) =>
    resolveThread(tx, { ...ref, resolved: formField(request, 'resolved') !== '' }, actor),
  );
}
