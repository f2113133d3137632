// Generated from docs/openapi.json by `npm run generate`. Do not edit.

import { type CallOptions, type Caller, segment } from "../caller.ts";
import { PageRequest } from "../page.ts";
import type {
  Account,
  AddMemberRequest,
  ApiKeyList,
  ApiKeyWithSecret,
  ApproveBatchRequest,
  ApprovePayoutRequest,
  Batch,
  BatchLine,
  Beneficiary,
  BeneficiaryForms,
  BeneficiaryLink,
  BeneficiaryLinkWithUrl,
  Corridor,
  CreateBatchRequest,
  CreateBeneficiaryLinkRequest,
  CreateCryptoBeneficiaryRequest,
  CreateDepositorRequest,
  CreateEndpointRequest,
  CreateFiatBeneficiaryRequest,
  CreateKeyRequest,
  CreateReplayRequest,
  CreatedBeneficiary,
  CreatedDepositor,
  DeletedWebhookEndpoint,
  Depositor,
  ExecutePayoutRequest,
  ExecutedPayout,
  GetAccountQuery,
  GetPayoutQuery,
  LedgerEntry,
  ListAccountsQuery,
  ListBatchLinesQuery,
  ListBatchesQuery,
  ListBeneficiariesQuery,
  ListBeneficiaryFormsQuery,
  ListBeneficiaryLinksQuery,
  ListCorridorsQuery,
  ListDepositorsQuery,
  ListEntriesQuery,
  ListPayoutEventsQuery,
  ListPayoutsQuery,
  ListRequestsQuery,
  ListScheduledPayoutsQuery,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  ListWebhookEventsQuery,
  ListWebhookReplaysQuery,
  LoggedRequest,
  Payout,
  PayoutEvent,
  PayoutItem,
  Quote,
  ReissuePayoutRequest,
  RejectBatchRequest,
  RejectPayoutRequest,
  RejectScheduledPayoutRequest,
  RemoveTeamMemberQuery,
  RemovedTeamMember,
  RequestForQuoteRequest,
  RevokeKeyQuery,
  RevokedApiKey,
  RotateSecretRequest,
  SandboxCreditRequest,
  SandboxEventRequest,
  SandboxFailureRequest,
  SandboxListingRequest,
  SandboxPayoutControls,
  SandboxPayoutControlsRequest,
  SandboxRailSilence,
  SandboxRailSilenceEnd,
  SandboxRailSilenceRequest,
  SandboxScenario,
  SandboxScenarioRequest,
  SchedulePayoutRequest,
  ScheduledPayout,
  SignedReceipt,
  TeamMember,
  TeamMemberList,
  UpdateEndpointRequest,
  UpdateMemberRequest,
  ValidateCryptoBeneficiaryRequest,
  ValidateFiatBeneficiaryRequest,
  ValidatedBeneficiary,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
  WebhookEndpointWithHealth,
  WebhookEndpointWithSecrets,
  WebhookEventPage,
  WebhookReplay,
} from "./types.ts";

