/** The audit log: the administrative actions of an organization, and who can be their actor. */
import { cutCodePoints, storable } from './text.ts';

/** Every action, with its text for people. Names are stable. The part before the dot is the kind of its object. */
export const AUDIT_ACTIONS = {
  'organization.created': 'Organization created',
  'organization.disabled': 'Organization disabled',
  'organization.enabled': 'Organization enabled',
  'organization.deleted': 'Organization deleted',
  'settings.updated': 'Settings changed',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'webhook_secret.rotated': 'Webhook secret replaced',
  'webhook.tested': 'Test event sent to an address',
  'webhook_endpoint.created': 'Webhook endpoint created',
  'webhook_endpoint.updated': 'Webhook endpoint changed',
  'webhook_endpoint.rotated': 'Secret of a webhook endpoint replaced',
  'webhook_endpoint.tested': 'Test event sent to a webhook endpoint',
  'webhook_endpoint.disabled': 'Webhook endpoint disabled, because its deliveries failed for days',
  'webhook_endpoint.deleted': 'Webhook endpoint deleted',
  'notice_chat.created': 'Chat for notices added',
  'notice_chat.enabled': 'Chat for notices enabled',
  'notice_chat.tested': 'Test sent to a chat',
  'notice_chat.disabled': 'Chat for notices disabled, because its address answered that it is gone',
  'notice_chat.deleted': 'Chat for notices removed',
  'connector.created': 'Connector created',
  'connector.updated': 'Connector changed',
  'connector.checked': 'Check of a connector requested',
  'connector.deleted': 'Connector removed',
  'site_rule.created': 'Site rule created',
  'site_rule.updated': 'Site rule changed',
  'site_rule.deleted': 'Site rule deleted',
  'branding.updated': 'Branding changed',
  'branding.logo_replaced': 'Logo replaced',
  'branding.logo_removed': 'Logo removed',
  'campaign.updated': 'Campaign renamed',
  'campaign.logo_replaced': 'Logo of a client replaced',
  'campaign.logo_removed': 'Logo of a client removed',
  'campaign.deleted': 'Campaign deleted',
  'ad.updated': 'Ad changed',
  'ad.deleted': 'Ad deleted',
  'screenshot_set.requested': 'Screenshot set requested',
  'screenshot_set.retaken': 'Pictures of a set retaken',
  'screenshot_set.updated': 'Screenshot set changed',
  'screenshot_set.approved': 'Screenshot set approved',
  'screenshot_set.rejected': 'Screenshot set rejected',
  'screenshot_set.reopened': 'Review of a screenshot set reopened',
  'screenshot_set.canceled': 'Screenshot set canceled',
  'screenshot_set.pictures_reviewed': 'Pictures of a set reviewed',
  'screenshot_set.deleted': 'Screenshot set deleted',
  'schedule.created': 'Schedule created',
  'schedule.updated': 'Schedule changed',
  'schedule.deleted': 'Schedule deleted',
  'comment.deleted': 'Comment deleted',
  'share_link.created': 'Share link created',
  'share_link.updated': 'Share link changed',
  'share_link.revoked': 'Share link revoked',
  'member.added': 'Member added',
  'member.updated': 'Role of a member changed',
  'member.removed': 'Member removed',
  'invitation.created': 'Person invited',
  'invitation.deleted': 'Invitation withdrawn',
  'session.started': 'Signed in',
  'session.refused': 'Sign-in refused',
  'session.ended': 'Signed out',
} as const satisfies Record<string, string>;
export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS).filter(isAuditAction);

function isAuditAction(name: string): name is AuditAction {
  return Object.hasOwn(AUDIT_ACTIONS, name);
}

/**
 * A program with an API key, a person who signed in, the operator's command line, a person who failed to sign in, or the
 * service itself.
 */
export const ACTOR_TYPES = ['api_key', 'session', 'operator', 'anonymous', 'service'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/** Newer entries cannot be removed: a trigger of the table prevents it. */
export const AUDIT_LOG_DAYS_MIN = 30;

/** The person or program that acts, and its address. */
export interface Actor {
  readonly type: ActorType;
  /** The key that was used. */
  readonly keyId: string | null;
  /** The person who signed in, if it was not with a key. */
  readonly userId: string | null;
  /** The IP address of the client. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** A person at the operator's command line. */
export const OPERATOR: Actor = { type: 'operator', keyId: null, userId: null, address: null, requestId: null };

/** The service, without a request. */
export const SERVICE: Actor = { type: 'service', keyId: null, userId: null, address: null, requestId: null };

/** The change of one field by an action. Null: the field did not exist before, or no longer exists. */
export interface FieldChange {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

type Value = string | number | boolean | Date | readonly string[] | null | undefined;
/** The fields of an object that the audit log may show. Never put a secret here, nor an address that may contain one. */
export type AuditedFields = Readonly<Record<string, Value>>;

const TEXT_MAX = 500;

/** @returns the fields that differ. */
export function changesBetween(before: AuditedFields, after: AuditedFields): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((field) => ({ field, from: textOf(before[field]), to: textOf(after[field]) }))
    .filter(({ from, to }) => from !== to);
}

function textOf(value: Value): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (value instanceof Date) return value.toISOString();
  return cutCodePoints(storable(typeof value === 'object' ? value.join(', ') : String(value)), TEXT_MAX);
}

/** @returns scheme and host only, because path and query of a webhook or server often contain a secret. */
export function addressWithoutSecrets(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '…' : `${parsed.protocol}//${parsed.host}/…`;
}
