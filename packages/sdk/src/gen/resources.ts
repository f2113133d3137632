// Generated from docs/openapi.json by `npm run generate`. Do not edit.

import { type CallOptions, type Caller, type DownloadedFile, segment } from "../caller.ts";
import { PageRequest } from "../page.ts";
import type {
  Account,
  AccountActivity,
  AddMemberRequest,
  ApiKey,
  ApiKeyWithSecret,
  ApprovalRuleSet,
  ApprovalRulesChange,
  ApproveBatchRequest,
  ApprovePayoutRequest,
  ApproveProposalRequest,
  ApproveScheduledPayoutRequest,
  Batch,
  BatchLine,
  BatchValidation,
  Beneficiary,
  BeneficiaryForms,
  BeneficiaryLink,
  BeneficiaryLinkWithUrl,
  Corridor,
  CreateBatchQuery,
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
  DryRun,
  ExecutePayoutRequest,
  ExecutedPayout,
  ExportAccountingQuery,
  ExportBatchReportJsonResult,
  ExportEntriesQuery,
  ExportPayoutsQuery,
  ExportStatementQuery,
  GetAccountActivityQuery,
  GetAccountQuery,
  GetPayoutQuery,
  GetReceiptKeysResult,
  GetWebhookActivityQuery,
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
  ListKeysQuery,
  ListPayoutEventsQuery,
  ListPayoutsQuery,
  ListRequestsQuery,
  ListRulesProposalsQuery,
  ListScheduledPayoutsQuery,
  ListTeamMembersQuery,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  ListWebhookEventsQuery,
  ListWebhookReplaysQuery,
  LoggedRequest,
  MerchantProfile,
  Payout,
  PayoutEvent,
  PayoutItem,
  Quote,
  ReissuePayoutRequest,
  RejectBatchRequest,
  RejectPayoutRequest,
  RejectProposalRequest,
  RejectScheduledPayoutRequest,
  RemoveTeamMemberQuery,
  RemovedTeamMember,
  RequestForQuoteRequest,
  RevokeKeyQuery,
  RevokedApiKey,
  RotateSecretRequest,
  RulesProposal,
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
  SetApprovalRulesRequest,
  SetMerchantLogoRequest,
  SignedReceipt,
  TeamMember,
  UpdateAccountRequest,
  UpdateBeneficiaryRequest,
  UpdateEndpointRequest,
  UpdateMemberRequest,
  UpdateMerchantProfileRequest,
  ValidateBatchQuery,
  ValidatedBeneficiary,
  WebhookActivity,
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
  validateCrypto(body: CreateCryptoBeneficiaryRequest, options: CallOptions = {}): Promise<ValidatedBeneficiary> {
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
  validateFiat(body: CreateFiatBeneficiaryRequest, options: CallOptions = {}): Promise<ValidatedBeneficiary> {
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
   * Update beneficiary.
   *
   * Changes your own data of a beneficiary: alias, e-mail address, reference and metadata. Only the fields that are sent change. No payment and no screening uses them, so `screening_status` stays. To change anything else, archive the beneficiary and create a new one.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `updateBeneficiary` of the reference.
   */
  update(beneficiaryId: string, body: UpdateBeneficiaryRequest, options: CallOptions = {}): Promise<Beneficiary> {
    return this.#caller.send({ method: "PATCH", path: `/api/v1/transfer/beneficiaries/${segment(beneficiaryId)}`, body }, options);
  }

  /**
   * Archive beneficiary.
   *
   * New quotes for it are refused (404); existing quotes can still be executed, and it remains readable.
   *
   * Scope: `beneficiary:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Creates a link to a hosted page on which a beneficiary enters its own bank account or wallet, so you never handle it. The page requests the fields of the matching forms of Discover beneficiary forms, and names you as the requesting party. It accepts details once. They become a beneficiary of yours, which is screened like any other, and the link's `beneficiary_id`. The page doesn't show screening results.
   *
   * Only this response contains the URL, which expires.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Returns the costs and amounts of a payout, valid until `expired_at`. Send `source_amount` or `receiving_amount`; if both are sent, `source_amount` is used, and `Disburse-Warnings` says so. Amounts outside the corridor's `limits` are quoted too, but executing such a quote is refused: the header `Disburse-Warnings` then names the limits.
   *
   * An unknown account, beneficiary or pair of currencies (see List corridors) is `RECORD_NOT_FOUND`. `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked`: read its `screening_status`. While that is `pending`, the error is `BENEFICIARY_NOT_READY`: try again after `Retry-After`.
   *
   * Scope: `quote:write`.
   *
   * Additional error codes: `CORRIDOR_NOT_ACTIVE`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `SOURCE_ACCOUNT_CLOSED`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `requestQuote` of the reference.
   */
  request(body: RequestForQuoteRequest, options: CallOptions & { readonly dryRun: true }): Promise<DryRun>;
  request(body: RequestForQuoteRequest, options?: CallOptions & { readonly dryRun?: false | undefined }): Promise<Quote>;
  request(body: RequestForQuoteRequest, { dryRun, ...options }: CallOptions & { readonly dryRun?: boolean | undefined } = {}): Promise<Quote | DryRun> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/rfq`, body, dryRun }, options);
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
   * Executes a quote, once. The money is held before the response is sent; webhooks and Get payout report the outcome. If your approval rules require it, the payout waits with `sub_status` `awaiting_approval`. They consider its amount, or its sum with other payouts to the same account or by the same actor. A quote that was refused for balance or limits stays open. `succeeded` is not always final: a bank can return the money, and the payout becomes `failed`.
   *
   * `ACCESS_FORBIDDEN` is also returned if the beneficiary is in `review` or `blocked` (read its `screening_status`) or its corridor was closed. While the `screening_status` is `pending`, the error is `BENEFICIARY_NOT_READY`: try again after `Retry-After`. `LIMIT_EXCEEDED`: your payouts, or those to this account or wallet, have reached a limit of count or amount in an hour or a day; the message says which limit, and when it will allow the payout.
   *
   * `POSSIBLE_DUPLICATE`: your account has the duplicate guard (the operator can turn it on), and an earlier payout matches. That payout, the error's `payout_id`, was executed within the guard's window and has not failed. It has the same account or wallet, the same non-empty `reference_id` and the same source or receiving amount. The guard ignores case, white space and look-alike letters in the reference, and compares the account, not the beneficiary record. Execute the quote with `allow_duplicate` if you mean to pay twice.
   *
   * `queue_if_low_balance`: if the account has too little money, the payout waits for it instead of `INSUFFICIENT_BALANCE`. The response has `sub_status` `awaiting_balance`, `expires_at` and `max_source_amount`. Nothing is held, and the quote is used up. When the account has the money, the payout is quoted again and paid under the same id, within `max_source_amount`. The oldest waiting payout of an account comes first; a smaller one doesn't overtake it. A price above the maximum is tried again every ten minutes. At `expires_at` it fails with `INSUFFICIENT_BALANCE` or `COST_ABOVE_MAXIMUM`, its last reason. Approval rules, limits and the duplicate guard apply when it is paid. Cancel payout ends the wait.
   *
   * In the sandbox the simulated rail rejects a payout whose `reference_id` begins with `sandbox-fail`, settles and then returns one with `sandbox-return`, and does not know the outcome of one with `sandbox-unknown` until it is polled again.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `ALREADY_PROCESSED`, `AMOUNT_NOT_WITHIN_LIMITS`, `INSUFFICIENT_BALANCE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `POSSIBLE_DUPLICATE`, `SOURCE_ACCOUNT_CLOSED`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `executePayout` of the reference.
   */
  execute(body: ExecutePayoutRequest, options: CallOptions & { readonly dryRun: true }): Promise<DryRun>;
  execute(body: ExecutePayoutRequest, options?: CallOptions & { readonly dryRun?: false | undefined }): Promise<ExecutedPayout>;
  execute(body: ExecutePayoutRequest, { dryRun, ...options }: CallOptions & { readonly dryRun?: boolean | undefined } = {}): Promise<ExecutedPayout | DryRun> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/execute`, body, dryRun }, options);
  }

  /**
   * Cancel payout.
   *
   * Cancels a payout that is `queued`, that waits for balance, or that its rail has not begun to pay, such as one in a bank batch that has not been sent. Returns the payout, `failed` with `sub_status` `cancelled`. Its money is available again, a webhook follows, and its quote stays used. A repeat returns the same response. `NOT_CANCELLABLE`: its rail is paying it, or it is final. `SERVICE_UNAVAILABLE`: its rail did not answer; repeat the request, or read the payout.
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
   * Approves a payout with `sub_status` `awaiting_approval`, which is then `queued`; one that waited for balance when its API key was revoked is `awaiting_balance` again. The API key needs the scope `payout:approve`, and may not be the one that executed the payout. The beneficiary's screening, the corridor and your limits are checked again; if one of them refuses, the payout keeps waiting. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or never needed approval.
   *
   * Your approval rules decide which payouts need approval: see Set approval rules. The rate of the quote stays valid while the payout waits, for 24 hours by default. After that the payout is cancelled and its money is available again.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `AMOUNT_NOT_WITHIN_LIMITS`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approvePayout` of the reference.
   */
  approve(payoutId: string, body: ApprovePayoutRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/approve`, body }, options);
  }

  /**
   * Reject payout.
   *
   * Rejects a payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`, its money available again; a webhook follows, and its quote stays used. The rules for scope and caller are those of Approve payout.
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
   * Pays again a payout that is `failed` with `sub_status` `returned` or `rejected`. A payout can be reissued once. The request creates a new quote for the same account, currencies and amount (the source or the receiving amount, as in your first request) and executes it at once. Returns the new payout, whose `reissue_of` names the earlier one; the earlier payout's `reissued_as` names the new one. A repeat returns the same response; any other request fails with `ALREADY_PROCESSED`, with the new payout as `payout_id`.
   *
   * Without a body the payout stays the same, at the current rate. Send `beneficiary_id` to pay a corrected account, `max_source_amount` to limit its cost, `reference_id` or `metadata` to change yours. Beneficiary, corridor, limits, balance, approval rules and the duplicate guard apply as for Execute payout; the earlier payout does not count as a duplicate. After a refusal you can still reissue it.
   *
   * `SERVICE_UNAVAILABLE` is also returned while another request reissues the same payout: repeat it.
   *
   * In the sandbox a payout with a `reference_id` such as `sandbox-return` is returned again: send another one.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `ALREADY_PROCESSED`, `AMOUNT_NOT_WITHIN_LIMITS`, `CORRIDOR_NOT_ACTIVE`, `INSUFFICIENT_BALANCE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`, `RECORD_NOT_FOUND`, `BENEFICIARY_NOT_READY`, `IDEMPOTENCY_IN_PROGRESS`, `POSSIBLE_DUPLICATE`, `SOURCE_ACCOUNT_CLOSED`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `reissuePayout` of the reference.
   */
  reissue(payoutId: string, body: ReissuePayoutRequest = {}, options: CallOptions = {}): Promise<Payout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/payouts/${segment(payoutId)}/reissue`, body }, options);
  }

  /**
   * List payouts.
   *
   * Newest first, or as `sort` says. Without a filter, or with `status` alone, `total_count` may lag by a second. With other filters, counting stops at 10,000. A cursor belongs to its `sort` and filters.
   *
   * `failure_code`, `account_id` and `updated_from` have no index, and neither have the filters of an order by amount other than its currency and amounts. With one of these a page reads at most 10,000 payouts that match the others. So it can have fewer than `limit`, even none, although `next_cursor` is not empty; and `total_count` is that of the first 10,000.
   *
   * `expand[]=beneficiary` includes each payout's beneficiary, as in Get beneficiary; it needs the scope `beneficiary:read`.
   *
   * Scope: `payout:read`.
   *
   * Operation `listPayouts` of the reference.
   */
  list(query: ListPayoutsQuery = {}, options: CallOptions = {}): PageRequest<PayoutItem> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/transfer/payouts`, query: { ...query } }, "transactions", options);
  }

  /**
   * Export payouts (CSV).
   *
   * The list as a file, with the filters and `sort` of List payouts: at most 100,000 payouts. If a file has that many rows, export shorter periods with `created_from` and `created_to`. Each row shows its payout as it was when the row was written. A download that breaks off is incomplete: use the file only if the response ended normally.
   *
   * A text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-` or `@`) is prefixed with `'`.
   *
   * Scope: `payout:read`.
   *
   * Operation `exportPayouts` of the reference.
   */
  export(query: ExportPayoutsQuery = {}, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts.csv`, query: { ...query }, answer: "file" }, options);
  }

  /**
   * Export accounting (CSV).
   *
   * The bookings of your payouts in a period of at most 93 days, complete: a row `post` when a payment left an account, a row `return` when it came back. Rows are in order of account and time. The bookings of a past period never change; `metadata` and references are those of the payout as it is now.
   *
   * `amount` is the change of the account, fees included. `fees` is the part that is fees, negative if they are refunded. Times and the day `booked_on` are in UTC. Currencies are ISO 4217 codes, or the codes of crypto currencies. New columns are appended. The rows of an account are those of its statement.
   *
   * A text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-` or `@`) is prefixed with `'`. A download that breaks off is incomplete: use the file only if the response ended normally.
   *
   * Scope: `payout:read`.
   *
   * Operation `exportAccounting` of the reference.
   */
  exportAccounting(query: ExportAccountingQuery = {}, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounting.csv`, query: { ...query }, answer: "file" }, options);
  }

  /**
   * Get payout.
   *
   * One payout as it is now. `expand[]=beneficiary` and `expand[]=quote` include these records, as in Get beneficiary and Get quote; each needs its own read scope.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getPayout` of the reference.
   */
  get(payoutId: string, { expand, ...options }: CallOptions & GetPayoutQuery = {}): Promise<Payout> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}`, query: { "expand[]": expand } }, options);
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
   * Returns a signed record of the payout's outcome so far. You can check it without us: `npx disburse verify receipt.json`, or `verifyReceipt` of the SDK, with the public keys of `/.well-known/disburse-keys.json`. It names the entries of the account's ledger by their hashes, which the account's statement has too.
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

  /**
   * Get receipt (PDF).
   *
   * The human-readable receipt of a payout, with the signed `receipt.json` attached.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getPayoutReceiptPdf` of the reference.
   */
  getReceiptPdf(payoutId: string, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/payouts/${segment(payoutId)}/receipt.pdf`, answer: "file" }, options);
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
   * Schedules a payout for `scheduled_at`. The body has the fields of a quote and of its execution. No money is held until then, unless you send `reserve`. At that time it is quoted and executed at once, as by Request for quote and Execute payout. If they refuse it, it is `failed`, with their code as `failure_code`, such as `INSUFFICIENT_BALANCE`. A quote above `max_source_amount` is not executed: `COST_ABOVE_MAXIMUM`. If the beneficiary's screening is still `pending`, it waits for up to 24 hours.
   *
   * With `reserve`, `max_source_amount` is held from now on, so that other payouts can't spend it. If there is too little money now, the request is refused with `INSUFFICIENT_BALANCE`, and nothing is scheduled. When its payout is created, the payout holds its cost from the reservation, and the rest is available again. A scheduled payout that fails or is cancelled gives everything back.
   *
   * The webhooks of its payout begin when the payout exists. One that failed without a payout sends none: read it, or list by `sub_status=rejected`.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `INSUFFICIENT_BALANCE`, `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `SOURCE_ACCOUNT_CLOSED`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Approves a scheduled payout with `sub_status` `awaiting_approval`. Its payout is created at the scheduled time, or at once if that time has passed. Your approval rules then apply to it as to any other payout. The API key needs the scope `payout:approve`, and may not count as one actor with the creator. `NOT_AWAITING_APPROVAL`: it was decided before, was cancelled, has expired, or was never held.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approveScheduledPayout` of the reference.
   */
  approve(scheduledPayoutId: string, body: ApproveScheduledPayoutRequest = {}, options: CallOptions = {}): Promise<ScheduledPayout> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/scheduled-payouts/${segment(scheduledPayoutId)}/approve`, body }, options);
  }

  /**
   * Reject scheduled payout.
   *
   * Rejects a scheduled payout with `sub_status` `awaiting_approval`: it is `failed` with `sub_status` `cancelled` and `failure_code` `APPROVAL_REJECTED`. The rules for scope and caller are those of Approve scheduled payout.
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
   * Cancels a scheduled payout that waits for its time or its approval. If its payout exists, cancels that payout as in Cancel payout, until it is submitted. A repeat returns the same response. `NOT_CANCELLABLE`: its payout is submitted or final, or it failed. `SERVICE_UNAVAILABLE`: its payout is being created; repeat the request.
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
   * Creates a batch of up to 10,000 payouts from one account, as JSON or as a CSV file of at most 8 MiB. A file has a header row with the field names of a line, in any order; `metadata.order` is the key `order` of its metadata. Its `Content-Type` is `text/csv` or `application/vnd.ms-excel`, its text UTF-8. Commas, semicolons or tabs separate the cells. Empty rows and columns are ignored.
   *
   * Every line is checked. One response names all mistakes: `violations` has each field with its line, the row of the file (the header is row 1) and the line's `reference_id`. A value that is wrong in many lines is one violation, with all these lines. `lines[0]` is the first line. No money is held or paid before you approve the batch.
   *
   * With `corrects_batch_id`, the batch pays failed lines of an earlier batch again. Each line needs the `reference_id` of a failed line. A line that has not failed, or that another batch pays again, is refused.
   *
   * Each `Idempotency-Key` creates one batch. The same lines under another key are another batch, such as next month's payroll.
   *
   * Scope: `payout:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `createBatch` of the reference.
   */
  create(body: CreateBatchRequest | string, { reference_id, file_name, corrects_batch_id, queue_if_low_balance, expires_at, decimal_separator, ...options }: CallOptions & CreateBatchQuery = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches`, body, query: { reference_id, file_name, corrects_batch_id, queue_if_low_balance, expires_at, decimal_separator } }, options);
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
   * Validate batch.
   *
   * Checks a batch without storing or holding anything. It takes the bodies and files of Create batch, and returns the mistakes that Create batch would refuse, and what would fail each line if it were paid at this time: the beneficiary's screening, the corridor and its limits, the fees, your velocity limits and the duplicate guard. Earlier lines count towards limits. It also returns the totals, and tells whether the balance covers them and who has to approve. A later payment can differ: rates, screening and balance may change.
   *
   * Scope: `payout:write`.
   *
   * Operation `validateBatch` of the reference.
   */
  validate(body: CreateBatchRequest | string, { reference_id, file_name, corrects_batch_id, queue_if_low_balance, expires_at, decimal_separator, ...options }: CallOptions & ValidateBatchQuery = {}): Promise<BatchValidation> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches/validate`, body, query: { reference_id, file_name, corrects_batch_id, queue_if_low_balance, expires_at, decimal_separator } }, options);
  }

  /**
   * Template (CSV).
   *
   * A CSV file with the header row of a batch, to fill in with a spreadsheet. Add columns such as `metadata.department` for your own data, and remove optional columns that you don't need.
   *
   * Scope: `payout:read`.
   *
   * Operation `getBatchTemplate` of the reference.
   */
  getTemplate(options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/batches/template.csv`, answer: "file" }, options);
  }

  /**
   * Approve batch.
   *
   * Approves a batch. `max_total_amount` must be at least the sum of the lines with a source amount (`source_total`). The payouts are then created in the order of the lines. Each line is quoted and executed at once; a refusal fails only that line, with the refusal's code. A line that would bring the cost of the batch above `max_total_amount` fails with `BATCH_TOTAL_EXCEEDED`. `NOT_AWAITING_APPROVAL`: it was decided or cancelled before.
   *
   * The API key needs the scope `payout:approve`. If your rules require it, the key may not be the creator of the batch. If another actor has approved the batch, its payouts need no further approval. If its creator has approved it, your approval rules apply to each payout.
   *
   * Scope: `payout:approve`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `NOT_AWAITING_APPROVAL`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approveBatch` of the reference.
   */
  approve(batchId: string, body: ApproveBatchRequest, options: CallOptions = {}): Promise<Batch> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/batches/${segment(batchId)}/approve`, body }, options);
  }

  /**
   * Reject batch.
   *
   * Rejects a batch that awaits approval: it is `cancelled` with all its lines. The rules for scope and caller are those of Approve batch.
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
   * Cancels a batch that is not approved. If the batch is running, cancels only the lines that have not started. Existing payouts continue; you can cancel each of them separately. `NOT_CANCELLABLE`: the batch is finished.
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

  /**
   * Report (CSV).
   *
   * All lines of a batch as a file: one column for each field of List lines, with exact amounts. It shows each line as it was at the time of the download. Use the file only if the response ended normally. A text that a spreadsheet would run as a formula is prefixed with `'`.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `exportBatchReport` of the reference.
   */
  exportReport(batchId: string, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/batches/${segment(batchId)}/report.csv`, answer: "file" }, options);
  }

  /**
   * Failed lines (CSV).
   *
   * The lines for which no payout was created, as a file with the columns of the template and the columns `failure_code` and `failure_message`, which an upload ignores. Correct the lines and upload the file with `corrects_batch_id`. A payout that failed after it was created is not in this file: use Reissue payout. Lines that another batch already pays again are left out.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `exportFailedBatchLines` of the reference.
   */
  exportFailedLines(batchId: string, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/batches/${segment(batchId)}/failed-lines.csv`, answer: "file" }, options);
  }

  /**
   * Report (JSON).
   *
   * The same report as JSON, together with the batch.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `exportBatchReportJson` of the reference.
   */
  exportReportJson(batchId: string, options: CallOptions = {}): Promise<ExportBatchReportJsonResult> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/batches/${segment(batchId)}/report.json`, answer: "body" }, options);
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
  get(accountId: string, { as_of, ...options }: CallOptions & GetAccountQuery = {}): Promise<Account> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}`, query: { as_of } }, options);
  }

  /**
   * Update account.
   *
   * Sets your own name of an account and its `low_balance_threshold`. Only the fields that are sent change. When the available balance falls below the threshold, endpoints that name `account.balance_low` get one event. The next one follows only after the balance was at or above the threshold again. A new threshold above the present balance counts as a fall, unless the balance was below the previous threshold too.
   *
   * Scope: `account:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `updateAccount` of the reference.
   */
  update(accountId: string, body: UpdateAccountRequest, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "PATCH", path: `/api/v1/transfer/accounts/${segment(accountId)}`, body }, options);
  }

  /**
   * Close account.
   *
   * Closes an account without available money. It takes no new quotes, payouts, scheduled payouts and credits: `SOURCE_ACCOUNT_CLOSED`. Request for quote can accept it for up to five minutes more; executing such a quote is refused at once. A batch from it is `INVALID_REQUEST`. Payouts that hold its money end as usual, and returned money still arrives. Payouts and lines that wait for its balance fail with `SOURCE_ACCOUNT_CLOSED`, and so do scheduled payouts and lines of batches that are due later. Statements stay. A repeat returns the same response. `STATE_NOT_REACHABLE`: pay out what is available first, and cancel scheduled payouts that reserve money. Only an operator can open the account again.
   *
   * Scope: `account:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `closeAccount` of the reference.
   */
  close(accountId: string, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "POST", path: `/api/v1/transfer/accounts/${segment(accountId)}/close` }, options);
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

  /**
   * Export entries (CSV).
   *
   * The complete statement as a file, newest first: one column for each field of List entries, with exact amounts. It is a snapshot as of its first line: entries written during the download are not included. A download that breaks off is incomplete: use the file only if the response ended normally.
   *
   * A note that a spreadsheet would run as a formula (it begins with `=`, `+`, `-` or `@`) is prefixed with `'`.
   *
   * Scope: `account:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `exportEntries` of the reference.
   */
  exportEntries(accountId: string, query: ExportEntriesQuery = {}, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}/entries.csv`, query: { ...query }, answer: "file" }, options);
  }

  /**
   * Export statement.
   *
   * Lists the changes of an account's balance in a period, oldest first: credits, payouts, returns and reversals. The balance includes money held for payouts in progress, so a hold doesn't change it. The opening balance and the lines add up to the closing balance, to the last digit; a period without lines has two equal balances.
   *
   * `csv`: a row for the opening balance, one for each line, one for the closing balance. `camt053`: camt.053.001.08 of ISO 20022, for accounts in USD, EUR and INR. `pdf`: at most 2,000 lines. A download that breaks off is incomplete: use the file only if the response ended normally.
   *
   * Scope: `account:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `exportStatement` of the reference.
   */
  exportStatement(accountId: string, query: ExportStatementQuery = {}, options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}/statements`, query: { ...query }, answer: "file" }, options);
  }

  /**
   * Get account activity.
   *
   * Sums the lines of an account's statement by UTC day, with the balances at the end of each day. `post` counts payouts that left the account, `release` those that did not, because they failed or were cancelled, and `return` those that came back. The figures are at most 60 seconds old. An account with more than 1,000,000 lines in the period is refused: ask for fewer days.
   *
   * Scope: `account:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getAccountActivity` of the reference.
   */
  getActivity(accountId: string, { first_day, last_day, ...options }: CallOptions & GetAccountActivityQuery = {}): Promise<AccountActivity> {
    return this.#caller.send({ method: "GET", path: `/api/v1/transfer/accounts/${segment(accountId)}/activity`, query: { first_day, last_day } }, options);
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
   * It receives the events that it subscribes to from now on; in live mode once its URL is verified, and with `paused` once it is resumed. The response contains its two secrets, which are not shown again.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `deleteWebhookEndpoint` of the reference.
   */
  delete(endpointId: string, options: CallOptions = {}): Promise<DeletedWebhookEndpoint> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/webhooks/endpoints/${segment(endpointId)}` }, options);
  }

  /**
   * Pause webhook endpoint.
   *
   * The platform sends nothing to the endpoint until you resume it; its events wait. The time of the pause does not count towards the 24 hours of a delivery.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
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
   * The staged secrets sign all webhooks from now on. `STATE_NOT_REACHABLE`: no secrets are staged.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
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
   * One delivery with its attempts and the latest request.
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
   * Sends the event once more, from the start of the schedule: a new delivery with the same `webhook-id`. A `pending` delivery gets no second one: its next attempt is brought forward instead. Nothing changes while an attempt is running, or while the delivery waits for an earlier event of its transaction.
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
   * Get webhook activity.
   *
   * Counts deliveries by the UTC day of their creation. The counts are at most 60 seconds old. More than 1,000,000 deliveries in the period are refused: ask for fewer days.
   *
   * Scope: `webhook:read`.
   *
   * Operation `getWebhookActivity` of the reference.
   */
  getActivity(query: GetWebhookActivityQuery = {}, options: CallOptions = {}): Promise<WebhookActivity> {
    return this.#caller.send({ method: "GET", path: `/api/v1/webhooks/activity`, query: { ...query } }, options);
  }

  /**
   * Replay many webhooks.
   *
   * Resends every delivery of an endpoint that was created in a period and is in one of the states, of all or of chosen event types, oldest first, at a limited rate. An endpoint has one replay at a time; it waits while the endpoint is paused and ignores the endpoint's current event types.
   *
   * Scope: `webhook:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
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
   * Additional error codes: `RECORD_NOT_FOUND`.
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
   * Returns every event of the last 90 days once, regardless of your endpoints. Use it to catch up after an outage, or instead of webhooks. Store the events, then `next_cursor`, and continue from there. Events of one transaction may be out of order: sort them by `sequence`. Opt-in events are included from the time at which an endpoint names their type. Test events are not included.
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
   * Your requests of the last 7 days, newest first: those of your API keys, unless `caller` or `request_id` says otherwise. No query, body or header is kept. A request is listed a few seconds after its response, and requests without a valid key are not listed. It is a log for debugging: in a crash, or above 250 requests a second, some may be missing.
   *
   * Scope: `webhook:read`.
   *
   * Operation `listRequests` of the reference.
   */
  list(query: ListRequestsQuery = {}, options: CallOptions = {}): PageRequest<LoggedRequest> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/requests`, query: { ...query } }, "requests", options);
  }
}

/** The rules by which your payouts await approval, and proposals to loosen them. */
export class ApprovalRules {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Get approval rules.
   *
   * The rules by which your payouts await approval, as they are in force.
   *
   * Scope: `payout:read`.
   *
   * Operation `getApprovalRules` of the reference.
   */
  get(options: CallOptions = {}): Promise<ApprovalRuleSet> {
    return this.#caller.send({ method: "GET", path: `/api/v1/approval-rules` }, options);
  }

  /**
   * Set approval rules.
   *
   * Replaces your approval rules. Rules that are at least as strict as the present ones are in force within two seconds. Otherwise nothing changes yet: the response has a `proposal`, which another actor approves within a day. A higher or removed amount, a shorter window, fewer days, batches without approval and a longer time for approvals are loosening, even if other rules become stricter. Payouts that already await approval keep waiting, whatever changes.
   *
   * One actor is a root key or a member of your team, with every key and member made from it. If you have no other admin, an operator of the platform decides. Needs the scope `payout:control`. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `payout:control`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setApprovalRules` of the reference.
   */
  set(body: SetApprovalRulesRequest, options: CallOptions = {}): Promise<ApprovalRulesChange> {
    return this.#caller.send({ method: "POST", path: `/api/v1/approval-rules`, body }, options);
  }

  /**
   * List proposals of approval rules.
   *
   * Your proposals to loosen the approval rules, newest first.
   *
   * Scope: `payout:read`.
   *
   * Operation `listRulesProposals` of the reference.
   */
  listProposals(query: ListRulesProposalsQuery = {}, options: CallOptions = {}): PageRequest<RulesProposal> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/approval-rules/proposals`, query: { ...query } }, "proposals", options);
  }

  /**
   * Get proposal of approval rules.
   *
   * One proposal to loosen the approval rules.
   *
   * Scope: `payout:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getRulesProposal` of the reference.
   */
  getProposal(proposalId: string, options: CallOptions = {}): Promise<RulesProposal> {
    return this.#caller.send({ method: "GET", path: `/api/v1/approval-rules/proposals/${segment(proposalId)}` }, options);
  }

  /**
   * Approve proposal of approval rules.
   *
   * Puts the proposed rules in force. Only another actor than the proposer can approve. `INVALID_REQUEST`: the proposal is no longer open, or the rules have changed since it was made. Needs the scope `payout:control`. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `payout:control`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `approveRulesProposal` of the reference.
   */
  approveProposal(proposalId: string, body: ApproveProposalRequest, options: CallOptions = {}): Promise<RulesProposal> {
    return this.#caller.send({ method: "POST", path: `/api/v1/approval-rules/proposals/${segment(proposalId)}/approve`, body }, options);
  }

  /**
   * Reject proposal of approval rules.
   *
   * Ends a proposal of another actor. Needs the scope `payout:control`.
   *
   * Scope: `payout:control`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `rejectRulesProposal` of the reference.
   */
  rejectProposal(proposalId: string, body: RejectProposalRequest, options: CallOptions = {}): Promise<RulesProposal> {
    return this.#caller.send({ method: "POST", path: `/api/v1/approval-rules/proposals/${segment(proposalId)}/reject`, body }, options);
  }

  /**
   * Withdraw proposal of approval rules.
   *
   * Ends your own proposal. Needs the scope `payout:control`.
   *
   * Scope: `payout:control`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `withdrawRulesProposal` of the reference.
   */
  withdrawProposal(proposalId: string, options: CallOptions = {}): Promise<RulesProposal> {
    return this.#caller.send({ method: "POST", path: `/api/v1/approval-rules/proposals/${segment(proposalId)}/withdraw` }, options);
  }
}

/** What you keep about your company, and the look of the pages for your payees. */
export class CompanyProfile {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Get company profile.
   *
   * What you keep about your company, and the look of your beneficiary links.
   *
   * Scope: `merchant:read`.
   *
   * Operation `getMerchant` of the reference.
   */
  getMerchant(options: CallOptions = {}): Promise<MerchantProfile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/merchant` }, options);
  }

  /**
   * Update company profile.
   *
   * Changes what you keep about your company. Only the fields that are sent change; an empty text removes one. The operator's registered `name` stays. The pages of beneficiary links have your `color`, unless a link has its own; the text on it is black or white, whichever is easier to read.
   *
   * Scope: `merchant:write`.
   *
   * Operation `updateMerchant` of the reference.
   */
  updateMerchant(body: UpdateMerchantProfileRequest, options: CallOptions = {}): Promise<MerchantProfile> {
    return this.#caller.send({ method: "PATCH", path: `/api/v1/merchant`, body }, options);
  }

  /**
   * Set logo.
   *
   * Sets the logo of the pages of your beneficiary links. It is public: everyone with such a link sees it.
   *
   * Scope: `merchant:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `setMerchantLogo` of the reference.
   */
  setMerchantLogo(body: SetMerchantLogoRequest, options: CallOptions = {}): Promise<MerchantProfile> {
    return this.#caller.send({ method: "POST", path: `/api/v1/merchant/logo`, body }, options);
  }

  /**
   * Remove logo.
   *
   * Removes the logo of the pages of your beneficiary links.
   *
   * Scope: `merchant:write`.
   *
   * Operation `removeMerchantLogo` of the reference.
   */
  removeMerchantLogo(options: CallOptions = {}): Promise<MerchantProfile> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/merchant/logo` }, options);
  }

  /**
   * Get logo.
   *
   * The logo of the pages of your beneficiary links.
   *
   * Scope: `merchant:read`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `getMerchantLogo` of the reference.
   */
  getMerchantLogo(options: CallOptions = {}): Promise<DownloadedFile> {
    return this.#caller.send({ method: "GET", path: `/api/v1/merchant/logo.png`, answer: "file" }, options);
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
   * The members of your team, who sign in to the console, with their roles. Oldest first, those who were removed too.
   *
   * Scope: `team:read`.
   *
   * Operation `listTeamMembers` of the reference.
   */
  list(query: ListTeamMembersQuery = {}, options: CallOptions = {}): PageRequest<TeamMember> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/team/members`, query: { ...query } }, "members", options);
  }

  /**
   * Add team member.
   *
   * Invites a person. They become active when they sign in to the console with that verified address and accept the invitation. The platform sends no message, so inform them yourself. You can give a role only if you have all of its scopes yourself. An API key with networks or an expiry time can't give a role; a member, or a key without them, can. A person whom an API key invites counts as one actor with that key. A merchant has at most 200 members. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `team:write`.
   *
   * Additional error codes: `IDEMPOTENCY_IN_PROGRESS`, `STATE_NOT_REACHABLE`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `addTeamMember` of the reference.
   */
  add(body: AddMemberRequest, options: CallOptions = {}): Promise<TeamMember> {
    return this.#caller.send({ method: "POST", path: `/api/v1/team/members`, body }, options);
  }

  /**
   * Change role of team member.
   *
   * The new role applies from the member's next request. You can give a role only if you have all of its scopes yourself; an API key with networks or an expiry time can't give one. The last admin can't get another role; an admin who has not accepted yet does not count. A person of your team needs a sign-in of the last 15 minutes for it.
   *
   * Scope: `team:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `STATE_NOT_REACHABLE`.
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
   * Held orders have `sub_status` or state `awaiting_approval`. An actor that doesn't count as one actor with their creator must approve or reject them (Approve scheduled payout, Approve batch, Approve payout). The events `scheduled_payout.approval_required`, `batch.approval_required` and `payout.approval_required` report them. If no one decides within your approval time (24 hours by default) after their time, they fail with `APPROVAL_EXPIRED`. Existing payouts continue unless you cancel them. `SERVICE_UNAVAILABLE`: the access has ended, and its orders are handled automatically; repeat the request to read them.
   *
   * Scope: `team:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `STATE_NOT_REACHABLE`.
   *
   * Operation `removeTeamMember` of the reference.
   */
  remove(memberId: string, { orders, ...options }: CallOptions & RemoveTeamMemberQuery = {}): Promise<RemovedTeamMember> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/team/members/${segment(memberId)}`, query: { orders } }, options);
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
   * Your API keys, without their secret parts. Oldest first, those that were revoked too.
   *
   * Scope: `key:read`.
   *
   * Operation `listKeys` of the reference.
   */
  list(query: ListKeysQuery = {}, options: CallOptions = {}): PageRequest<ApiKey> {
    return new PageRequest(this.#caller, { method: "GET", path: `/api/v1/keys`, query: { ...query } }, "keys", options);
  }

  /**
   * Create API key.
   *
   * The response contains the key, which is not shown again. A key can't exceed the scopes, networks and expiry time of the key that creates it, and by default has the same networks and expiry time. For a later expiry time, a member must create it. A person of your team needs a sign-in of the last 15 minutes for it.
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
   * Held orders have `sub_status` or state `awaiting_approval`. An actor that doesn't count as one actor with their creator must approve or reject them (Approve scheduled payout, Approve batch, Approve payout). The events `scheduled_payout.approval_required`, `batch.approval_required` and `payout.approval_required` report them. If no one decides within your approval time (24 hours by default) after their time, they fail with `APPROVAL_EXPIRED`. Existing payouts continue unless you cancel them. `SERVICE_UNAVAILABLE`: the access has ended, and its orders are handled automatically; repeat the request to read them.
   *
   * Scope: `key:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`.
   *
   * Operation `revokeKey` of the reference.
   */
  revoke(keyId: string, { orders, ...options }: CallOptions & RevokeKeyQuery = {}): Promise<RevokedApiKey> {
    return this.#caller.send({ method: "DELETE", path: `/api/v1/keys/${segment(keyId)}`, query: { orders } }, options);
  }
}

/** Brings your records to the states that you test. Send `Disburse-Sandbox-Error: RATE_LIMITED`, or another code of the operation, with any request under `/api/v1` to get that error before anything is done. A live deployment has none of it. */
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
   * Makes the simulated rail settle a payout now, even if its outcome was unknown. Returns the payout, `succeeded`; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another outcome.
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
   * Makes the simulated rail reject a payout now, with a `failure_code` that you choose. Returns the payout, `failed`, with its money available again; the webhook follows. `STATE_NOT_REACHABLE`: no rail has it, or it has another outcome.
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
   * Makes the simulated rail return a payout's money now, even if the payout settled days ago. Returns the payout, `failed` with `sub_status` `returned`; webhooks follow. `STATE_NOT_REACHABLE`: no rail has it, or it has failed.
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
   * Makes the outcome of a payout unknown to the simulated rail: `sub_status` is `unknown` and the money stays held until you settle, fail or return it. `STATE_NOT_REACHABLE`: no rail has it, or its outcome is known.
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
   * Simulates a fault of every rail for your payouts, for a time: rails don't answer, don't accept new payouts, or have no funds. Takes effect within a second, and a later call replaces it. Other merchants' payouts are not affected.
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
   * Determines the outcomes of your payouts by a seed, so that you can repeat a test run: the n-th payout from now on always has the same outcome and delay. A payout whose `reference_id` begins with `sandbox-` keeps its own behaviour and is not counted. With shares of 0 all payouts settle. Takes effect within a second.
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
   * Sets which of your payouts await approval, and the duplicate guard. Replaces the previous controls; `{}` removes them all. Needs the scope `payout:control`, so that a key that only pays cannot remove the rules. Takes effect within a second. In live mode you set approval rules by `/approval-rules`, where a second actor loosens them, and an operator sets the duplicate guard.
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
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `SOURCE_ACCOUNT_CLOSED`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `creditAccount` of the reference.
   */
  creditAccount(accountId: string, body: SandboxCreditRequest, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/accounts/${segment(accountId)}/credit`, body }, options);
  }

  /**
   * Reopen account.
   *
   * Opens an account that you have closed. In live mode an operator does it.
   *
   * Scope: `account:write`.
   *
   * Additional error codes: `RECORD_NOT_FOUND`, `IDEMPOTENCY_IN_PROGRESS`, `IDEMPOTENCY_KEY_REUSED`.
   *
   * Operation `reopenAccount` of the reference.
   */
  reopenAccount(accountId: string, options: CallOptions = {}): Promise<Account> {
    return this.#caller.send({ method: "POST", path: `/api/v1/sandbox/accounts/${segment(accountId)}/reopen` }, options);
  }

  /**
   * List beneficiary.
   *
   * Puts a beneficiary on a sanctions list of your own, so that its screening is `review` or `blocked`, or removes it from that list. A `pending` beneficiary is screened first. Returns the beneficiary with its `screening_status`; the sandbox's own list still applies to its name. Endpoints that name it get `beneficiary.screening_changed`.
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
   * Attempts a pending delivery now, regardless of its next attempt time and of its reason to wait. `STATE_NOT_REACHABLE`: it has ended, or is being attempted; use Redeliver a webhook to send it again.
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
   * Lapses a delivery that your endpoint has not acknowledged, as if its 24 hours had passed: it is `exhausted` within a second, and can be redelivered or replayed. `STATE_NOT_REACHABLE`: it has ended, or was not attempted yet.
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
   * Sends an event of any type to one endpoint, regardless of its subscriptions. The event is the type's example in this reference, with the status and the fields that you choose, and is signed like every event. Its delivery has `test` set. The event feed does not contain it, and none of your other events waits for it. Fields that you don't choose fit the status: a payout that `failed` has a `failure_code`, for example. `INVALID_REQUEST`: the type has no such status or field, or the values can't occur together.
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

/** Health checks, public signing keys and this reference. No API key is needed. */
export class Receipts {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Keys of receipts.
   *
   * The public keys that receipts are checked with, as a JWK set (RFC 7517). Keep a copy with your receipts.
   *
   * Operation `getReceiptKeys` of the reference.
   */
  getKeys(options: CallOptions = {}): Promise<GetReceiptKeysResult> {
    return this.#caller.send({ method: "GET", path: `/.well-known/disburse-keys.json`, answer: "body" }, options);
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
  readonly approvalRules: ApprovalRules;
  readonly companyProfile: CompanyProfile;
  readonly teamMembers: TeamMembers;
  readonly keys: Keys;
  readonly sandbox: Sandbox;
  readonly receipts: Receipts;

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
    this.approvalRules = new ApprovalRules(caller);
    this.companyProfile = new CompanyProfile(caller);
    this.teamMembers = new TeamMembers(caller);
    this.keys = new Keys(caller);
    this.sandbox = new Sandbox(caller);
    this.receipts = new Receipts(caller);
  }
}