/** The parties that you pay, with a bank account or a wallet. */
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
   * Additional error codes: `INVALID_WALLET_ADDRESS`, `RISK_ANALYSIS_FAILED`, `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createCryptoBeneficiary` of the reference.
   */
  createCrypto(body: CreateCryptoBeneficiaryRequest, options: CallOptions = {}): Promise<CreatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/crypto/beneficiary`, body }, options);
  }

  /**
   * Validate crypto beneficiary.
   *
   * Checks the body and the wallet's risk as creation does. Stores no beneficiary, screens no one and keeps no idempotency key.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `INVALID_WALLET_ADDRESS`, `RISK_ANALYSIS_FAILED`, `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`.
   *
   * Operation `validateCryptoBeneficiary` of the reference.
   */
  validateCrypto(body: ValidateCryptoBeneficiaryRequest, options: CallOptions = {}): Promise<ValidatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/crypto/beneficiary/validate`, body }, options);
  }

  /**
   * Create fiat beneficiary.
   *
   * Registers a bank account to be paid. Its owner is screened after it is stored. The response does not include the result of the screening: read `screening_status` before you request a quote; only a `cleared` beneficiary can be paid.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createFiatBeneficiary` of the reference.
   */
  createFiat(body: CreateFiatBeneficiaryRequest, options: CallOptions = {}): Promise<CreatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/fiat/beneficiary`, body }, options);
  }

  /**
   * Validate fiat beneficiary.
   *
   * Checks the body as creation does. Stores no beneficiary, screens no one and keeps no idempotency key.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`.
   *
   * Operation `validateFiatBeneficiary` of the reference.
   */
  validateFiat(body: ValidateFiatBeneficiaryRequest, options: CallOptions = {}): Promise<ValidatedBeneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/fiat/beneficiary/validate`, body }, options);
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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

  /**
   * Create beneficiary link.
   *
   * Makes a link to a page of ours, on which a beneficiary enters its own bank account or wallet: you never handle it. The page asks for the fields of the forms of Discover beneficiary forms that go with what you send, and says who asks. Details are taken once; they become a beneficiary of yours, which is screened as any other, and the link's `beneficiary_id`. The page tells no one what a screening found.
   *
   * The URL is shown here alone, and expires.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createBeneficiaryLink` of the reference.
   */
  createLink(body: CreateBeneficiaryLinkRequest, options: CallOptions = {}): Promise<BeneficiaryLinkWithUrl> {
    return this.#caller.send({ method: "POST", path: `/api/v1/beneficiary-links`, body }, options);
  }

  /**
   * List beneficiary links.
   *
   * Newest first.
   *
   * Scope: `beneficiary:read`.
   *
   * Operation `listBeneficiaryLinks` of the reference.
   */
  listLinks(query: ListBeneficiaryLinksQuery = {}, options: CallOptions = {}): PageRequest<BeneficiaryLink> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/beneficiary-links`, query: { ...query } }, "links", options);
  }

  /**
   * Get beneficiary link.
   *
   * One link in its current state.
   *
   * Scope: `beneficiary:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getBeneficiaryLink` of the reference.
   */
  getLink(linkId: string, options: CallOptions = {}): Promise<BeneficiaryLink> {
    return this.#caller.send({ method: "GET", path: `/api/v1/beneficiary-links/${segment(linkId)}` }, options);
  }

  /**
   * Revoke beneficiary link.
   *
   * An open link takes no details any more. One that was used, or has expired, stays as it is.
   *
   * Scope: `beneficiary:write`.
   *
   * Operation `revokeBeneficiaryLink` of the reference.
   */
  revokeLink(linkId: string, options: CallOptions = {}): Promise<BeneficiaryLink> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/beneficiary-links/${segment(linkId)}` }, options);
  }
}

