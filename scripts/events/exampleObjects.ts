/** The `data.object` of an example event for each topic. */
import type { AdRecord, ScreenshotSetRecord } from '../../src/contract/records.ts';
import type { ShareAnswerRecord } from '../../src/contract/sharing.ts';
import type { WebhookEndpointRecord } from '../../src/contract/webhookEndpoints.ts';
import type { WebhookTopic } from '../../src/domain/topics.ts';

const SERVICE = 'https://tearsheet.example';
const AT = '2026-11-20T09:30:00.000+00:00';

const summary = {
  type: 'ad',
  id: '0d6a9c52-6a0e-4b7e-9a54-6d1f0c1f7a11',
  name: 'Spring, medium rectangle',
  lookup_key: 'spring-300x250',
  status: 'uploaded',
  category: 'display',
  kind: 'url',
  campaign_id: '5b8f7f0e-41f4-4a5c-8a4c-3f3d0a4f2b22',
  created_at: AT,
  html_url: `${SERVICE}/o/acme/ads/0d6a9c52-6a0e-4b7e-9a54-6d1f0c1f7a11`,
  metadata: { booking: '4711' },
} as const;

const uploadedAd: AdRecord = {
  ...summary,
  preview_image_url: `${SERVICE}/i/kX3v9…/preview.png`,
  width: 300,
  height: 250,
  warnings: [],
};

const failedAd: AdRecord = {
  ...summary,
  status: 'not_found',
  category: null,
  preview_image_url: null,
  width: null,
  height: null,
  warnings: [],
  reason: 'https://cdn.example/spring.zip answered with HTTP status 404: the creative does not exist there.',
};

const picture: ScreenshotSetRecord['screenshots'][number] = {
  id: '7c1de0a4-90b3-4f43-8d5e-1a9f4f0b3c33',
  status: 'uploaded',
  site: { url: 'https://news.example' },
  device: { name: 'desktop' },
  frame: { marker: null },
  image_url: `${SERVICE}/i/Qm81z…/screenshot.png`,
  width: 1440,
  height: 900,
  animation: null,
  captured_at: AT,
  warnings: [],
  ad: summary,
  retake_of: null,
  retaken_by: null,
  review: null,
};

const failedPicture: ScreenshotSetRecord['screenshots'][number] = {
  ...picture,
  status: 'no_slots',
  image_url: null,
  width: null,
  height: null,
  captured_at: null,
  reason: 'The page has no slot for an ad of 300 × 250.',
};

const approvedSet: ScreenshotSetRecord = {
  type: 'screenshot_set',
  id: 'e2b7c1d8-3a52-4f0d-b1a5-8c7f6e5d4c44',
  status: 'approved',
  campaign_id: summary.campaign_id,
  created_at: AT,
  html_url: `${SERVICE}/o/acme/sets/e2b7c1d8-3a52-4f0d-b1a5-8c7f6e5d4c44`,
  metadata: {},
  priority: 'normal',
  name: null,
  schedule_id: null,
  instructions: null,
  review_notes: null,
  retake_of: null,
  retaken_by: null,
  review: null,
  screenshots: [picture],
};

const disabledEndpoint: WebhookEndpointRecord = {
  type: 'webhook_endpoint',
  id: '9a4f3b2c-5d6e-4f70-8192-a3b4c5d6e755',
  url: 'https://old.you.example/hook',
  topics: ['ad.uploaded', 'screenshot_set.approved'],
  description: 'Reporting',
  header_names: [],
  disabled: true,
  disabled_at: AT,
  disabled_reason: 'Every delivery attempt since 2026-11-15T09:29:00.000+00:00 failed, for more than 5 days.',
  failing_since: '2026-11-15T09:29:00.000+00:00',
  secret_created_at: '2026-10-01T08:00:00.000+00:00',
  previous_secret_until: null,
  created_at: '2026-10-01T08:00:00.000+00:00',
  updated_at: AT,
};

const answer: ShareAnswerRecord = {
  type: 'share_answer',
  id: '3f1b7a90-2c4d-4e5f-8a6b-7c8d9e0f1a66',
  screenshot_set_id: approvedSet.id,
  share: { id: '6a5b4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c77', label: 'For the client' },
  screenshot_id: picture.id,
  pictures: 1,
  answer: 'changes_requested',
  comment: 'Please use the new logo.',
  comment_id: '8e7d6c5b-4a39-4281-9706-f5e4d3c2b188',
  client: { name: 'Anna Client', email: 'anna@client.example', ip_address: '203.0.113.7' },
  created_at: AT,
};

export const EXAMPLE_OBJECTS: Readonly<Record<WebhookTopic, object>> = {
  'ad.uploaded': uploadedAd,
  'ad.failed': failedAd,
  'screenshot_set.approved': approvedSet,
  'screenshot_set.failed': { ...approvedSet, status: 'failed', screenshots: [failedPicture] },
  'screenshot_set.rejected': {
    ...approvedSet,
    status: 'rejected',
    review_notes: 'The logo is cut off.',
    review: {
      decision: 'rejected',
      comment: 'The logo is cut off.',
      by: { key_id: '1a2b3c4d', name: 'Review' },
      by_user: null,
      at: AT,
    },
  },
  'screenshot_set.reopened': {
    ...approvedSet,
    status: 'in_review',
    review: { decision: 'none', comment: null, by: { key_id: '1a2b3c4d', name: 'Review' }, by_user: null, at: AT },
  },
  'screenshot_set.progress': { ...approvedSet, status: 'capturing' },
  'share.answered': answer,
  'webhook_endpoint.disabled': disabledEndpoint,
  'webhook.test': { type: 'test', message: 'A person sent this event to try the webhook. Nothing happened.' },
};
