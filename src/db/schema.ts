/** The tables as kysely sees them; the truth is in `migrations/`. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { OptionsJson } from '../contract/parseParts.ts';
import type { TemplateBody } from '../contract/templates.ts';
import type { CreativeFormat, MediaType } from '../domain/ads.ts';
import type { ActorType, AuditAction, FieldChange } from '../domain/auditLog.ts';
import type { PageSize } from '../domain/branding.ts';
import type { Encryption, StorageClass } from '../domain/connectors.ts';
import type { DeviceName } from '../domain/devices.ts';
import type { ExportFormat, ExportOptions, ExportStatus } from '../domain/exports.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { Decision, ReviewMode } from '../domain/reviews.ts';
import type { AdFailure, AdStatus, ScreenshotStatus, SetStatus } from '../domain/states.ts';
import type { EventTopic } from '../domain/topics.ts';
import type { Warning } from '../domain/warnings.ts';

type Time = ColumnType<Date, Date | string, Date | string>;
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type WarningsColumn = JSONColumnType<Warning[], string | undefined, string>;
type MetadataColumn = JSONColumnType<Metadata, string | undefined, string>;
type CreatedAt = ColumnType<Date, Date | string | undefined, never>;

export interface InstallationTable {
  singleton: Generated<boolean>;
  id: Generated<string>;
  epoch: Generated<string>;
  secret: Buffer;
  stopped_until: MaybeTime;
}

export interface OrganizationTable {
  id: string;
  slug: string;
  review: Generated<ReviewMode>;
  disabled_at: MaybeTime;
  webhook_secret: string;
  previous_webhook_secret: string | null;
  webhook_secret_rotated_at: MaybeTime;
  created_at: CreatedAt;
  set_retention_days: number | null;
  pictures_per_day: number | null;
  running_captures: number | null;
  deletion_started_at: MaybeTime;
  deleted_at: MaybeTime;
}

export interface ApiKeyTable {
  id: string;
  organization_id: string;
  name: Generated<string>;
  secret_sha256: Buffer;
  scopes: string[];
  created_at: CreatedAt;
  expires_at: MaybeTime;
  revoked_at: MaybeTime;
  last_used_at: MaybeTime;
  created_by: string | null;
}

export interface EndedSessionTable {
  id: string;
  expires_at: Time;
}

export interface S3ConnectorTable {
  organization_id: string;
  name: Generated<string>;
  endpoint: string | null;
  region: string;
  access_key_id: string | null;
  secret_access_key: string | null;
  role_arn: string | null;
  force_path_style: Generated<boolean>;
  encryption: Encryption | null;
  kms_key_id: string | null;
  storage_class: StorageClass | null;
  updated_at: ColumnType<Date, Date | undefined, Date>;
  check_bucket: string | null;
  check_region: string | null;
  check_key_prefix: string | null;
  check_status: 'pending' | 'passed' | 'failed' | null;
  check_message: string | null;
  check_requested_at: MaybeTime;
  check_finished_at: MaybeTime;
}

export interface CampaignTable {
  id: string;
  organization_id: string;
  name: string;
  created_at: CreatedAt;
  /** When the last set or ad was requested. */
  active_at: CreatedAt;
}

export interface ImageTable {
  token: string;
  organization_id: string;
  artifact_key: string;
  content_type: Generated<string>;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  created_at: CreatedAt;
}

export interface RemovedFileTable {
  key: string;
  due_at: CreatedAt;
}

export interface TombstoneTable {
  id: string;
  organization_id: string;
  removed_at: CreatedAt;
}

/** `draft`: made by the page of a new request, and not used by a request yet. */
export type AdSource = 'create_ad' | 'screenshot_request' | 'draft';

export interface AdTable {
  id: string;
  organization_id: string;
  campaign_id: string;
  lookup_key: string | null;
  name: string;
  kind: MediaType;
  content: string;
  given_width: number | null;
  given_height: number | null;
  status: Generated<AdStatus>;
  reason: string | null;
  category: 'display' | 'video' | null;
  width: number | null;
  height: number | null;
  preview_token: string | null;
  warnings: WarningsColumn;
  metadata: MetadataColumn;
  source: AdSource;
  created_at: CreatedAt;
  captured_at: MaybeTime;
  upload_id: ColumnType<string | null, string | null | undefined, never>;
}

