// Generated out of docs/openapi.json by `npm run generate`; not edited by hand.

import { type CallOptions, type Caller, segment } from "../caller.ts";
import { PageRequest } from "../page.ts";
import type {
  Account,
  Beneficiary,
  BeneficiaryForms,
  Corridor,
  CreateCryptoBeneficiaryQuery,
  CreateCryptoBeneficiaryRequest,
  CreateDepositorRequest,
  CreateEndpointRequest,
  CreateFiatBeneficiaryQuery,
  CreateFiatBeneficiaryRequest,
  CreateReplayRequest,
  CreatedBeneficiary,
  CreatedDepositor,
  DeletedWebhookEndpoint,
  Depositor,
  ExecutePayoutRequest,
  ExecutedPayout,
  GetAccountQuery,
  LedgerEntry,
  ListAccountsQuery,
  ListBeneficiariesQuery,
  ListBeneficiaryFormsQuery,
  ListCorridorsQuery,
  ListDepositorsQuery,
  ListEntriesQuery,
  ListPayoutEventsQuery,
  ListPayoutsQuery,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  ListWebhookEventsQuery,
  ListWebhookReplaysQuery,
  Payout,
  PayoutEvent,
  PayoutItem,
  Quote,
  RequestForQuoteRequest,
  RotateSecretRequest,
  UpdateEndpointRequest,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
  WebhookEndpointWithHealth,
  WebhookEndpointWithSecrets,
  WebhookEventPage,
  WebhookReplay,
} from "./types.ts";

/** Recipients: bank accounts and wallets. */
export class Beneficiaries {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Create crypto beneficiary.
   *
   * Registers a wallet to be paid. The wallet is checked before it is stored, its owner is screened when it has been. The answer does not tell how the screening went: read `screening_status` before you quote; only a `cleared` beneficiary can be paid. What can be paid is what List corridors tells.
   *
   * Scope: `beneficiary:write`.
   *
   * Refusals of its own: `INVALID_WALLET_ADDRESS`, `RISK_ANALYSIS_FAILED`, `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`.
   *
   * Operation `createCryptoBeneficiary` of the reference.
   */
  createCrypto(body: CreateCryptoBeneficiaryRequest, options?: CallOptions & { readonly validate?: false | undefined }): Promise<Required<Omit<CreatedBeneficiary, "valid">>>;
  createCrypto(body: CreateCryptoBeneficiaryRequest, options: CallOptions & { readonly validate: true }): Promise<Required<Pick<CreatedBeneficiary, "valid">>>;
  createCrypto(body: CreateCryptoBeneficiaryRequest, options: CallOptions & { readonly validate?: boolean | undefined }): Promise<CreatedBeneficiary>;
  createCrypto(body: CreateCryptoBeneficiaryRequest, options: CallOptions & CreateCryptoBeneficiaryQuery = {}): Promise<CreatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/crypto/beneficiary`, body, query: { validate: options.validate } }, options);
  }

  /**
   * Create fiat beneficiary.
   *
   * Registers a bank account to be paid. Its owner is screened when it has been stored. The answer does not tell how the screening went: read `screening_status` before you quote; only a `cleared` beneficiary can be paid.
   *
   * Scope: `beneficiary:write`.
   *
   * Refusals of its own: `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`.
   *
   * Operation `createFiatBeneficiary` of the reference.
   */
  createFiat(body: CreateFiatBeneficiaryRequest, options?: CallOptions & { readonly validate?: false | undefined }): Promise<Required<Omit<CreatedBeneficiary, "valid">>>;
  createFiat(body: CreateFiatBeneficiaryRequest, options: CallOptions & { readonly validate: true }): Promise<Required<Pick<CreatedBeneficiary, "valid">>>;
  createFiat(body: CreateFiatBeneficiaryRequest, options: CallOptions & { readonly validate?: boolean | undefined }): Promise<CreatedBeneficiary>;
  createFiat(body: CreateFiatBeneficiaryRequest, options: CallOptions & CreateFiatBeneficiaryQuery = {}): Promise<CreatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/fiat/beneficiary`, body, query: { validate: options.validate } }, options);
  }

  /**
   * List beneficiaries.
   *
   * Your beneficiaries, newest first; without archived ones unless asked for.
   *
   * Scope: `beneficiary:read`.
   *
   * Operation `listBeneficiaries` of the reference.
   */
  list(query: ListBeneficiariesQuery = {}, options: CallOptions = {}): PageRequest<Beneficiary> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/beneficiaries`, query: { ...query } }, "beneficiaries", options);
  }

  /**
   * Get beneficiary.
   *
   * One beneficiary, archived or not.
   *
   * Scope: `beneficiary:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getBeneficiary` of the reference.
   */
  get(beneficiaryId: string, options: CallOptions = {}): Promise<Beneficiary> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/beneficiaries/${segment(beneficiaryId)}` }, options);
  }

  /**
   * Archive beneficiary.
   *
   * It is not quoted any more (404); quotes made before still execute, and it stays readable.
   *
   * Scope: `beneficiary:write`.
   *
   * Operation `archiveBeneficiary` of the reference.
   */
  archive(beneficiaryId: string, options: CallOptions = {}): Promise<Beneficiary> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/transfer/beneficiaries/${segment(beneficiaryId)}` }, options);
  }

  /**
   * Discover beneficiary forms.
   *
   * Which fields to ask for, by currency, transfer type and account type: required or not, allowed values, patterns, examples. A body with exactly these fields is taken.
   *
   * Scope: `beneficiary:read`.
   *
   * Operation `listBeneficiaryForms` of the reference.
   */
  listForms(query: ListBeneficiaryFormsQuery = {}, options: CallOptions = {}): Promise<BeneficiaryForms> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/beneficiary-forms`, query: { ...query } }, options);
  }
}