/** The parties that fund your account from a wallet. */
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
   * Additional error codes: `INVALID_WALLET_ADDRESS`, `RISK_ANALYSIS_FAILED`, `BENEFICIARY_CREATION_NOT_ALLOWED`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getDepositor` of the reference.
   */
  get(depositorId: string, options: CallOptions = {}): Promise<Depositor> {
    return this.#caller.send({ method: "GET", path: `/api/v1/depositor/${segment(depositorId)}` }, options);
  }
}

/** The fees and amounts of a payout, and the corridors that you can use. */
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
   * Additional error codes: `CORRIDOR_NOT_ACTIVE`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getQuote` of the reference.
   */
  get(quoteId: string, options: CallOptions = {}): Promise<Quote> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/quotes/${segment(quoteId)}` }, options);
  }
}

/** The fees and amounts of a payout, and the corridors that you can use. */
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
   * Executes a quote, once. The money is held before the response is sent; webhooks and Get payout report the outcome. If your approval rules ask for it, because of its amount or of what it makes together with others to the same account or by the same actor, the payout waits with `sub_status` `awaiting_approval`. A quote that was refused for balance or limits stays open. `succeeded` is not always final: a bank can return the money, and the payout becomes `failed`.
   *
   * `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked` (read its `screening_status`) or its corridor was closed. While the `screening_status` is `pending`, the answer is `BENEFICIARY_NOT_READY`: try again after `Retry-After`. `LIMIT_EXCEEDED`: your payouts, or those to this account or wallet, have reached a limit of count or amount in an hour or a day; the message says which limit, and when it will allow the payout.
   *
   * `POSSIBLE_DUPLICATE`: your account has a guard against duplicates (ask the operator for it), and the payout `payout_id` of the error, executed within the guard's window and not failed, went to the same account or wallet, with the same non-empty `reference_id` and the same source or receiving amount. Another beneficiary record of that account, and case, white space or look-alike letters in the reference, make no difference. Execute the quote with `allow_duplicate` if you mean to pay twice.
   *
   * In the sandbox the simulated rail rejects a payout whose `reference_id` begins with `sandbox-fail`, settles and then returns one with `sandbox-return`, and does not know the outcome of one with `sandbox-unknown` until it is polled again.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `ALREADY_PROCESSED`, `AMOUNT_NOT_WITHIN_LIMITS`, `INSUFFICIENT_BALANCE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `POSSIBLE_DUPLICATE`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_CANCELLABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `cancelPayout` of the reference.
   */
  cancel(payoutId: string, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/cancel` }, options);
  }

  /**
   * Approve payout.
   *
   * Approves a payout with `sub_status` `awaiting_approval`, which then is `queued`. The API key needs the scope `payout:approve`, and may not be the one that executed the payout. The beneficiary's screening, the corridor and your limits are checked again; if one of them refuses, the payout goes on waiting. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or never needed approval.
   *
   * Which payouts need approval is set by the operator: those from an amount on, or those to a beneficiary that is new. The rate of the quote holds while a payout waits, for 24 hours if nothing else is set; after that it is cancelled and its money available again.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `AMOUNT_NOT_WITHIN_LIMITS`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approvePayout` of the reference.
   */
  approve(payoutId: string, body: ApprovePayoutRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/approve`, body }, options);
  }

  /**
   * Reject payout.
   *
   * Rejects a payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`, its money available again; a webhook follows, and its quote stays used. Scope and caller are as of Approve payout.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `rejectPayout` of the reference.
   */
  reject(payoutId: string, body: RejectPayoutRequest, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/reject`, body }, options);
  }

  /**
   * Reissue payout.
   *
   * Pays a payout again that is `failed` with `sub_status` `returned` or `rejected`, once: a new quote for the same account, currencies and amount (the source or the receiving amount, whichever you had asked for) is made and executed at once. The answer is the new payout, whose `reissue_of` names the one before; that has its `reissued_as`. Repeating the request has the same answer; another request is `ALREADY_PROCESSED`, with the new payout as `payout_id`.
   *
   * Without a body the payout is as it was, at the rate of now. Send `beneficiary_id` to pay a corrected account, `max_source_amount` to bound its cost, `reference_id` or `metadata` to change yours. Beneficiary, corridor, limits, balance, approval rules and the guard against duplicates count as for Execute payout; the payout before is no duplicate. After a refusal it can be reissued still.
   *
   * `SERVICE_UNAVAILABLE` is also returned while another request reissues the same payout: repeat it.
   *
   * In the sandbox a payout with a `reference_id` such as `sandbox-return` is returned again: send another one.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `ALREADY_PROCESSED`, `AMOUNT_NOT_WITHIN_LIMITS`, `CORRIDOR_NOT_ACTIVE`, `INSUFFICIENT_BALANCE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `POSSIBLE_DUPLICATE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `reissuePayout` of the reference.
   */
  reissue(payoutId: string, body: ReissuePayoutRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/reissue`, body }, options);
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
   * One payout as it is now. `expand[]=beneficiary` and `expand[]=quote` answer these records with it, as Get beneficiary and Get quote do; each needs its own scope to read.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getPayout` of the reference.
   */
  get(payoutId: string, options: CallOptions & GetPayoutQuery = {}): Promise<Payout> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}`, query: { expand: options.expand } }, options);
  }

  /**
   * List events (timeline).
   *
   * Every step of a payout with its time and cause, oldest first.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `listPayoutEvents` of the reference.
   */
  listEvents(payoutId: string, query: ListPayoutEventsQuery = {}, options: CallOptions = {}): PageRequest<PayoutEvent> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}/events`, query: { ...query } }, "events", options);
  }

  /**
   * Get receipt.
   *
   * What became of a payout so far, signed. It can be checked without us: `npx disburse verify receipt.json`, or `verifyReceipt` of the SDK, with the public keys of `/.well-known/disburse-keys.json`. It names the entries of the account's ledger by their hashes, which the account's statement has too.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getPayoutReceipt` of the reference.
   */
  getReceipt(payoutId: string, options: CallOptions = {}): Promise<SignedReceipt> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}/receipt` }, options);
  }
}

/** Payouts that are quoted and created at a time that you set. */
export class ScheduledPayouts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Schedule payout.
   *
   * Orders a payout for a time: the fields of a quote and of its execution, with `scheduled_at`. Nothing is held until then. When it is due it is quoted and executed at once, as Request for quote and Execute payout would; what they would refuse makes it `failed`, with their code as `failure_code`: `INSUFFICIENT_BALANCE`, say. A quote above `max_source_amount` is not executed: `COST_ABOVE_MAXIMUM`. A beneficiary whose screening is still `pending` is waited for, 24 hours at most.
   *
   * Webhooks begin with its payout; read it, or list by `sub_status`, to learn of one that failed before.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createScheduledPayout` of the reference.
   */
  create(body: SchedulePayoutRequest, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/scheduled-payouts`, body }, options);
  }

  /**
   * List scheduled payouts.
   *
   * Newest first.
   *
   * Scope: `payout:read`.
   *
   * Operation `listScheduledPayouts` of the reference.
   */
  list(query: ListScheduledPayoutsQuery = {}, options: CallOptions = {}): PageRequest<ScheduledPayout> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/scheduled-payouts`, query: { ...query } }, "scheduled_payouts", options);
  }

  /**
   * Get scheduled payout.
   *
   * One scheduled payout in its current state.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getScheduledPayout` of the reference.
   */
  get(scheduledPayoutId: string, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/scheduled-payouts/${segment(scheduledPayoutId)}` }, options);
  }

  /**
   * Approve scheduled payout.
   *
   * Approves a scheduled payout with `sub_status` `awaiting_approval`: it is made when its time has come, at once where that is past. Your approval rules judge its payout then, as they do of any other. The API key needs the scope `payout:approve`, and may not count as one actor with the one that made it. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or was never held.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approveScheduledPayout` of the reference.
   */
  approve(scheduledPayoutId: string, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/scheduled-payouts/${segment(scheduledPayoutId)}/approve` }, options);
  }

  /**
   * Reject scheduled payout.
   *
   * Rejects a scheduled payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`. Scope and caller are as of Approve scheduled payout.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `rejectScheduledPayout` of the reference.
   */
  reject(scheduledPayoutId: string, body: RejectScheduledPayoutRequest, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/scheduled-payouts/${segment(scheduledPayoutId)}/reject`, body }, options);
  }

  /**
   * Cancel scheduled payout.
   *
   * Cancels what waits for its time or its approval; afterwards its payout, as Cancel payout would, until it is submitted. Cancelling it again has the same answer. `NOT_CANCELLABLE`: its payout is on its way or at its end, or it failed. `SERVICE_UNAVAILABLE`: it is being made just now; repeat it.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_CANCELLABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `cancelScheduledPayout` of the reference.
   */
  cancel(scheduledPayoutId: string, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/scheduled-payouts/${segment(scheduledPayoutId)}/cancel` }, options);
  }
}

