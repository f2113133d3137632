// biome-ignore-all lint/performance/noBarrelFile: a program imports a package from one file.
// biome-ignore-all lint/performance/noReExportAll: every type of the reference is for programs.
export type { CallOptions, DownloadedFile } from "./caller.ts";
export type { ClientOptions } from "./client-options.ts";
export { type Column, csvOf } from "./csv.ts";
export { Disburse } from "./disburse.ts";
export {
  type ClientErrorCode,
  DisburseError,
  type ErrorKind,
  isDisburseError,
  type Violation,
} from "./disburse-error.ts";
export { type EventFeed, type EventFeedOptions, eventFeed, type FeedEvent } from "./event-feed.ts";
export {
  type EventPosition,
  type EventPositions,
  type EventStanding,
  eventStanding,
  type HandleOnce,
  type OrderedEvent,
  onceInOrder,
  positionAfter,
} from "./event-order.ts";
export type * from "./gen/resources.ts";
export type * from "./gen/types.ts";
export type { Page, PageRequest } from "./page.ts";
export { type SignedWebhook, type SignWebhookOptions, signWebhook } from "./sign-webhook.ts";
export {
  type ReceiptKeys,
  type ReceiptRefusal,
  ReceiptVerificationError,
  verifyReceipt,
} from "./verify-receipt.ts";
export {
  type VerifiedEvent,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify-webhook.ts";
