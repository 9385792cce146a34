export type { Answer, CallOptions, ClientOptions, FileContent, Page } from './call.ts';
export { Tearsheet, type WaitOptions } from './client.ts';
export { ApiError, ConnectionError, DeadlineError, SignatureError, TearsheetError } from './errors.ts';
export type * from './generated/models.ts';
export type * from './generated/operations.ts';
export { verifyWebhook, type WebhookMessage } from './webhook.ts';
