export { ApiError, type CallOptions, type Service } from './call.ts';
export { type Client, createClient, type WaitOptions, waitForScreenshotSet } from './client.ts';
export type * from './generated/operations.ts';
export { SignatureError, verifyWebhook, type WebhookEvent, type WebhookMessage } from './webhook.ts';