/** Many payouts in one file, approved as a whole. */
export class Batches {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Create batch.
   *
   * Takes up to 10,000 payouts out of one account, as JSON or as a CSV file (`Content-Type: text/csv`; a header row with the names of the fields of a line, `metadata.order` for the key `order` of its metadata), of 8 MiB at most. Every line is checked: what is wrong is named by line and field, `lines[0]` being the first line, the row after the header. Nothing is held or paid before you approve it.
   *
   * The `Idempotency-Key` makes a batch once; the same lines under another key are another batch, as next month's payroll is.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createBatch` of the reference.
   */
  create(body: CreateBatchRequest, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches`, body }, options);
  }

  /**
   * List batches.
   *
   * Newest first.
   *
   * Scope: `payout:read`.
   *
   * Operation `listBatches` of the reference.
   */
  list(query: ListBatchesQuery = {}, options: CallOptions = {}): PageRequest<Batch> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/batches`, query: { ...query } }, "batches", options);
  }

  /**
   * Approve batch.
   *
   * Has the payouts of a batch made, in the order of its lines. Each line is quoted when its turn comes, and executed at once; what refuses it fails that line alone, with the refusal's code. A line with which the batch would cost more than `max_total_amount` fails with `BATCH_TOTAL_EXCEEDED`. `NOT_AWAITING_APPROVAL`: it was decided on or cancelled before.
   *
   * The API key needs the scope `payout:approve`. Where your rules ask for it, it may not be the one that made the batch. A batch that another has approved is the approval of its lines: their payouts wait for no other one. Those of a batch that its maker approved do, where your rules ask for it.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approveBatch` of the reference.
   */
  approve(batchId: string, body: ApproveBatchRequest, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches/${segment(batchId)}/approve`, body }, options);
  }

  /**
   * Reject batch.
   *
   * Rejects a batch that waits for approval: it is `cancelled` with all its lines. Scope and caller are as of Approve batch.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `rejectBatch` of the reference.
   */
  reject(batchId: string, body: RejectBatchRequest, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches/${segment(batchId)}/reject`, body }, options);
  }

  /**
   * Cancel batch.
   *
   * Cancels a batch that is not approved, or those lines of one that runs that are not begun; payouts that are made go on, and can be cancelled each by itself. `NOT_CANCELLABLE`: it is finished.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_CANCELLABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `cancelBatch` of the reference.
   */
  cancel(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches/${segment(batchId)}/cancel` }, options);
  }

  /**
   * Get batch.
   *
   * One batch with its progress.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getBatch` of the reference.
   */
  get(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/batches/${segment(batchId)}` }, options);
  }

  /**
   * List lines.
   *
   * The lines of a batch in their order, each with its outcome.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `listBatchLines` of the reference.
   */
  listLines(batchId: string, query: ListBatchLinesQuery = {}, options: CallOptions = {}): PageRequest<BatchLine> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/batches/${segment(batchId)}/lines`, query: { ...query } }, "lines", options);
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
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getAccount` of the reference.
   */
  get(accountId: string, options: CallOptions & GetAccountQuery = {}): Promise<Account> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}`, query: { as_of: options.as_of } }, options);
  }

  /**
   * List entries (statement).
   *
   * Every movement of an account's money, newest first.
   *
   * Scope: `account:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * The platform sends nothing more to the endpoint. Its deliveries remain readable.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `pauseWebhookEndpoint` of the reference.
   */
  pause(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/pause` }, options);
  }

  /**
   * Resume webhook endpoint.
   *
   * Sends the events that have waited since the endpoint was paused.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `rotateWebhookSecret` of the reference.
   */
  rotateSecret(endpointId: string, body: RotateSecretRequest = {}, options: CallOptions = {}): Promise<WebhookEndpointWithSecrets> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}/rotate-secret`, body }, options);
  }

  /**
   * Activate staged webhook secrets.
   *
   * The staged secrets sign all webhooks from now on. The call is refused if no secrets are staged.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * The webhook deliveries to your endpoints, newest first.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createWebhookReplay` of the reference.
   */
  createReplay(body: CreateReplayRequest, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "POST", path: `/api/v1/webhooks/replays`, body }, options);
  }

  /**
   * List webhook replays.
   *
   * Your replays, newest first. Each is kept for 30 days after it ends.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getWebhookReplay` of the reference.
   */
  getReplay(replayId: string, options: CallOptions = {}): Promise<WebhookReplay> {
    return this.#caller.send({ method: "GET", path: `/api/v1/webhooks/replays/${segment(replayId)}` }, options);
  }

  /**
   * Cancel webhook replay.
   *
   * Ends a running replay. Deliveries that it has already queued are still sent.
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
   * Every event of the last 90 days once, regardless of your endpoints: to catch up after an outage, or instead of webhooks. Keep `next_cursor` once you have stored the events, and continue there. Events of one transaction may be out of order: sort them by `sequence`. Events that an endpoint gets only by their name are included from when one names them. Test events are not included.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listWebhookEvents` of the reference.
   */
  list(query: ListWebhookEventsQuery = {}, options: CallOptions = {}): Promise<WebhookEventPage> {
    return this.#caller.send({ method: "GET", path: `/api/v1/events`, query: { ...query } }, options);
  }
}