/** Whoever pays in from a wallet. */
export class Depositors {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Whitelist depositor.
   *
   * Registers whoever pays in from a wallet: a person, a company with its owners, or your own business. Persons, business and wallet are screened.
   *
   * Scope: `depositor:write`.
   *
   * Refusals of its own: `INVALID_WALLET_ADDRESS`, `RISK_ANALYSIS_FAILED`, `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`.
   *
   * Operation `createDepositor` of the reference.
   */
  create(body: CreateDepositorRequest, options: CallOptions = {}): Promise<CreatedDepositor> {
    return this.#caller.send({ method: "POST", path: `/api/v1/depositor`, body }, options);
  }

  /**
   * List depositors.
   *
   * Your depositors, newest first.
   *
   * Scope: `depositor:read`.
   *
   * Operation `listDepositors` of the reference.
   */
  list(query: ListDepositorsQuery = {}, options: CallOptions = {}): PageRequest<Depositor> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/depositors`, query: { ...query } }, "depositors", options);
  }

  /**
   * Get depositor.
   *
   * One depositor and what its screening came to.
   *
   * Scope: `depositor:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getDepositor` of the reference.
   */
  get(depositorId: string, options: CallOptions = {}): Promise<Depositor> {
    return this.#caller.send({ method: "GET", path: `/api/v1/depositor/${segment(depositorId)}` }, options);
  }
}

/** What a payout would cost and bring, and what can be sent. */
export class Quotes {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Request for quote.
   *
   * What a payout would cost and bring, good until `expired_at`. Send one of `source_amount` and `receiving_amount`; with both, `source_amount` counts. A quote is given outside the corridor's `limits` too: executing it refuses it.
   *
   * An unknown account, beneficiary or pair of currencies (see List corridors) is `RECORD_NOT_FOUND`. `ACCESS_FORBIDDEN` is said too where the beneficiary is not `cleared`: read its `screening_status`.
   *
   * Scope: `quote:write`.
   *
   * Refusals of its own: `CORRIDOR_NOT_ACTIVE`, `RECORD_NOT_FOUND`.
   *
   * Operation `requestQuote` of the reference.
   */
  request(body: RequestForQuoteRequest, options: CallOptions = {}): Promise<Quote> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/rfq`, body }, options);
  }

  /**
   * Get quote.
   *
   * A quote as it was given.
   *
   * Scope: `quote:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getQuote` of the reference.
   */
  get(quoteId: string, options: CallOptions = {}): Promise<Quote> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/quotes/${segment(quoteId)}` }, options);
  }
}

/** What a payout would cost and bring, and what can be sent. */
export class Corridors {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List corridors.
   *
   * What you can send, with limits, fees and the current rate.
   *
   * Scope: `quote:read`.
   *
   * Operation `listCorridors` of the reference.
   */
  list(query: ListCorridorsQuery = {}, options: CallOptions = {}): PageRequest<Corridor> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/corridors`, query: { ...query } }, "corridors", options);
  }
}

