/** The tables as kysely sees them. `make generate` writes this file from `migrations/`. */
import type { ColumnType, Generated } from 'kysely';
import type { CheckSettings } from '../contract/creativeCheck.ts';
import type { CreativeFacts } from '../contract/creativeFacts.ts';
import type { SlotsRecord } from '../contract/placements.ts';
import type { SiteListBody, TemplateBody } from '../contract/savedObjects.ts';
import type { SiteRuleBody } from '../contract/siteRules.ts';
import type { OptionsJson } from '../contract/storedOptions.ts';
import type { AdSize } from '../domain/ads.ts';
import type { MadeFilm, StoredAnimation, WantedFilm } from '../domain/animations.ts';
import type { AuditAction, FieldChange } from '../domain/auditLog.ts';
import type { WantedFrame } from '../domain/batches.ts';
import type { StorageClass } from '../domain/connectors.ts';
import type { DeviceName } from '../domain/devices.ts';
import type { ExportOptions } from '../domain/exports.ts';
import type { PlanWords } from '../domain/mediaPlans.ts';
import type { Metadata } from '../domain/metadata.ts';
import type { NoticeFacts, NoticeKind } from '../domain/notices.ts';
import type { ScheduleRule } from '../domain/schedules.ts';
import type { Language } from '../domain/texts/languages.ts';
import type { EventTopic } from '../domain/topics.ts';
import type { UploadFormat } from '../domain/uploads.ts';
import type { Warning } from '../domain/warnings.ts';

type Time = ColumnType<Date, Date | string, Date | string>;
/** Arrives as a string, because a number of JavaScript may be too small for it. */
type Numeric = ColumnType<string, number | string, number | string>;
type Json<T> = ColumnType<T, string, string>;
type Nullable<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S | null, I | null, U | null>
  : T | null;
/** A column that the database fills if an insert does not. */
type Filled<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S, I | undefined, U> : Generated<T>;

