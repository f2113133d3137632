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
   * Registers a wallet to be paid. The wallet is checked before it is stored; its owner is screened afterwards. The response does not include the result of the screening: read `screening_status` before you request a quote; only a `cleared` beneficiary can be paid. List corridors returns what can be paid.
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
   * Registers a bank account to be paid. Its owner is screened after it is stored. The response does not include the result of the screening: read `screening_status` before you request a quote; only a `cleared` beneficiary can be paid.
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
   * Your beneficiaries, newest first; without archived ones by default.
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
   * New quotes for it are refused (404); existing quotes can still be executed, and it remains readable.
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
   * The fields of each form by currency, transfer type and account type: whether they are required, allowed values, patterns, examples. A body with exactly these fields is accepted.
   *
   * Scope: `beneficiary:read`.
   *
   * Operation `listBeneficiaryForms` of the reference.
   */
  listForms(query: ListBeneficiaryFormsQuery = {}, options: CallOptions = {}): Promise<BeneficiaryForms> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/beneficiary-forms`, query: { ...query } }, options);
  }
}

/** Parties that fund your account from a wallet. */
export class Depositors {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Whitelist depositor.
   *
   * Registers a party that funds your account from a wallet: a person, a company with its owners, or your own business. Persons, business and wallet are screened.
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
   * One depositor with the result of its screening.
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

/** Costs and amounts of a payout; available corridors. */
export class Quotes {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Request for quote.
   *
   * Costs and amounts of a payout, valid until `expired_at`. Send `source_amount` or `receiving_amount`; if both are sent, `source_amount` is used. Amounts outside the corridor's `limits` are quoted too, but executing such a quote is refused.
   *
   * An unknown account, beneficiary or pair of currencies (see List corridors) is `RECORD_NOT_FOUND`. `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked`: read its `screening_status`. While that is `pending`, the answer is `BENEFICIARY_NOT_READY`: try again after `Retry-After`.
   *
   * Scope: `quote:write`.
   *
   * Refusals of its own: `CORRIDOR_NOT_ACTIVE`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`.
   *
   * Operation `requestQuote` of the reference.
   */
  request(body: RequestForQuoteRequest, options: CallOptions = {}): Promise<Quote> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/rfq`, body }, options);
  }

  /**
   * Get quote.
   *
   * A quote as it was issued.
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

/** Costs and amounts of a payout; available corridors. */
export class Corridors {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List corridors.
   *
   * The corridors that you can use, with limits, fees and the current rate.
   *
   * Scope: `quote:read`.
   *
   * Operation `listCorridors` of the reference.
   */
  list(query: ListCorridorsQuery = {}, options: CallOptions = {}): PageRequest<Corridor> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/corridors`, query: { ...query } }, "corridors", options);
  }
}

/** Outgoing payments: execution, status and timeline. */
export class Payouts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Execute payout.
   *
   * Executes a quote, once. The money is held before the response is sent; webhooks and Get payout report the outcome. A quote that was refused for balance or limits stays open. `succeeded` is not always final: a bank can return the money, and the payout becomes `failed`.
   *
   * `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked` (read its `screening_status`) or its corridor was closed. While the `screening_status` is `pending`, the answer is `BENEFICIARY_NOT_READY`: try again after `Retry-After`. `LIMIT_EXCEEDED`: your payouts, or those to this beneficiary, have reached a limit of count or amount in an hour or a day; the message says which limit, and when it has room again.
   *
   * In the sandbox the simulated rail rejects a payout whose `reference_id` begins with `sandbox-fail`, settles and then returns one with `sandbox-return`, and does not know the outcome of one with `sandbox-unknown` until it is polled again.
   *
   * Scope: `payout:write`.
   *
   * Refusals of its own: `ALREADY_PROCESSED`, `QUOTE_EXPIRED`, `AMOUNT_NOT_WITHIN_LIMITS`, `INSUFFICIENT_BALANCE`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`.
   *
   * Operation `executePayout` of the reference.
   */
  execute(body: ExecutePayoutRequest, options: CallOptions = {}): Promise<ExecutedPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/execute`, body }, options);
  }

  /**
   * Cancel payout.
   *
   * Cancels a payout that waits: it is `queued`, or its rail has it and has not begun to pay it, such as a bank whose batch has not left. The answer is the payout, `failed` with `sub_status` `cancelled`, its money available again; a webhook follows, and its quote stays used. Cancelling it again has the same answer. `NOT_CANCELLABLE`: it is on its way, or at its end. `SERVICE_UNAVAILABLE`: its rail did not answer; repeat it, or read the payout.
   *
   * In the sandbox a payout whose `reference_id` begins with `sandbox-batch` waits for its batch for ten seconds.
   *
   * Scope: `payout:write`.
   *
   * Refusals of its own: `RECORD_NOT_FOUND`, `NOT_CANCELLABLE`.
   *
   * Operation `cancelPayout` of the reference.
   */
  cancel(payoutId: string, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/cancel` }, options);
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

/** Balances and statements. */
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
   * One account with its available and held balance, now or as of a time.
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

/** URLs that receive your webhooks. */
export class WebhookEndpoints {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Create webhook endpoint.
   *
   * It receives the events that it subscribes to from now on; in live mode once its URL is verified. The response contains its two secrets, which are not shown again.
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
   * Changes only the fields that are sent. In live mode a new URL waits as `pending_url` until it is verified; until then events go to the old one. Existing deliveries keep their order; new event types apply to later events.
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
   * Nothing more is sent to it. Its deliveries remain readable.
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
   * Nothing is sent to it until it is resumed; its events wait. A delivery that was attempted before still expires 24 hours after its first attempt.
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
   * Sends the events that have waited since it was paused.
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
   * Posts a signed event of the type `webhook_challenge` to the URL that is not live yet: the first one, or `pending_url`. If it answers 200 within 8 s, events go there from then on. Otherwise the request is refused with what was answered, and an endpoint that is live stays live. One challenge at a time, at least 5 s apart.
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
   * Creates new secrets and returns them, once. They sign immediately; the old ones also sign for `overlap_seconds`. Staged secrets wait for activate-secret.
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
   * Staged secrets sign from now on. Refused if none are staged.
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

/** Webhooks sent to your endpoints, with their attempts. */
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
   * Resends every delivery of an endpoint that was created in a period and ended in one of the states, oldest first, at a limited rate. An endpoint has one replay at a time; it waits while the endpoint is paused and ignores the endpoint's current event types.
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
   * Your replays, newest first; they are kept for 30 days after their end.
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
   * Ends a running replay. Deliveries that it has queued are still sent.
   *
   * Scope: `webhook:write`.
   *
   * Operation `cancelWebhookReplay` of the reference.
   */
  cancelReplay(replayId: string, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/webhooks/replays/${segment(replayId)}` }, options);
  }
}

/** A feed of all events, to catch up after an outage. */
export class WebhookEvents {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Read the feed of events.
   *
   * Every event of the last 90 days once, regardless of your endpoints: to catch up after an outage, or instead of webhooks. Keep `next_cursor` once you have stored the events, and continue there. Events of one transaction may be out of order: sort them by `sequence`. Test events are not included.
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