/** Money on its way out. */
export class Payouts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Execute payout.
   *
   * Pays a quote, once. The money is set aside before the answer; what becomes of it is told by webhooks and by reading the payout. A quote that was refused for balance or limits stays open. `succeeded` is not always the end: a bank can send money back, and `failed` follows.
   *
   * `ACCESS_FORBIDDEN` is said too where the beneficiary is not `cleared` (read its `screening_status`) or its corridor was closed.
   *
   * In the sandbox the simulated rail rejects where `reference_id` begins with `sandbox-fail`, settles and then sends back where it begins with `sandbox-return`, and cannot tell until it is asked again where it begins with `sandbox-unknown`.
   *
   * Scope: `payout:write`.
   *
   * Refusals of its own: `ALREADY_PROCESSED`, `QUOTE_EXPIRED`, `AMOUNT_NOT_WITHIN_LIMITS`, `INSUFFICIENT_BALANCE`, `RECORD_NOT_FOUND`.
   *
   * Operation `executePayout` of the reference.
   */
  execute(body: ExecutePayoutRequest, options: CallOptions = {}): Promise<ExecutedPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/execute`, body }, options);
  }

  /**
   * List payouts.
   *
   * Newest first. `total_count` may lag by a second for no filter and for `status` alone; for other filters it is counted, up to 10,000.
   *
   * Scope: `payout:read`.
   *
   * Operation `listPayouts` of the reference.
   */
  list(query: ListPayoutsQuery = {}, options: CallOptions = {}): PageRequest<PayoutItem> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/payouts`, query: { ...query } }, "transactions", options);
  }

  /**
   * Get payout.
   *
   * One payout as it is now.
   *
   * Scope: `payout:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getPayout` of the reference.
   */
  get(payoutId: string, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}` }, options);
  }

  /**
   * List events (timeline).
   *
   * Every step of a payout with its time and cause, oldest first.
   *
   * Scope: `payout:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `listPayoutEvents` of the reference.
   */
  listEvents(payoutId: string, query: ListPayoutEventsQuery = {}, options: CallOptions = {}): PageRequest<PayoutEvent> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}/events`, query: { ...query } }, "events", options);
  }
}

/** Your money, and every movement of it. */
export class Accounts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List accounts.
   *
   * Your accounts, oldest first.
   *
   * Scope: `account:read`.
   *
   * Operation `listAccounts` of the reference.
   */
  list(query: ListAccountsQuery = {}, options: CallOptions = {}): PageRequest<Account> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/accounts`, query: { ...query } }, "accounts", options);
  }

  /**
   * Get account.
   *
   * One account: what can be spent, and what is set aside; now, or as of a time.
   *
   * Scope: `account:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getAccount` of the reference.
   */
  get(accountId: string, query: GetAccountQuery = {}, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}`, query: { ...query } }, options);
  }

  /**
   * List entries (statement).
   *
   * Every movement of an account's money, newest first.
   *
   * Scope: `account:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `listEntries` of the reference.
   */
  listEntries(accountId: string, query: ListEntriesQuery = {}, options: CallOptions = {}): PageRequest<LedgerEntry> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}/entries`, query: { ...query } }, "entries", options);
  }
}

/** Where you are told of payouts. */
export class WebhookEndpoints {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Create webhook endpoint.
   *
   * From now on it is told of what it asks for; in live mode once its URL is verified. The answer shows its two secrets, once.
   *
   * Scope: `webhook:write`.
   *
   * Operation `createWebhookEndpoint` of the reference.
   */
  create(body: CreateEndpointRequest, options: CallOptions = {}): Promise<WebhookEndpointWithSecrets> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints`, body }, options);
  }

  /**
   * List webhook endpoints.
   *
   * Your endpoints, oldest first.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listWebhookEndpoints` of the reference.
   */
  list(query: ListWebhookEndpointsQuery = {}, options: CallOptions = {}): PageRequest<WebhookEndpointWithHealth> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/webhooks/endpoints`, query: { ...query } }, "endpoints", options);
  }

  /**
   * Get webhook endpoint.
   *
   * One endpoint, without its secrets.
   *
   * Scope: `webhook:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getWebhookEndpoint` of the reference.
   */
  get(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpointWithHealth> {
    return this.#caller.send({ method: "GET", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}` }, options);
  }

  /**
   * Update webhook endpoint.
   *
   * Changes what is sent and nothing else. In live mode a new URL waits as `pending_url` until it is verified, and events go to the old one until then. Deliveries that exist keep their order; event types count for events from now on.
   *
   * Scope: `webhook:write`.
   *
   * Operation `updateWebhookEndpoint` of the reference.
   */
  update(endpointId: string, body: UpdateEndpointRequest, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "PATCH", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}`, body }, options);
  }

  /**
   * Delete webhook endpoint.
   *
   * Nothing is sent to it any more. Its deliveries stay readable.
   *
   * Scope: `webhook:write`.
   *
   * Operation `deleteWebhookEndpoint` of the reference.
   */
  delete(endpointId: string, options: CallOptions = {}): Promise<DeletedWebhookEndpoint> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}` }, options);
  }

  /**
   * Pause webhook endpoint.
   *
   * Nothing is sent to it until it is resumed; its events wait. A delivery that was tried before still ends 24 hours after its first attempt.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `pauseWebhookEndpoint` of the reference.
   */
  pause(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/pause` }, options);
  }

  /**
   * Resume webhook endpoint.
   *
   * What has waited since it was paused is sent.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `resumeWebhookEndpoint` of the reference.
   */
  resume(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/resume` }, options);
  }

  /**
   * Verify webhook endpoint.
   *
   * Posts a signed event of the type `webhook_challenge` to the URL that is not live yet: your first one, or `pending_url`. When that answers 200 within 8 s, events go there from now on. Refused with what was answered otherwise; an endpoint that is live stays so. One challenge at a time, 5 s apart.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `verifyWebhookEndpoint` of the reference.
   */
  verify(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/verify` }, options);
  }

  /**
   * Rotate webhook secrets.
   *
   * Makes new secrets and shows them, once. They sign at once; the old ones sign along for `overlap_seconds`. Staged ones wait for activate-secret.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `rotateWebhookSecret` of the reference.
   */
  rotateSecret(endpointId: string, body: RotateSecretRequest = {}, options: CallOptions = {}): Promise<WebhookEndpointWithSecrets> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/rotate-secret`, body }, options);
  }

  /**
   * Activate staged webhook secrets.
   *
   * Staged secrets sign from now on. Refused where none are staged.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `activateWebhookSecret` of the reference.
   */
  activateSecret(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/activate-secret` }, options);
  }

  /**
   * Send a test event.
   *
   * Queues a signed event of the type `webhook_test` for this endpoint.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `sendTestWebhook` of the reference.
   */
  sendTest(endpointId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/test` }, options);
  }
}