export interface UploadTable {
  id: string;
  organization_id: string;
  name: string;
  format: CreativeFormat | null;
  content_type: string | null;
  bytes: number | null;
  sha256: string | null;
  created_at: CreatedAt;
  expires_at: MaybeTime;
}

export interface ScreenshotSetTable {
  id: string;
  organization_id: string;
  campaign_id: string;
  status: Generated<SetStatus>;
  instructions: string | null;
  metadata: MetadataColumn;
  review_notes: string | null;
  cancel_requested_at: MaybeTime;
  created_at: CreatedAt;
  settled_at: MaybeTime;
  approved_at: MaybeTime;
  retake_of: string | null;
  original_id: string | null;
}

export interface ScreenshotTable {
  id: string;
  set_id: string;
  seq: number;
  ad_id: string;
  site_url: string;
  site_key: string;
  device: DeviceName;
  marker_ms: number | null;
  status: Generated<ScreenshotStatus>;
  reason: string | null;
  image_token: string | null;
  captured_at: MaybeTime;
  record: JSONColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  job_index: number | null;
  warnings: WarningsColumn;
  options: JSONColumnType<OptionsJson | null, string | null | undefined, string | null>;
  retake_of: string | null;
  original_id: string | null;
  decision: Exclude<Decision, 'none'> | null;
}

export interface ReviewTable {
  id: Generated<string>;
  set_id: string;
  screenshot_id: string | null;
  decision: Decision;
  comment: string | null;
  key_id: string | null;
  created_at: CreatedAt;
}

export interface ShareLinkTable {
  id: string;
  organization_id: string;
  set_id: string;
  label: Generated<string>;
  created_by: string | null;
  created_at: CreatedAt;
  expires_at: Time;
  revoked_at: MaybeTime;
  last_used_at: MaybeTime;
  uses: Generated<number>;
  downloads: Generated<boolean>;
}

export interface RequestTemplateTable {
  id: string;
  organization_id: string;
  name: string;
  body: ColumnType<TemplateBody, string, string>;
  saved_by: string | null;
  created_at: CreatedAt;
  updated_at: ColumnType<Date, never, Date>;
}

export interface SubscriberTable {
  id: string;
  organization_id: string;
  ad_id: string | null;
  set_id: string | null;
  seq: number;
  webhook_url: string | null;
  webhook_topics: string[] | null;
  s3_bucket: string | null;
  s3_region: string | null;
  s3_key_prefix: string | null;
  s3_connector: string | null;
}

export interface WebhookEndpointTable {
  /** Also the id of its row in `subscribers`, which has the URL and the topics. */
  id: string;
  organization_id: string;
  description: Generated<string>;
  header_names: Generated<string[]>;
  headers: string | null;
  secret: string | null;
  previous_secret: string | null;
  secret_rotated_at: MaybeTime;
  disabled_at: MaybeTime;
  /** Why the service disabled it; null if a request did. */
  disabled_reason: string | null;
  /** Every delivery attempt since then failed. */
  failing_since: MaybeTime;
  created_at: CreatedAt;
  updated_at: ColumnType<Date, Date | undefined, Date>;
  deleted_at: MaybeTime;
}

export interface ScreenshotJobTable {
  id: string;
  name: string;
  organization_id: string;
  set_id: string | null;
  indexes: number;
  parallelism: number;
  generation: Generated<number>;
  admitted_at: CreatedAt;
  deadline_at: Time;
  progress: Generated<number>;
  settled_at: MaybeTime;
  outcome: string | null;
  launched_at: MaybeTime;
  problem: string | null;
  /** Its captures may take small sets, and another capture may take it. */
  small: Generated<boolean>;
  /** The capture that works on the job; null if the job has a Job of its own. */
  host_job_id: string | null;
  host_index: number | null;
  host_pod: string | null;
  hosted_at: MaybeTime;
}

export interface JobIndexTable {
  job_id: string;
  index: number;
  attempt: Generated<number>;
  pod: string | null;
  started_at: MaybeTime;
  finished_at: MaybeTime;
  /** Lease of a capture that may take small sets. */
  hosting_until: MaybeTime;
  hosting_ended_at: MaybeTime;
}

export interface JobCreativeTable {
  job_id: string;
  ad_id: string;
  wanted: JSONColumnType<{ marker_ms: number | null; ratio: number }[], string, string>;
  status: Generated<'pending' | 'rendered' | 'failed' | 'canceled'>;
  failure: AdFailure | null;
  reason: string | null;
  claimed_by_index: number | null;
  claimed_by_attempt: number | null;
  claim_expires_at: MaybeTime;
  claims_lost: Generated<number>;
  format: string | null;
  mode: string | null;
  notes: JSONColumnType<string[] | null, string | null | undefined, string | null>;
  width: number | null;
  height: number | null;
  warnings: WarningsColumn;
  resolved_at: MaybeTime;
}