export interface Schema {
  ads: {
    id: string;
    organization_id: string;
    campaign_id: string;
    lookup_key: Nullable<string>;
    name: string;
    kind: 'url' | 'html_tag' | 'upload';
    content: string;
    upload_id: Nullable<string>;
    given_width: Nullable<number>;
    given_height: Nullable<number>;
    status: Filled<'pending' | 'uploaded' | 'not_found' | 'net_read_timeout' | 'generic_error'>;
    reason: Nullable<string>;
    category: Nullable<'display' | 'video'>;
    width: Nullable<number>;
    height: Nullable<number>;
    preview_token: Nullable<string>;
    warnings: Filled<Json<Warning[]>>;
    metadata: Filled<Json<Metadata>>;
    source: 'create_ad' | 'screenshot_request' | 'draft';
    created_at: Filled<Time>;
    captured_at: Nullable<Time>;
    traceparent: Nullable<string>;
    facts: Nullable<Json<CreativeFacts>>;
  };
  api_keys: {
    id: string;
    organization_id: string;
    name: Filled<string>;
    secret_sha256: Buffer;
    scopes: string[];
    created_at: Filled<Time>;
    expires_at: Nullable<Time>;
    revoked_at: Nullable<Time>;
    last_used_at: Nullable<Time>;
    created_by: Nullable<string>;
    created_by_user: Nullable<string>;
  };
  audit_log: {
    id: Filled<string>;
    organization_id: string;
    created_at: Filled<Time>;
    actor_type: 'api_key' | 'session' | 'operator' | 'anonymous' | 'service';
    actor_key_id: Nullable<string>;
    actor_user_id: Nullable<string>;
    actor_name: Nullable<string>;
    action: AuditAction;
    object_type: string;
    object_id: Nullable<string>;
    changes: Filled<Json<FieldChange[]>>;
    address: Nullable<string>;
    request_id: Nullable<string>;
  };
  branding: {
    organization_id: string;
    brand_name: Nullable<string>;
    accent_color: string;
    footer_text: Nullable<string>;
    page_size: '16:9' | 'a4' | 'letter';
    logo_token: Nullable<string>;
    updated_at: Filled<Time>;
  };
  campaigns: {
    id: string;
    organization_id: string;
    name: string;
    created_at: Filled<Time>;
    active_at: Filled<Time>;
    logo_token: Nullable<string>;
  };
  comments: {
    id: string;
    organization_id: string;
    set_id: string;
    screenshot_id: Nullable<string>;
    thread_id: Nullable<string>;
    body: string;
    pin_x: Nullable<number>;
    pin_y: Nullable<number>;
    key_id: Nullable<string>;
    user_id: Nullable<string>;
    share_id: Nullable<string>;
    client_name: Nullable<string>;
    client_email: Nullable<string>;
    client_address: Nullable<string>;
    created_at: Filled<Time>;
    resolved_at: Nullable<Time>;
    resolved_by: Nullable<string>;
    resolved_by_user: Nullable<string>;
  };
  creative_frames: {
    job_id: string;
    ad_id: string;
    marker_ms: number;
    ratio: Numeric;
    image_token: string;
  };
  declared_uploads: {
    job_id: string;
    picture: string;
    contents: string[];
  };
  deliveries: {
    id: string;
    organization_id: string;
    event_id: string;
    subscriber_id: Nullable<string>;
    user_id: Nullable<string>;
    chat_id: Nullable<string>;
    ad_id: Nullable<string>;
    set_id: Nullable<string>;
    channel: 'webhook' | 's3' | 'email' | 'chat';
    target: string;
    status: Filled<'pending' | 'delivered' | 'retries_exhausted' | 'gone' | 'refused'>;
    reason: Nullable<string>;
    attempts: Filled<number>;
    tries: Filled<number>;
    next_attempt_at: Nullable<Time>;
    replays: Filled<number>;
    created_at: Filled<Time>;
    finished_at: Nullable<Time>;
  };
  delivery_attempts: {
    delivery_id: string;
    attempt: number;
    started_at: Time;
    duration_ms: number;
    status_code: Nullable<number>;
    outcome: string;
    error: Nullable<string>;
    response_snippet: Nullable<string>;
  };
  drafts: {
    organization_id: string;
    key_id: Nullable<string>;
    user_id: Nullable<string>;
    id: string;
    body: Json<Record<string, unknown>>;
    updated_at: Filled<Time>;
  };
  ended_sessions: {
    id: string;
    expires_at: Time;
  };
  events: {
    id: string;
    organization_id: string;
    topic: EventTopic;
    body: string;
    created_at: Filled<Time>;
    ad_id: Nullable<string>;
    set_id: Nullable<string>;
    traceparent: Nullable<string>;
  };
  exports: {
    id: string;
    organization_id: string;
    set_id: Nullable<string>;
    token: string;
    format: 'pptx' | 'pdf' | 'zip';
    options: Json<ExportOptions>;
    fingerprint: string;
    status: Filled<'pending' | 'building' | 'ready' | 'failed' | 'expired'>;
    attempt: Filled<number>;
    done: Filled<number>;
    total: number;
    parts: number;
    artifact_key: Nullable<string>;
    file_name: string;
    bytes: Nullable<Numeric>;
    sha256: Nullable<string>;
    reason: Nullable<string>;
    created_at: Filled<Time>;
    finished_at: Nullable<Time>;
    expires_at: Nullable<Time>;
    campaign_id: Nullable<string>;
  };
  idempotency_keys: {
    organization_id: string;
    endpoint: string;
    key: string;
    body_sha256: Buffer;
    status_code: Nullable<number>;
    response: Nullable<string>;
    created_at: Filled<Time>;
  };
  images: {
    token: string;
    organization_id: string;
    artifact_key: string;
    content_type: Filled<string>;
    width: number;
    height: number;
    bytes: number;
    sha256: string;
    created_at: Filled<Time>;
  };
  installation: {
    singleton: Filled<boolean>;
    id: Filled<string>;
    epoch: Filled<Numeric>;
    secret: Buffer;
    stopped_until: Nullable<Time>;
    sends_mail: Filled<boolean>;
  };
  invitations: {
    id: string;
    organization_id: string;
    email: string;
    role: 'owner' | 'manager' | 'reviewer' | 'viewer';
    token_sha256: Buffer;
    mailed: boolean;
    created_at: Filled<Time>;
    expires_at: Time;
  };
  job_creatives: {
    job_id: string;
    ad_id: string;
    wanted: Json<WantedFrame[]>;
    wanted_films: Filled<Json<WantedFilm[]>>;
    status: Filled<'pending' | 'rendered' | 'failed' | 'canceled'>;
    failure: Nullable<'not_found' | 'net_read_timeout' | 'generic_error'>;
    reason: Nullable<string>;
    claimed_by_index: Nullable<number>;
    claimed_by_attempt: Nullable<number>;
    claim_expires_at: Nullable<Time>;
    claims_lost: Filled<number>;
    format: Nullable<string>;
    mode: Nullable<string>;
    notes: Nullable<Json<string[]>>;
    width: Nullable<number>;
    height: Nullable<number>;
    warnings: Filled<Json<Warning[]>>;
    films: Filled<Json<MadeFilm[]>>;
    resolved_at: Nullable<Time>;
  };
  job_indexes: {
    job_id: string;
    index: number;
    attempt: Filled<number>;
    pod: Nullable<string>;
    started_at: Nullable<Time>;
    finished_at: Nullable<Time>;
    hosting_until: Nullable<Time>;
    hosting_ended_at: Nullable<Time>;
  };
  latest_answers: {
    screenshot_id: string;
    answer_id: string;
  };
  memberships: {
    organization_id: string;
    user_id: string;
    role: 'owner' | 'manager' | 'reviewer' | 'viewer';
    by_rule: Filled<boolean>;
    created_at: Filled<Time>;
  };
  notice_addresses: {
    user_id: string;
    time_zone: Filled<string>;
    refused_email: Nullable<string>;
    refusals: Filled<number>;
    refused_reason: Nullable<string>;
  };
  notice_chats: {
    id: string;
    organization_id: string;
    name: string;
    kind: 'slack' | 'teams' | 'webhook';
    address: string;
    host: string;
    notices: NoticeKind[];
    disabled_at: Nullable<Time>;
    disabled_reason: Nullable<string>;
    created_at: Filled<Time>;
  };
  notice_choices: {
    organization_id: string;
    user_id: string;
    kind: NoticeKind;
    timing: 'now' | 'hour' | 'day' | 'none';
  };
  notices: {
    id: Filled<string>;
    organization_id: string;
    user_id: Nullable<string>;
    chat_id: Nullable<string>;
    kind: NoticeKind;
    set_id: Nullable<string>;
    subject_id: Nullable<string>;
    facts: Json<NoticeFacts>;
    times: Filled<number>;
    pictures: Filled<number>;
    timing: 'now' | 'hour' | 'day';
    is_deferred: Filled<boolean>;
    created_at: Filled<Time>;
    due_at: Time;
  };
  organizations: {
    id: string;
    slug: string;
    review: Filled<'automatic' | 'partial' | 'manual'>;
    disabled_at: Nullable<Time>;
    webhook_secret: string;
    previous_webhook_secret: Nullable<string>;
    webhook_secret_rotated_at: Nullable<Time>;
    created_at: Filled<Time>;
    pictures_per_day: Nullable<number>;
    running_captures: Nullable<number>;
    set_retention_days: Nullable<number>;
    default_priority: Filled<'low' | 'normal' | 'high'>;
    max_priority: Filled<'low' | 'normal' | 'high'>;
    deletion_started_at: Nullable<Time>;
    deleted_at: Nullable<Time>;
    creative_check: Filled<Json<CheckSettings>>;
    time_zone: Filled<string>;
    language: Filled<Language>;
    plan_words: Filled<Json<PlanWords>>;
  };
  page_access: {
    id: string;
    set_id: string;
    content: string;
  };
  placements: {
    id: string;
    organization_id: string;
    site_url: string;
    device: DeviceName;
    sizes: Json<AdSize[]>;
    status: Filled<
      | 'pending'
      | 'uploaded'
      | 'ad_not_captured'
      | 'net_read_timeout'
      | 'no_slots'
      | 'not_found'
      | 'blocked'
      | 'generic_error'
      | 'canceled'
    >;
    reason: Nullable<string>;
    image_token: Nullable<string>;
    captured_at: Nullable<Time>;
    record: Nullable<Json<SlotsRecord>>;
    created_at: Filled<Time>;
    expires_at: Time;
    traceparent: Nullable<string>;
  };
  rate_buckets: {
    key: string;
    full_at: Time;
  };
  removed_files: {
    key: string;
    due_at: Filled<Time>;
  };
  request_templates: {
    id: string;
    organization_id: string;
    name: string;
    body: Json<TemplateBody>;
    saved_by: Nullable<string>;
    created_at: Filled<Time>;
    updated_at: Filled<Time>;
  };
  reviews: {
    id: Filled<Numeric>;
    set_id: string;
    screenshot_id: Nullable<string>;
    decision: 'approved' | 'rejected' | 'none';
    comment: Nullable<string>;
    key_id: Nullable<string>;
    user_id: Nullable<string>;
    created_at: Filled<Time>;
  };
  s3_connectors: {
    organization_id: string;
    name: Filled<string>;
    endpoint: Nullable<string>;
    region: string;
    access_key_id: Nullable<string>;
    secret_access_key: Nullable<string>;
    role_arn: Nullable<string>;
    force_path_style: Filled<boolean>;
    encryption: Nullable<'AES256' | 'aws:kms'>;
    kms_key_id: Nullable<string>;
    storage_class: Nullable<StorageClass>;
    updated_at: Filled<Time>;
    check_bucket: Nullable<string>;
    check_region: Nullable<string>;
    check_key_prefix: Nullable<string>;
    check_status: Nullable<'pending' | 'passed' | 'failed'>;
    check_message: Nullable<string>;
    check_requested_at: Nullable<Time>;
    check_finished_at: Nullable<Time>;
  };
  schedule_runs: {
    schedule_id: string;
    due_at: Time;
    ran_at: Filled<Time>;
    outcome: 'requested' | 'refused' | 'skipped';
    set_id: Nullable<string>;
    reason: Nullable<string>;
  };
  schedules: {
    id: string;
    organization_id: string;
    name: string;
    campaign_id: string;
    request: string;
    rule: Json<ScheduleRule>;
    time_zone: string;
    starts_at: Time;
    ends_at: Time;
    missed: 'once' | 'skip';
    paused_at: Nullable<Time>;
    paused_reason: Nullable<string>;
    due_at: Nullable<Time>;
    woken_at: Nullable<Time>;
    refused_runs: Filled<number>;
    created_at: Filled<Time>;
    updated_at: Filled<Time>;
  };
  screenshot_jobs: {
    id: string;
    name: string;
    organization_id: string;
    set_id: Nullable<string>;
    indexes: number;
    parallelism: number;
    generation: Filled<number>;
    admitted_at: Filled<Time>;
    launched_at: Nullable<Time>;
    deadline_at: Time;
    progress: Filled<number>;
    problem: Nullable<string>;
    settled_at: Nullable<Time>;
    outcome: Nullable<string>;
    small: Filled<boolean>;
    host_job_id: Nullable<string>;
    host_index: Nullable<number>;
    host_pod: Nullable<string>;
    hosted_at: Nullable<Time>;
    traceparent: Nullable<string>;
  };
  screenshot_sets: {
    id: string;
    organization_id: string;
    campaign_id: string;
    status: Filled<'draft' | 'capturing' | 'in_review' | 'approved' | 'rejected' | 'failed' | 'canceled'>;
    name: Nullable<string>;
    priority: Filled<'low' | 'normal' | 'high'>;
    instructions: Nullable<string>;
    metadata: Filled<Json<Metadata>>;
    review_notes: Nullable<string>;
    cancel_requested_at: Nullable<Time>;
    created_at: Filled<Time>;
    first_picture_at: Nullable<Time>;
    settled_at: Nullable<Time>;
    approved_at: Nullable<Time>;
    schedule_id: Nullable<string>;
    traceparent: Nullable<string>;
    retake_of: Nullable<string>;
    original_id: Nullable<string>;
    contents: Nullable<string>;
    nth: Filled<number>;
    round: Filled<number>;
  };
  screenshots: {
    id: string;
    set_id: string;
    seq: number;
    ad_id: string;
    site_url: string;
    site_key: string;
    device: DeviceName;
    marker_ms: Nullable<number>;
    options: Nullable<Json<OptionsJson>>;
    status: Filled<
      | 'pending'
      | 'uploaded'
      | 'ad_not_captured'
      | 'net_read_timeout'
      | 'no_slots'
      | 'not_found'
      | 'blocked'
      | 'generic_error'
      | 'canceled'
    >;
    reason: Nullable<string>;
    warnings: Filled<Json<Warning[]>>;
    image_token: Nullable<string>;
    captured_at: Nullable<Time>;
    record: Nullable<Json<Record<string, unknown>>>;
    animation: Nullable<Json<StoredAnimation>>;
    page_access_id: Nullable<string>;
    job_index: Nullable<number>;
    retake_of: Nullable<string>;
    original_id: Nullable<string>;
    decision: Nullable<'approved' | 'rejected'>;
    page_token: Nullable<string>;
    page_upload_id: Nullable<string>;
  };
  set_search: {
    set_id: string;
    words: string;
    stale: Filled<boolean>;
  };
  share_answers: {
    id: string;
    organization_id: string;
    share_id: string;
    set_id: string;
    screenshot_id: Nullable<string>;
    pictures: number;
    answer: 'approved' | 'changes_requested';
    comment_id: Nullable<string>;
    client_name: string;
    client_email: string;
    client_address: Nullable<string>;
    created_at: Filled<Time>;
  };
  share_followers: {
    id: Filled<string>;
    share_id: string;
    email: string;
    asked_at: Filled<Time>;
    confirmed_at: Nullable<Time>;
    told_at: Nullable<Time>;
    next_attempt_at: Filled<Time>;
    attempts: Filled<number>;
  };
  share_links: {
    id: string;
    organization_id: string;
    set_id: Nullable<string>;
    label: Filled<string>;
    downloads: Filled<boolean>;
    answers: Filled<boolean>;
    password_hash: Nullable<Buffer>;
    pictures: Filled<'all' | 'approved'>;
    created_by: Nullable<string>;
    created_by_user: Nullable<string>;
    created_at: Filled<Time>;
    expires_at: Time;
    revoked_at: Nullable<Time>;
    last_used_at: Nullable<Time>;
    uses: Filled<number>;
    screenshot_ids: Nullable<string[]>;
    campaign_id: Nullable<string>;
  };
  sign_in_links: {
    token_sha256: Buffer;
    user_id: string;
    browser_sha256: Nullable<Buffer>;
    next: Filled<string>;
    expires_at: Time;
  };
  site_lists: {
    id: string;
    organization_id: string;
    name: string;
    body: Json<SiteListBody>;
    saved_by: Nullable<string>;
    created_at: Filled<Time>;
    updated_at: Filled<Time>;
  };
  site_rules: {
    id: string;
    organization_id: string;
    host: string;
    path: string;
    device: 'all' | 'desktop' | 'tablet' | 'phone';
    note: Filled<string>;
    body: Json<SiteRuleBody>;
    access: Nullable<string>;
    last_acted_at: Nullable<Time>;
    last_missed_at: Nullable<Time>;
    created_at: Filled<Time>;
    updated_at: Filled<Time>;
  };
  subscribers: {
    id: string;
    organization_id: string;
    ad_id: Nullable<string>;
    set_id: Nullable<string>;
    seq: number;
    webhook_url: Nullable<string>;
    webhook_topics: Nullable<string[]>;
    s3_bucket: Nullable<string>;
    s3_region: Nullable<string>;
    s3_key_prefix: Nullable<string>;
    s3_connector: Nullable<string>;
  };
  tombstones: {
    id: string;
    organization_id: string;
    removed_at: Filled<Time>;
  };
  uploads: {
    id: string;
    organization_id: string;
    name: string;
    format: Nullable<UploadFormat>;
    content_type: Nullable<string>;
    bytes: Nullable<number>;
    sha256: Nullable<string>;
    created_at: Filled<Time>;
    expires_at: Nullable<Time>;
  };
  usage_days: {
    organization_id: string;
    day: Time;
    pictures: number;
  };
  user_identities: {
    issuer: string;
    subject: string;
    user_id: string;
    created_at: Filled<Time>;
  };
  user_sessions: {
    id: string;
    token_sha256: Buffer;
    user_id: string;
    method: 'provider' | 'link';
    id_token: Nullable<string>;
    user_agent: Nullable<string>;
    address: Nullable<string>;
    created_at: Filled<Time>;
    last_used_at: Filled<Time>;
    expires_at: Time;
  };
  users: {
    id: string;
    email: Nullable<string>;
    name: string;
    created_at: Filled<Time>;
    language: Nullable<Language>;
  };
  webhook_endpoints: {
    id: string;
    organization_id: string;
    description: Filled<string>;
    header_names: Filled<string[]>;
    headers: Nullable<string>;
    secret: Nullable<string>;
    previous_secret: Nullable<string>;
    secret_rotated_at: Nullable<Time>;
    disabled_at: Nullable<Time>;
    disabled_reason: Nullable<string>;
    failing_since: Nullable<Time>;
    created_at: Filled<Time>;
    updated_at: Filled<Time>;
    deleted_at: Nullable<Time>;
  };
}