/** Your requests to this API, to debug your integration. */
export class Requests {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List requests.
   *
   * Your requests of the last 7 days, newest first: those of your API keys, unless `caller` or `request_id` says otherwise. No query, body or header is kept. A request is listed a few seconds after its response, and requests without a good key are not. It is a log for debugging: in a crash, or above 250 requests a second, some may be missing.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listRequests` of the reference.
   */
  list(query: ListRequestsQuery = {}, options: CallOptions = {}): PageRequest<LoggedRequest> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/requests`, query: { ...query } }, "requests", options);
  }
}

/** The members of your team, who sign in to the console. */
export class TeamMembers {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List team members.
   *
   * The members of your team, who sign in to the console, with their roles.
   *
   * Scope: `team:read`.
   *
   * Operation `listTeamMembers` of the reference.
   */
  list(options: CallOptions = {}): Promise<TeamMemberList> {
    return this.#caller.send({ method: "GET", path: `/api/v1/team/members` }, options);
  }

  /**
   * Add team member.
   *
   * Invites a person, who becomes active by accepting the invitation in the console, signed in with that verified address. No message is sent: tell them. You can give a role only if you have all of its scopes yourself. An API key with networks or an end cannot give a role: a member, or a key without them, can. A person whom an API key invites counts as one actor with that key. A merchant has at most 200 members. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `team:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `addTeamMember` of the reference.
   */
  add(body: AddMemberRequest, options: CallOptions = {}): Promise<TeamMember> {
    return this.#caller.send({ method: "POST", path: `/api/v1/team/members`, body }, options);
  }