/** What you were told, and how it went. */
export class WebhookDeliveries {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List webhook deliveries.
   *
   * What was sent to your endpoints, newest first.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listWebhookDeliveries` of the reference.
   */
  list(query: ListWebhookDeliveriesQuery = {}, options: CallOptions = {}): PageRequest<WebhookDelivery> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/webhooks/deliveries`, query: { ...query } }, "deliveries", options);
  }

  /**
   * Get webhook delivery.
   *
   * One delivery with its attempts.
   *
   * Scope: `webhook:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getWebhookDelivery` of the reference.
   */
  get(deliveryId: string, options: CallOptions = {}): Promise<WebhookDeliveryWithAttempts> {
    return this.#caller.send({ method: "GET", path: `/api/v1/webhooks/deliveries/${segment(deliveryId)}` }, options);
  }

  /**
   * Redeliver a webhook.
   *
   * Sends the event once more, from the start of the schedule: a new delivery with the same `webhook-id`.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `redeliverWebhook` of the reference.
   */
  redeliver(deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/deliveries/${segment(deliveryId)}/redeliver` }, options);
  }

  /**
   * Replay many webhooks.
   *
   * Sends every delivery of an endpoint once more that was made in a span of time and ended in one of the states, oldest first, at a rate. An endpoint has one replay at a time; it waits while the endpoint is paused, and its event types of today do not matter.
   *
   * Scope: `webhook:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `createWebhookReplay` of the reference.
   */
  createReplay(body: CreateReplayRequest, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/replays`, body }, options);
  }

  /**
   * List webhook replays.
   *
   * Your replays, newest first; those that ended more than 30 days ago are gone.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listWebhookReplays` of the reference.
   */
  listReplays(query: ListWebhookReplaysQuery = {}, options: CallOptions = {}): PageRequest<WebhookReplay> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/webhooks/replays`, query: { ...query } }, "replays", options);
  }

  /**
   * Get webhook replay.
   *
   * One replay with its progress.
   *
   * Scope: `webhook:read`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`.
   *
   * Operation `getWebhookReplay` of the reference.
   */
  getReplay(replayId: string, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "GET", path: `/api/v1/webhooks/replays/${segment(replayId)}` }, options);
  }

  /**
   * Cancel webhook replay.
   *
   * Ends a running replay. What it has queued is sent all the same.
   *
   * Scope: `webhook:write`.
   *
   * Operation `cancelWebhookReplay` of the reference.
   */
  cancelReplay(replayId: string, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/webhooks/replays/${segment(replayId)}` }, options);
  }
}

/** Everything that there was to tell, to catch up with. */
export class WebhookEvents {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the feed of events.
   *
   * Every event of the last 90 days once, whatever endpoints you have: to catch up after you were away, or instead of webhooks. Keep `next_cursor` when you have stored the events, and go on there. Events of one transaction may stand out of their order: `sequence` tells it. Test events are not in it.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listWebhookEvents` of the reference.
   */
  list(query: ListWebhookEventsQuery = {}, options: CallOptions = {}): Promise<WebhookEventPage> {
    return this.#caller.send({ method: "GET", path: `/api/v1/events`, query: { ...query } }, options);
  }
}

/** Every operation of the platform, by resource. */
export abstract class Resources {
  readonly beneficiaries: Beneficiaries;
  readonly depositors: Depositors;
  readonly quotes: Quotes;
  readonly corridors: Corridors;
  readonly payouts: Payouts;
  readonly accounts: Accounts;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookEvents: WebhookEvents;

  constructor(caller: Caller) {
    this.beneficiaries = new Beneficiaries(caller);
    this.depositors = new Depositors(caller);
    this.quotes = new Quotes(caller);
    this.corridors = new Corridors(caller);
    this.payouts = new Payouts(caller);
    this.accounts = new Accounts(caller);
    this.webhookEndpoints = new WebhookEndpoints(caller);
    this.webhookDeliveries = new WebhookDeliveries(caller);
    this.webhookEvents = new WebhookEvents(caller);
  }
}
