/** The tables as kysely sees them; the truth is in `migrations/`. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { OptionsJson } from '../../contract/optionsJson.ts';
import type { DeviceName } from '../../domain/devices.ts';
import type { AdFailure, AdStatus, ScreenshotStatus, SetStatus } from '../../domain/states.ts';
import type { Topic } from '../../domain/topics.ts';
import type { Warning } from '../../domain/warnings.ts';

type Time = ColumnType<Date, Date | string, Date | string>;
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type WarningsColumn = JSONColumnType<Warning[], string | undefined, string>;
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
  review: Generated<'automatic' | 'manual'>;
  disabled_at: MaybeTime;
  webhook_secret: string;
  previous_webhook_secret: string | null;
  webhook_secret_rotated_at: MaybeTime;
  created_at: CreatedAt;
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
}

export interface S3ConnectorTable {
  organization_id: string;
  endpoint: string | null;
  region: string;
  access_key_id: string;
  secret_access_key: string;
  force_path_style: Generated<boolean>;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

export interface CampaignTable {
  id: string;
  organization_id: string;
  name: string;
  created_at: CreatedAt;
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

export interface AdTable {
  id: string;
  organization_id: string;
  campaign_id: string;
  lookup_key: string | null;
  name: string;
  kind: 'url' | 'html_tag';
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
  source: 'create_ad' | 'screenshot_request';
  created_at: CreatedAt;
  captured_at: MaybeTime;
}

export interface ScreenshotSetTable {
  id: string;
  organization_id: string;
  campaign_id: string;
  status: Generated<SetStatus>;
  instructions: string | null;
  review_notes: string | null;
  cancel_requested_at: MaybeTime;
  created_at: CreatedAt;
  settled_at: MaybeTime;
  approved_at: MaybeTime;
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
}

export interface JobIndexTable {
  job_id: string;
  index: number;
  attempt: Generated<number>;
  pod: string | null;
  started_at: MaybeTime;
  finished_at: MaybeTime;
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
  topic: Topic;
  body: string;
  created_at: CreatedAt;
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
  status: Generated<'pending' | 'delivered' | 'retries_exhausted' | 'gone'>;
  attempts: Generated<number>;
  tries: Generated<number>;
  next_attempt_at: MaybeTime;
  replays: Generated<number>;
  created_at: CreatedAt;
  finished_at: MaybeTime;
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

export interface Schema {
  installation: InstallationTable;
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  s3_connectors: S3ConnectorTable;
  campaigns: CampaignTable;
  images: ImageTable;
  ads: AdTable;
  screenshot_sets: ScreenshotSetTable;
  screenshots: ScreenshotTable;
  subscribers: SubscriberTable;
  screenshot_jobs: ScreenshotJobTable;
  job_indexes: JobIndexTable;
  job_creatives: JobCreativeTable;
  creative_frames: CreativeFrameTable;
  declared_uploads: DeclaredUploadTable;
  events: EventTable;
  deliveries: DeliveryTable;
  delivery_attempts: DeliveryAttemptTable;
  idempotency_keys: IdempotencyKeyTable;
}