  /**
   * Change role of team member.
   *
   * Counts from the member's next request on. You can give a role only if you have all of its scopes yourself; an API key with networks or an end cannot give one. The last admin stays one; an admin who has not accepted yet does not count. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `team:write`.
   *
   * Operation `updateTeamMember` of the reference.
   */
  update(memberId: string, body: UpdateMemberRequest, options: CallOptions = {}): Promise<TeamMember> {
    return this.#caller.send({ method: "PATCH", path: `/api/v1/team/members/${segment(memberId)}`, body }, options);
  }

  /**
   * Remove team member.
   *
   * Ends the member's sessions at once. The last admin cannot be removed. You can add the person again, as a new member. API keys that the person created keep working, unless `orders` is `cancel`; `revocation` lists these keys.
   *
   * Orders that are held have `sub_status` or state `awaiting_approval`: an actor of another root than the one that made them approves or rejects them (Approve scheduled payout, Approve batch), `scheduled_payout.approval_required` and `batch.approval_required` tell you of them. If no one decides within your approval time (24 hours if nothing else is set) after their time, they fail with `APPROVAL_EXPIRED`. Payouts that exist already go on, unless you cancel them. `SERVICE_UNAVAILABLE`: the access has ended, and its orders follow by themselves; repeat the request to read them.
   *
   * Scope: `team:write`.
   *
   * Operation `removeTeamMember` of the reference.
   */
  remove(memberId: string, options: CallOptions & RemoveTeamMemberQuery = {}): Promise<RemovedTeamMember> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/team/members/${segment(memberId)}`, query: { orders: options.orders } }, options);
  }
}

/** Keys for your programs, with their scopes, IP networks and expiry. */
export class Keys {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * List API keys.
   *
   * Your API keys, without their secret parts.
   *
   * Scope: `key:read`.
   *
   * Operation `listKeys` of the reference.
   */
  list(options: CallOptions = {}): Promise<ApiKeyList> {
    return this.#caller.send({ method: "GET", path: `/api/v1/keys` }, options);
  }

  /**
   * Create API key.
   *
   * The response contains the key, which is not shown again. A key has at most the scopes, networks and end of the key that creates it; without networks or an end of its own it gets those. For a later end, let a member create it. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `key:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createKey` of the reference.
   */
  create(body: CreateKeyRequest, options: CallOptions = {}): Promise<ApiKeyWithSecret> {
    return this.#caller.send({ method: "POST", path: `/api/v1/keys`, body }, options);
  }

  /**
   * Revoke API key.
   *
   * The key stops working everywhere within 5 s, and stays in the list. You can also revoke an expired key, whose orders continue until you do.
   *
   * Orders that are held have `sub_status` or state `awaiting_approval`: an actor of another root than the one that made them approves or rejects them (Approve scheduled payout, Approve batch), `scheduled_payout.approval_required` and `batch.approval_required` tell you of them. If no one decides within your approval time (24 hours if nothing else is set) after their time, they fail with `APPROVAL_EXPIRED`. Payouts that exist already go on, unless you cancel them. `SERVICE_UNAVAILABLE`: the access has ended, and its orders follow by themselves; repeat the request to read them.
   *
   * Scope: `key:write`.
   *
   * Operation `revokeKey` of the reference.
   */
  revoke(keyId: string, options: CallOptions & RevokeKeyQuery = {}): Promise<RevokedApiKey> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/keys/${segment(keyId)}`, query: { orders: options.orders } }, options);
  }
}

