// biome-ignore-all lint/performance/noBarrelFile: a program imports a package from one file.
// biome-ignore-all lint/performance/noReExportAll: every type of the reference is for programs.
export type { CallOptions } from "./caller.ts";
export type { ClientOptions } from "./client-options.ts";
export { Disburse } from "./disburse.ts";
export {
  type ClientErrorCode,
  DisburseError,
  type ErrorKind,
  isDisburseError,
} from "./disburse-error.ts";
export type * from "./gen/resources.ts";
export type * from "./gen/types.ts";
export type { Page, PageRequest } from "./page.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify-webhook.ts";