export interface CreativeFrameTable {
  job_id: string;
  ad_id: string;
  /** -1: the default capture. */
  marker_ms: number;
  /** numeric arrives as a string. */
  ratio: ColumnType<string, number, never>;
  image_token: string;
}

export interface DeclaredUploadTable {
  job_id: string;
  picture: string;
  contents: string[];
}

export interface EventTable {
  id: string;
  organization_id: string;
  topic: EventTopic;
  body: string;
  created_at: CreatedAt;
  /** The ad or set that it is about, which may be removed. */
  ad_id: string | null;
  set_id: string | null;
}

export interface DeliveryTable {
  id: string;
  organization_id: string;
  event_id: string;
  subscriber_id: string;
  ad_id: string | null;
  set_id: string | null;
  channel: 'webhook' | 's3';
  target: string;
  status: Generated<'pending' | 'delivered' | 'retries_exhausted' | 'gone' | 'refused'>;
  attempts: Generated<number>;
  tries: Generated<number>;
  next_attempt_at: MaybeTime;
  replays: Generated<number>;
  created_at: CreatedAt;
  finished_at: MaybeTime;
  reason: string | null;
}

export interface DeliveryAttemptTable {
  delivery_id: string;
  attempt: number;
  started_at: Time;
  duration_ms: number;
  status_code: number | null;
  outcome: string;
  error: string | null;
  response_snippet: string | null;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  endpoint: string;
  key: string;
  body_sha256: Buffer;
  status_code: number | null;
  response: string | null;
  created_at: CreatedAt;
}

export interface ExportTable {
  id: string;
  organization_id: string;
  set_id: string;
  token: string;
  format: ExportFormat;
  options: JSONColumnType<ExportOptions, string, never>;
  fingerprint: string;
  status: Generated<ExportStatus>;
  attempt: Generated<number>;
  done: Generated<number>;
  total: number;
  parts: number;
  artifact_key: string | null;
  file_name: string;
  /** bigint arrives as a string. */
  bytes: ColumnType<string | null, number | null | undefined, number | null>;
  sha256: string | null;
  reason: string | null;
  created_at: CreatedAt;
  finished_at: MaybeTime;
  expires_at: MaybeTime;
}

export interface BrandingTable {
  organization_id: string;
  brand_name: string | null;
  accent_color: string;
  footer_text: string | null;
  page_size: PageSize;
  logo_token: string | null;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

export interface AuditLogTable {
  id: ColumnType<string, never, never>;
  organization_id: ColumnType<string, string, never>;
  created_at: ColumnType<Date, never, never>;
  actor_type: ColumnType<ActorType, ActorType, never>;
  actor_key_id: ColumnType<string | null, string | null, never>;
  actor_name: ColumnType<string | null, string | null, never>;
  action: ColumnType<AuditAction, AuditAction, never>;
  object_type: ColumnType<string, string, never>;
  object_id: ColumnType<string | null, string | null, never>;
  changes: ColumnType<FieldChange[], string, never>;
  address: ColumnType<string | null, string | null, never>;
  request_id: ColumnType<string | null, string | null, never>;
}

export interface Schema {
  installation: InstallationTable;
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  ended_sessions: EndedSessionTable;
  s3_connectors: S3ConnectorTable;
  campaigns: CampaignTable;
  images: ImageTable;
  tombstones: TombstoneTable;
  ads: AdTable;
  removed_files: RemovedFileTable;
  uploads: UploadTable;
  screenshot_sets: ScreenshotSetTable;
  screenshots: ScreenshotTable;
  reviews: ReviewTable;
  share_links: ShareLinkTable;
  request_templates: RequestTemplateTable;
  subscribers: SubscriberTable;
  webhook_endpoints: WebhookEndpointTable;
  screenshot_jobs: ScreenshotJobTable;
  job_indexes: JobIndexTable;
  job_creatives: JobCreativeTable;
  creative_frames: CreativeFrameTable;
  declared_uploads: DeclaredUploadTable;
  events: EventTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  idempotency_keys: IdempotencyKeyTable;
  exports: ExportTable;
  branding: BrandingTable;
  audit_log: AuditLogTable;
}