/** Brings your records to the states that you test; a live deployment has none of it. */
export class Sandbox {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Expire quote.
   *
   * Ends an open quote now: executing it is `QUOTE_EXPIRED`. `ALREADY_PROCESSED`: it was executed.
   *
   * Scope: `quote:write`.
   *
   * Additional error codes: `ALREADY_PROCESSED`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `expireQuote` of the reference.
   */
  expireQuote(quoteId: string, options: CallOptions = {}): Promise<Quote> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/quotes/${segment(quoteId)}/expire` }, options);
  }

  /**
   * Settle payout.
   *
   * Has the simulated rail settle a payout now, also one whose outcome was unknown. The answer is the payout, `succeeded`; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another end.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `settlePayout` of the reference.
   */
  settlePayout(payoutId: string, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/payouts/${segment(payoutId)}/settle` }, options);
  }

  /**
   * Fail payout.
   *
   * Has the simulated rail reject a payout now, with a `failure_code` of yours. The answer is the payout, `failed`, its money available again; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another end.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `failPayout` of the reference.
   */
  failPayout(payoutId: string, body: SandboxFailureRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/payouts/${segment(payoutId)}/fail`, body }, options);
  }

  /**
   * Return payout.
   *
   * Has the money of a payout come back now, also of one that settled days ago. The answer is the payout, `failed` with `sub_status` `returned`; webhooks follow. `STATE_NOT_REACHABLE`: no rail has it, or it has failed.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `returnPayout` of the reference.
   */
  returnPayout(payoutId: string, body: SandboxFailureRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/payouts/${segment(payoutId)}/return`, body }, options);
  }

  /**
   * Leave payout outcome unknown.
   *
   * Has the simulated rail not know what became of a payout: `sub_status` is `unknown` and the money stays held until you settle, fail or return it. `STATE_NOT_REACHABLE`: no rail has it, or its outcome is known.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `leavePayoutInDoubt` of the reference.
   */
  leavePayoutInDoubt(payoutId: string, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/payouts/${segment(payoutId)}/leave-in-doubt` }, options);
  }

  /**
   * Silence rails.
   *
   * Has every rail behave to your payouts as you say, for a time: it gives no answer, takes nothing new, or is not funded. It takes effect within a second, and a later call takes its place. Other merchants' payouts go on.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setRailSilence` of the reference.
   */
  setRailSilence(body: SandboxRailSilenceRequest, options: CallOptions = {}): Promise<SandboxRailSilence> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/rail-silence`, body }, options);
  }

  /**
   * End silence of rails.
   *
   * Rails do as ever again, and payouts that waited go on at once. Without a silence it changes nothing.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `endRailSilence` of the reference.
   */
  endRailSilence(options: CallOptions = {}): Promise<SandboxRailSilenceEnd> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/rail-silence/end` }, options);
  }

  /**
   * Set scenario.
   *
   * Has the outcomes of your payouts follow from a seed: of those that are made from now on, the first, the second and so on have always the same outcome and delay, so a run of your tests can be repeated. A `reference_id` that begins with `sandbox-` goes before it and is not counted. With shares of 0 all settle. Takes effect within a second.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setScenario` of the reference.
   */
  setScenario(body: SandboxScenarioRequest, options: CallOptions = {}): Promise<SandboxScenario> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/scenario`, body }, options);
  }

  /**
   * Set payout controls.
   *
   * Sets which of your payouts wait for approval, and the duplicate guard. Replaces the previous settings; `{}` removes them all. Needs the scope `payout:control`, so that a key that only pays cannot remove the rules. Takes effect within a second. In live mode an operator sets them for you.
   *
   * Scope: `payout:control`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setPayoutControls` of the reference.
   */
  setPayoutControls(body: SandboxPayoutControlsRequest = {}, options: CallOptions = {}): Promise<SandboxPayoutControls> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/payout-controls`, body }, options);
  }

  /**
   * Credit account.
   *
   * Credits an account of yours at once, as money that you sent would be; endpoints that name it get `account.credited`. The answer is the account.
   *
   * Scope: `account:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `creditAccount` of the reference.
   */
  creditAccount(accountId: string, body: SandboxCreditRequest, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/accounts/${segment(accountId)}/credit`, body }, options);
  }

  /**
   * List beneficiary.
   *
   * Puts a beneficiary on a sanctions list that is yours alone, so that its screening is `review` or `blocked`, or takes it off; a `pending` one is screened first. The answer is the beneficiary with its `screening_status`: what the sandbox's own list says of its name still counts. Endpoints that name it get `beneficiary.screening_changed`.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setBeneficiaryListing` of the reference.
   */
  setBeneficiaryListing(beneficiaryId: string, body: SandboxListingRequest, options: CallOptions = {}): Promise<Beneficiary> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/beneficiaries/${segment(beneficiaryId)}/listing`, body }, options);
  }

  /**
   * List depositor.
   *
   * The same of a depositor: `review` is its status `review`, `blocked` is `rejected`, and `cleared` takes it off the list.
   *
   * Scope: `depositor:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setDepositorListing` of the reference.
   */
  setDepositorListing(depositorId: string, body: SandboxListingRequest, options: CallOptions = {}): Promise<Depositor> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/depositors/${segment(depositorId)}/listing`, body }, options);
  }

  /**
   * Retry webhook delivery.
   *
   * Attempts a pending delivery now, whenever its next attempt is due and whatever it waits for. `STATE_NOT_REACHABLE`: it has ended, or is being attempted; use Redeliver a webhook to send it again.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `retryWebhookDelivery` of the reference.
   */
  retryWebhookDelivery(deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/webhooks/deliveries/${segment(deliveryId)}/retry` }, options);
  }

  /**
   * Lapse webhook delivery.
   *
   * Lets the 24 hours of a delivery pass that your endpoint has not acknowledged: it is `exhausted` within a second, and can be redelivered or replayed. `STATE_NOT_REACHABLE`: it has ended, or was not attempted yet.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `lapseWebhookDelivery` of the reference.
   */
  lapseWebhookDelivery(deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/webhooks/deliveries/${segment(deliveryId)}/lapse` }, options);
  }

  /**
   * Send webhook event.
   *
   * Sends an event of any type to one endpoint, whatever it subscribes to: the type's example of this reference, with the fields that you choose. It is signed as every event. Its delivery has `test` set; the event feed does not have it, and no event of yours waits for it.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `sendWebhookEvent` of the reference.
   */
  sendWebhookEvent(endpointId: string, body: SandboxEventRequest, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/webhooks/endpoints/${segment(endpointId)}/events`, body }, options);
  }
}

/** Every operation of the platform, by resource. */
export abstract class Resources {
  readonly beneficiaries: Beneficiaries;
  readonly depositors: Depositors;
  readonly quotes: Quotes;
  readonly corridors: Corridors;
  readonly payouts: Payouts;
  readonly scheduledPayouts: ScheduledPayouts;
  readonly batches: Batches;
  readonly accounts: Accounts;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookEvents: WebhookEvents;
  readonly requests: Requests;
  readonly teamMembers: TeamMembers;
  readonly keys: Keys;
  readonly sandbox: Sandbox;

  constructor(caller: Caller) {
    this.beneficiaries = new Beneficiaries(caller);
    this.depositors = new Depositors(caller);
    this.quotes = new Quotes(caller);
    this.corridors = new Corridors(caller);
    this.payouts = new Payouts(caller);
    this.scheduledPayouts = new ScheduledPayouts(caller);
    this.batches = new Batches(caller);
    this.accounts = new Accounts(caller);
    this.webhookEndpoints = new WebhookEndpoints(caller);
    this.webhookDeliveries = new WebhookDeliveries(caller);
    this.webhookEvents = new WebhookEvents(caller);
    this.requests = new Requests(caller);
    this.teamMembers = new TeamMembers(caller);
    this.keys = new Keys(caller);
    this.sandbox = new Sandbox(caller);
  }
}
