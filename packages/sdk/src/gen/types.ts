// Generated from docs/openapi.json by `npm run generate`. Do not edit.

/**
 * An exact decimal with the digits that the platform sends: `"100.10"`. Amounts, rates and fees
 * have this type in requests and responses. Calculate with a decimal library, never with
 * `Number`.
 */
export type Decimal = string;

/** Number of records, and the next page. */
export interface PageMeta {
  /** Records on all pages together. */
  total_count: number;
  /** `cursor` of the next page; empty on the last. */
  next_cursor: string;
  /** True if counting stopped at 10,000; otherwise omitted. */
  total_count_capped?: boolean;
}

/** A stored beneficiary: the fields of its form, without document number and birth date. */
export interface Beneficiary {
  /** Its name; of a person in fiat, first and last. */
  beneficiary_name: string;
  /** Follows the transfer type. */
  routing_code_type_1?: string;
  /** A BIC if the routing code type is SWIFT, an ABA routing number if it is ACH CODE. */
  routing_code_value_1?: string;
  /** Masked but for the last four characters. */
  beneficiary_account_number: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type?: string;
  /** Custodian or exchange that holds the wallet, or OTHERS. */
  beneficiary_wallet_custody_provider?: string;
  /** Name of the provider; of the wallet software or provider when the provider is OTHERS. */
  beneficiary_wallet_custody_provider_name?: string;
  /** Address line. */
  beneficiary_address?: string;
  /** City. */
  beneficiary_city?: string;
  /** State. */
  beneficiary_state?: string;
  /** Post code. */
  beneficiary_postcode?: string;
  /** Country of residence; the destination country by default. */
  beneficiary_country_code?: string;
  /** Number of the document. */
  beneficiary_document_id?: string;
  /** Destination currency. */
  destination_currency?: string;
  /** Date of birth, 1900 or later. Not in the future. */
  beneficiary_date_of_birth?: string;
  /** Kind of document. */
  beneficiary_document_type?: string;
  /** Nickname. */
  beneficiary_alias?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
  /** Date of incorporation. Not in the future. */
  beneficiary_date_of_incorporation?: string;
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** `true` for a person with one name, sent as `beneficiary_last_name`; then `beneficiary_first_name` may be left out. */
  beneficiary_single_name?: boolean;
  /** The whole name in Latin letters, as the bank gets it. Required where the name is in a script other than Latin, Greek and Cyrillic. */
  beneficiary_name_latin?: string;
  /** Payment method. */
  transfer_type?: string;
  /** Country that the money is sent to. */
  destination_country?: string;
  /** Second routing code type. */
  routing_code_type_2?: string;
  /** Second routing value. */
  routing_code_value_2?: string;
  /** Country calling code. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_country_code?: string;
  /** Telephone number. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_number?: string;
  /** Name of the bank. */
  beneficiary_bank_name?: string;
  /** Address line of the bank. */
  beneficiary_bank_address?: string;
  /** City of the bank. */
  beneficiary_bank_city?: string;
  /** Post code of the bank. */
  beneficiary_bank_postcode?: string;
  /** State of the bank. */
  beneficiary_bank_state?: string;
  /** Country of the bank. */
  beneficiary_bank_country_code?: string;
  /** Nickname of the counterparty. */
  counter_party_alias?: string;
  /** Relation of the beneficiary to the sender. */
  beneficiary_relationship?: string;
  /** Kind of currency. */
  currency_type?: string;
  /** Kind of bank account. */
  beneficiary_bank_account_type?: string;
  /** IBAN of the account. Blanks are removed, and lower-case letters become capitals. */
  iban?: string;
  /** BIC of the account's bank; the IBAN alone is enough. */
  bic?: string;
  /** Beneficiary id. */
  beneficiary_id: string;
  /** Type of the beneficiary. */
  beneficiary_type: "crypto" | "fiat" | (string & {});
  /** Payment method of the beneficiary. */
  transfer_method: "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "SEPA" | (string & {});
  /** `pending` until it is screened. Only a `cleared` beneficiary can be paid; `review`: a person decides. */
  screening_status: "pending" | "cleared" | "review" | "blocked" | (string & {});
  /** True if it is archived; new quotes for it are refused. */
  archived: boolean;
  /** True if its payment method can carry its fields. A quote for a beneficiary that isn't payable is refused. Create it again with the fields that `unpayable_reason` names. */
  payable: boolean;
  /** The fields that its payment method cannot carry, with the limits; empty if it is payable. */
  unpayable_reason: string;
  created_by?: Actor;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** The beneficiary that was stored. */
export interface CreatedBeneficiary {
  /** Beneficiary id. */
  beneficiary_id: string;
  /** Your oldest earlier beneficiary with the same account or wallet that is not archived; omitted if there is none. Two creations at the same time may both omit it. */
  existing_beneficiary_id?: string;
}

/** Creation would accept the body. */
export interface ValidatedBeneficiary {
  /** Always true: a body with an error is refused. */
  valid: boolean;
}

/** A field of the form. */
export interface BeneficiaryFormField {
  /** Its name in the body. */
  name: string;
  /** Type of its text. */
  type: "text" | "country" | "date" | "email" | "digits" | (string & {});
  /** True if the field is required. */
  required: boolean;
  /** A flag of the body (a JSON boolean) that makes the field optional if it is sent as `true`. */
  required_unless?: string;
  /** Meaning of the field. */
  description: string;
  /** Maximum length in characters. */
  max_length: number;
  /** The only values that are accepted. */
  allowed_values?: string[];
  /** ECMAScript regular expression (flag `u`) that a valid value matches. */
  pattern?: string;
  /** Message for a value that does not match. */
  pattern_message?: string;
  /** Value if it is omitted. */
  default?: string;
  /** A valid value. */
  example: string;
}

/** One kind of beneficiary. */
export interface BeneficiaryForm {
  /** Name of the form. */
  name: string;
  /** Kind of beneficiary. */
  description: string;
  /** Type of the beneficiary. */
  beneficiary_type: "crypto" | "fiat" | (string & {});
  /** Path that you post the body to. */
  path: "/api/v1/transfer/crypto/beneficiary" | "/api/v1/transfer/fiat/beneficiary" | (string & {});
  /** The currency that it is for. */
  destination_currency: string;
  /** The transfer type that it is for; empty for crypto. */
  transfer_type: string;
  /** The type that it is for. */
  beneficiary_account_type: "Individual" | "Corporate" | (string & {});
  /** The fields, in the order in which to show them. */
  fields: BeneficiaryFormField[];
  /** Rules across fields. */
  rules: string[];
}

/** Matching forms. */
export interface BeneficiaryForms {
  /** Empty if no kind of beneficiary matches. */
  forms: BeneficiaryForm[];
}

/** A link, without its URL. */
export interface BeneficiaryLink {
  /** Link id. */
  id: string;
  /** `open`: it can be used until `expires_at`. `used`: details were sent by it. */
  state: "open" | "used" | "expired" | "revoked" | (string & {});
  /** The beneficiary that was made of it; otherwise empty. Read its `screening_status`. */
  beneficiary_id: string;
  /** Why none was made of what was sent, such as `RISK_ANALYSIS_FAILED`; otherwise empty. */
  failure_code: string;
  /** Currency that is paid. */
  destination_currency: string;
  /** As you asked for; otherwise empty. */
  transfer_type: string;
  /** As you asked for; otherwise empty. */
  network: string;
  /** As you asked for; otherwise empty. */
  beneficiary_account_type: string;
  /** As you set it; otherwise empty. */
  beneficiary_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_first_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_last_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_name_latin: string;
  /** Your own reference. */
  reference_id: string;
  /** Your own data, which its beneficiary gets. */
  metadata: Record<string, string>;
  /** Name of the party on whose behalf you ask; empty if you set none. */
  display_name: string;
  /** Your colour; otherwise empty. */
  color: string;
  /** Time from which it accepts no details. */
  expires_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A link with its URL, which is shown only here. */
export interface BeneficiaryLinkWithUrl {
  /** Link id. */
  id: string;
  /** `open`: it can be used until `expires_at`. `used`: details were sent by it. */
  state: "open" | "used" | "expired" | "revoked" | (string & {});
  /** The beneficiary that was made of it; otherwise empty. Read its `screening_status`. */
  beneficiary_id: string;
  /** Why none was made of what was sent, such as `RISK_ANALYSIS_FAILED`; otherwise empty. */
  failure_code: string;
  /** Currency that is paid. */
  destination_currency: string;
  /** As you asked for; otherwise empty. */
  transfer_type: string;
  /** As you asked for; otherwise empty. */
  network: string;
  /** As you asked for; otherwise empty. */
  beneficiary_account_type: string;
  /** As you set it; otherwise empty. */
  beneficiary_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_first_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_last_name: string;
  /** As you set it; otherwise empty. */
  beneficiary_name_latin: string;
  /** Your own reference. */
  reference_id: string;
  /** Your own data, which its beneficiary gets. */
  metadata: Record<string, string>;
  /** Name of the party on whose behalf you ask; empty if you set none. */
  display_name: string;
  /** Your colour; otherwise empty. */
  color: string;
  /** Time from which it accepts no details. */
  expires_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** URL that the beneficiary opens. Anyone who has it can send details once, so send it to the beneficiary alone. Shown once: empty in a replayed response. */
  url: string;
  /** Only in the response to a repeated request: the fields that the first response showed once, and that are empty here. */
  shown_once?: "url"[];
}

/** A stored depositor: the fields of its form, without numbers of documents and birth dates. */
export interface Depositor {
  /** Relation of the depositor to the merchant; `business` is the merchant's own business. */
  depositor_relation?: string;
  /** Wallet address that is valid on one of the networks. Burn addresses, precompiles, system accounts and token contracts are refused. */
  depositor_wallet_address?: string;
  /** The merchant's own id of the business. */
  depositor_business_id?: string;
  /** Type of depositor. */
  depositor_type?: string;
  depositor_details?: DepositorDetails;
  depositor_business_details?: DepositorBusinessDetails;
  /** The owners of the company. At least one is required. */
  company_owner_details?: DepositorCompanyOwnerDetailsItem[];
  /** Depositor id. */
  id: string;
  /** `pending` until it is screened; then `whitelisted`, `review` (a person decides) or `rejected`. */
  status: "pending" | "whitelisted" | "review" | "rejected" | (string & {});
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A new depositor. */
export interface CreatedDepositor {
  /** Depositor id. */
  id: string;
}

/** Costs and amounts of a payout. */
export interface Quote {
  /** Quote id. */
  id: string;
  /** Corridor. */
  corridor_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the account pays, including fees. */
  source_amount: Decimal;
  /** Destination units per one source unit. */
  exchange_rate: Decimal;
  /** Amount that the beneficiary receives. */
  receiving_amount: Decimal;
  /** The source currency. */
  total_fees_currency: string;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** `source_amount` less `total_fees`, exactly. */
  converted_amount: Decimal;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** The quote cannot be executed from this time on. */
  expired_at: string;
  /** Your own data, as you sent it with the request. A payout has its own: send it with Execute payout. */
  metadata: Record<string, string>;
}

/** A pair of source and destination currencies. */
export interface Corridor {
  /** Corridor id. */
  id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** True if quotes are issued now. */
  active: boolean;
  fees: CorridorFees;
  limits: CorridorLimits;
  /** Current destination units per one source unit; omitted if unknown. */
  exchange_rate?: Decimal;
  /** Its time; empty if unknown. */
  rate_as_of: string;
  /** The ways in which its payouts are paid, by the beneficiary's transfer type or network; empty while that is not known. */
  rails: CorridorRailsItem[];
}

/** What the operation would do at this time. Nothing was stored or held. */
export interface DryRun {
  /** True if there is no refusal. */
  would_succeed: boolean;
  /** Every refusal, in the order of the checks. */
  refusals: DryRunRefusalsItem[];
  /** Currency of the account; empty if not known. */
  source_currency_code: string;
  /** Currency of the beneficiary; empty if not known. */
  destination_currency_code: string;
  /** Amount that the account would pay; omitted if it can't be calculated. */
  source_amount?: Decimal;
  /** The fees within it. */
  total_fees?: Decimal;
  /** Amount that the beneficiary would get. */
  receiving_amount?: Decimal;
  /** The rate. */
  exchange_rate?: Decimal;
  /** True if your rules hold the payout for approval. */
  approval_required: boolean;
  /** Why approval is needed. */
  approval_reasons: Array<"amount" | "new_beneficiary" | (string & {})>;
  /** The account's available balance; omitted if the account is not known, or without the scope `account:read`. */
  available_amount?: Decimal;
  /** True if the payout would wait for the account's balance (`queue_if_low_balance`). */
  would_wait: boolean;
  /** Your velocity limits; empty if you have none, or without the scope `account:read`. */
  limits: DryRunLimitsItem[];
}

/** The actor that created a record, or decided on it. */
export interface Actor {
  /** Id of the API key, the team member or the link. Empty for an operator. */
  id: string;
  /** `api_key`; `member`: a person of your team; `link`: the payee, by a beneficiary link; `service` or `operator`: the platform. */
  type: "api_key" | "operator" | "service" | "member" | "link" | (string & {});
  /** The key's description or the member's name; otherwise empty. */
  name: string;
}

/** An approval that your rules ask for, or that a payout needs because the API key that executed it was revoked while it waited for balance. */
export interface Approval {
  /** `waiting`, as decided, `expired` if no one decided in time, or `cancelled` with its payout. */
  state: "waiting" | "approved" | "rejected" | "expired" | "cancelled" | (string & {});
  /** Why your rules need it; empty if the payout waited for balance when its API key was revoked. */
  reasons: Array<"amount" | "new_beneficiary" | (string & {})>;
  /** SHA-256 over what is approved: beneficiary, amounts, and the terms of the quote. If `reasons` is empty: the order, its maximum, and its end. */
  digest: string;
  /** When the payout is cancelled if no one has decided. */
  expires_at: string;
  /** When it was decided; empty until then. */
  decided_at: string;
  decided_by?: Actor;
  /** Why it was rejected; otherwise empty. */
  reason: string;
}

/** A payout. */
export interface Payout {
  /** Payout id. */
  id: string;
  /** The merchant's own reference; empty if none was given. */
  reference_id: string;
  /** `initiated` until the money has arrived or the payout has failed; `succeeded` → `failed` if the money is returned. */
  status: "initiated" | "succeeded" | "failed" | (string & {});
  /** More detail: `unknown` means that the rail does not know the outcome yet; the money is still held. `awaiting_funds`: accepted and not sent yet; the operator must fund the rail, and you need not do anything. `awaiting_approval`: another member or API key of yours must approve it; see `approval`. `awaiting_balance`: your account has too little money, and the payout waits for it (`queue_if_low_balance`); nothing is held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** The merchant's id, `merchant_id` in webhooks. */
  parent_id: string;
  /** Quote that was executed. */
  quote_id: string;
  /** Corridor. */
  corridor_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Amount that the account pays, including fees. */
  source_amount: Decimal;
  /** Amount that the beneficiary receives. */
  receiving_amount: Decimal;
  /** Destination units per one source unit. */
  exchange_rate: Decimal;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** Currency of the fees: the source currency, `total_fees_currency` of the quote. */
  fixed_cost_currency: string;
  /** Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`. */
  unique_transaction_reference: string;
  /** Why it failed: one of `ACCOUNT_BLOCKED`, `ACCOUNT_CLOSED`, `ACCOUNT_NOT_FOUND`, `AMOUNT_NOT_ACCEPTED`, `APPROVAL_EXPIRED`, `APPROVAL_REJECTED`, `BENEFICIARY_BANK_REJECTED`, `BENEFICIARY_NAME_MISMATCH`, `BENEFICIARY_REFUSED`, `CANCELLED`, `CURRENCY_NOT_ACCEPTED`, `INVALID_ACCOUNT`, `INVALID_ADDRESS`, `INVALID_NAME`, `INVALID_REMITTANCE`, `INVALID_ROUTING`, `REGULATORY`, `TRANSFER_REVERTED`, `UNSPECIFIED`; codes may be added. A payout that waited for balance fails with the code of Request for quote or Execute, or `COST_ABOVE_MAXIMUM`. Empty unless `failed`. */
  failure_code: string;
  /** The failure code as an English sentence. */
  failure_message: string;
  /** The rail's own code, such as `AC04` or `R02`; empty if it gave none. */
  rail_code: string;
  /** Transaction hash or bank reference of the payment that came back; empty unless `returned`. */
  returned_reference: string;
  /** The account that pays. */
  account_id: string;
  /** If your request for the quote gave `receiving_amount`; otherwise it gave `source_amount`. Reissue payout keeps that amount. */
  receiving_fixed: boolean;
  /** Your own data, sent with Execute payout. */
  metadata: Record<string, string>;
  /** The scheduled payout that created it; otherwise empty. */
  scheduled_payout_id: string;
  /** The batch that it belongs to; otherwise empty. */
  batch_id: string;
  /** Expected time of payment on its rail. Empty until it is submitted, if the rail gives no time, and if it failed. */
  expected_settlement_at: string;
  approval?: Approval;
  /** When it fails if the money hasn't come. Only of a payout that waits, or ended waiting, for balance. */
  expires_at?: string;
  /** Maximum amount that the account pays when it is quoted again. */
  max_source_amount?: Decimal;
  /** The payout that this one pays again (Reissue payout); otherwise empty. */
  reissue_of: string;
  /** The payout that pays this one again; otherwise empty. */
  reissued_as: string;
  created_by?: Actor;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  beneficiary?: Beneficiary;
  quote?: Quote;
}

/** A payout as it is listed. */
export interface PayoutItem {
  /** Payout id. */
  id: string;
  /** Name of the beneficiary. */
  title: string;
  /** Destination currency and transfer method. */
  sub_title: string;
  /** `initiated` until the money has arrived or the payout has failed; `succeeded` → `failed` if the money is returned. */
  status: "initiated" | "succeeded" | "failed" | (string & {});
  /** More detail: `unknown` means that the rail does not know the outcome yet; the money is still held. `awaiting_funds`: accepted and not sent yet; the operator must fund the rail, and you need not do anything. `awaiting_approval`: another member or API key of yours must approve it; see `approval`. `awaiting_balance`: your account has too little money, and the payout waits for it (`queue_if_low_balance`); nothing is held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** Type of the transaction. */
  transaction_type: "payout_session";
  /** Payment method; `CREDIT_REVERSAL` if it failed or was returned and the money is credited. */
  transfer_method: "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "SEPA" | "CREDIT_REVERSAL" | (string & {});
  /** Money out. */
  transfer_type: "debit";
  /** Transaction hash of a crypto payout that succeeded; otherwise empty. */
  transaction_hash: string;
  /** Bank reference of a fiat payout that succeeded; otherwise empty. */
  bank_reference_number: string;
  /** Name of the beneficiary. */
  beneficiary_name: string;
  /** Masked but for the last four. */
  beneficiary_account_number: string;
  /** The merchant's own reference; empty if none was given. */
  reference_note: string;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Amount that the account pays, including fees. */
  total_cost: Decimal;
  amount: PayoutItemAmount;
  /** Why it failed: one of `ACCOUNT_BLOCKED`, `ACCOUNT_CLOSED`, `ACCOUNT_NOT_FOUND`, `AMOUNT_NOT_ACCEPTED`, `APPROVAL_EXPIRED`, `APPROVAL_REJECTED`, `BENEFICIARY_BANK_REJECTED`, `BENEFICIARY_NAME_MISMATCH`, `BENEFICIARY_REFUSED`, `CANCELLED`, `CURRENCY_NOT_ACCEPTED`, `INVALID_ACCOUNT`, `INVALID_ADDRESS`, `INVALID_NAME`, `INVALID_REMITTANCE`, `INVALID_ROUTING`, `REGULATORY`, `TRANSFER_REVERTED`, `UNSPECIFIED`; codes may be added. A payout that waited for balance fails with the code of Request for quote or Execute, or `COST_ABOVE_MAXIMUM`. Empty unless `failed`. */
  failure_code: string;
  /** The failure code as an English sentence. */
  failure_message: string;
  /** The rail's own code, such as `AC04` or `R02`; empty if it gave none. */
  rail_code: string;
  /** Transaction hash or bank reference of the payment that came back; empty unless `returned`. */
  returned_reference: string;
  /** The account that pays. */
  account_id: string;
  /** Your own data, sent with Execute payout. */
  metadata: Record<string, string>;
  /** The scheduled payout that created it; otherwise empty. */
  scheduled_payout_id: string;
  /** The batch that it belongs to; otherwise empty. */
  batch_id: string;
  created_by?: Actor;
  decided_by?: Actor;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  beneficiary?: Beneficiary;
}

/** A step of a payout. */
export interface PayoutEvent {
  /** `initiated` until the money has arrived or the payout has failed; `succeeded` → `failed` if the money is returned. */
  status: "initiated" | "succeeded" | "failed" | (string & {});
  /** More detail: `unknown` means that the rail does not know the outcome yet; the money is still held. `awaiting_funds`: accepted and not sent yet; the operator must fund the rail, and you need not do anything. `awaiting_approval`: another member or API key of yours must approve it; see `approval`. `awaiting_balance`: your account has too little money, and the payout waits for it (`queue_if_low_balance`); nothing is held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** `executed`: by your request. `submitted`: handed to a rail. `accepted`: taken by the rail. `outcome_unknown`: the rail does not know the outcome. `settled`, `rejected`, `returned`: reported by the rail. `resolved`: decided by two people at the operator. `cancelled`: by your request. `awaiting_funds`: not sent yet, the operator has to fund the rail. `approved`, `approval_rejected`, `approval_expired`: decided by another of your people or API keys, or by no one in time. `reissued`: another payout pays it again; its status stays. `awaiting_balance`: it began to wait for the balance of your account. `not_paid`: it waited, and could not be paid. */
  cause: "executed" | "submitted" | "accepted" | "outcome_unknown" | "settled" | "rejected" | "returned" | "resolved" | "awaiting_funds" | "cancelled" | "approved" | "approval_rejected" | "approval_expired" | "reissued" | "awaiting_balance" | "not_paid" | (string & {});
  /** Version of the payout at this step: the `webhook-sequence` of its status. */
  version: number;
  /** Why it failed: one of `ACCOUNT_BLOCKED`, `ACCOUNT_CLOSED`, `ACCOUNT_NOT_FOUND`, `AMOUNT_NOT_ACCEPTED`, `APPROVAL_EXPIRED`, `APPROVAL_REJECTED`, `BENEFICIARY_BANK_REJECTED`, `BENEFICIARY_NAME_MISMATCH`, `BENEFICIARY_REFUSED`, `CANCELLED`, `CURRENCY_NOT_ACCEPTED`, `INVALID_ACCOUNT`, `INVALID_ADDRESS`, `INVALID_NAME`, `INVALID_REMITTANCE`, `INVALID_ROUTING`, `REGULATORY`, `TRANSFER_REVERTED`, `UNSPECIFIED`; codes may be added. A payout that waited for balance fails with the code of Request for quote or Execute, or `COST_ABOVE_MAXIMUM`. Empty unless `failed`. */
  failure_code: string;
  /** The failure code as an English sentence. */
  failure_message: string;
  /** The rail's own code, such as `AC04` or `R02`; empty if it gave none. */
  rail_code: string;
  /** For `executed`, the payout that this one pays again; otherwise empty. */
  reissue_of: string;
  /** For `reissued`, the payout that pays this one again; otherwise empty. */
  reissued_as: string;
  /** When it took place. */
  created_at: string;
}

/** An accepted payout. */
export interface ExecutedPayout {
  /** Payout id. */
  id: string;
  /** The money is held and the payout is queued, or the payout waits for balance. */
  message: "Transaction Queued" | "Awaiting Balance" | (string & {});
  /** Only if the payout waits for balance. */
  status?: "initiated";
  /** Only if the payout waits for balance. */
  sub_status?: "awaiting_balance";
  /** When it fails if the money hasn't come. Only of a payout that waits, or ended waiting, for balance. */
  expires_at?: string;
  /** Maximum amount that the account pays when it is quoted again. */
  max_source_amount?: Decimal;
}

/** A movement of the payout's money: a link of the account's chain. */
export interface ReceiptEntry {
  /** Id of the entry. */
  id: string;
  /** `hold`, `post`, `release` or `return`. */
  step: string;
  /** Number within the account. */
  sequence: string;
  /** Amount of the movement. */
  amount: string;
  /** When it was written. */
  created_at: string;
  /** `hash` of the account's previous entry. */
  previous_hash: string;
  /** `hash` of the entry, as the account's statement has it. */
  hash: string;
}

/** The outcome of a payout. Every value is text, so that it is signed and checked digit for digit. */
export interface PayoutReceipt {
  /** Payout id. */
  payout_id: string;
  /** Merchant of the payout. */
  merchant_id: string;
  /** Account that paid it. */
  account_id: string;
  /** The merchant's own reference. */
  reference_id: string;
  /** `initiated`, `succeeded` or `failed`. */
  status: string;
  /** As of Get payout. */
  sub_status: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Amount that the account paid, including fees. */
  source_amount: string;
  /** Total fees. */
  total_fees: string;
  /** Destination units per one source unit. */
  exchange_rate: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the beneficiary receives. */
  receiving_amount: string;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Name of the beneficiary. */
  beneficiary_name: string;
  /** Name in Latin letters that the bank got, if you gave one. */
  beneficiary_name_latin?: string;
  /** Masked but for the last four. */
  beneficiary_account_number_masked: string;
  /** `CRYPTO`, `SWIFT`, `ACH`, `LOCAL` or `SEPA`. */
  transfer_method: string;
  /** Network of a crypto payout; otherwise empty. */
  network: string;
  /** Hash or bank reference; empty unless succeeded. */
  unique_transaction_reference: string;
  /** Reference of the returned payment; otherwise empty. */
  returned_reference: string;
  /** Why it failed, else empty. */
  failure_code: string;
  /** The payout that this one pays again; omitted for none. */
  reissue_of?: string;
  /** The payout that pays this one again; omitted for none. */
  reissued_as?: string;
  /** When it was created. */
  created_at: string;
  /** When it changed last. */
  updated_at: string;
  /** When the receipt was created. */
  issued_at: string;
  /** Movements of its money, oldest first. */
  ledger: ReceiptEntry[];
}

/** A receipt and its signature. */
export interface SignedReceipt {
  receipt: PayoutReceipt;
  /** Id of the key in `/.well-known/disburse-keys.json` that signed it. */
  key_id: string;
  /** Ed25519, in base64url, over `disburse payout receipt 1`, a line break, and `receipt` in the canonical form of JSON (RFC 8785). */
  signature: string;
}

/** The decision on a scheduled payout that was held, because the API key that made it was revoked or its person removed. */
export interface ScheduledPayoutApproval {
  /** `waiting`, as decided, `expired` if no one decided in time, or `cancelled` before anyone decided. */
  state: "waiting" | "approved" | "rejected" | "expired" | "cancelled" | (string & {});
  /** SHA-256 over what is approved: account, beneficiary, amount, maximum, your texts, and `scheduled_at`. */
  digest: string;
  /** When it fails if no one has decided. */
  expires_at: string;
  /** When it was decided; empty until then. */
  decided_at: string;
  decided_by?: Actor;
  /** Why it was rejected; otherwise empty. */
  reason: string;
}

/** A payout that is quoted and made at a time. */
export interface ScheduledPayout {
  /** Its id; the payout has one of its own. */
  id: string;
  /** `initiated` while it waits; then its payout's. `failed` without a `payout_id`: no payout was made. */
  status: "initiated" | "succeeded" | "failed" | (string & {});
  /** `scheduled` while it waits for its time, `awaiting_approval` while it is held; then its payout's. Without a `payout_id`, `rejected`: it could not be made, `failure_code` says why; `cancelled`: by your request. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** When its payout is due. */
  scheduled_at: string;
  /** Account that pays. */
  account_id: string;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the account pays, as ordered or as quoted; omitted until known. */
  source_amount?: Decimal;
  /** Amount that the beneficiary receives; omitted until known. */
  receiving_amount?: Decimal;
  /** The maximum amount that the account may pay; omitted if there is no maximum. */
  max_source_amount?: Decimal;
  /** True if its maximum is held from the start. */
  reserve: boolean;
  /** Your own reference; empty if none was given. */
  reference_id: string;
  /** The payout; empty until it is created. */
  payout_id: string;
  /** Reason of the failure; empty unless `failed`. If its payout exists, that payout's code. Otherwise the code that refused its quote or execution, `COST_ABOVE_MAXIMUM`, or, if it was held, `APPROVAL_EXPIRED` or `APPROVAL_REJECTED`. */
  failure_code: string;
  /** The failure code as an English sentence. */
  failure_message: string;
  /** Your own data, which is copied to its payout. */
  metadata: Record<string, string>;
  approval?: ScheduledPayoutApproval;
  created_by?: Actor;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** The decision on a batch. */
export interface BatchApproval {
  /** `waiting`, `approved`, `rejected`, or `cancelled` before anyone decided. `expired`: of a batch that was held, because the API key that made or approved it was revoked or its person removed; no other expires. */
  state: "waiting" | "approved" | "rejected" | "expired" | "cancelled" | (string & {});
  /** True if an actor other than the batch's creator must decide, because your rules require it or the batch was held. */
  by_another: boolean;
  /** SHA-256 of the approved content: the account and the lines. */
  digest: string;
  /** When it was decided; empty until then. */
  decided_at: string;
  decided_by?: Actor;
  /** Why it was rejected; otherwise empty. */
  reason: string;
  /** For a batch that was held, when its unpaid lines fail with `APPROVAL_EXPIRED` if no one has decided; otherwise empty. */
  expires_at: string;
}

/** Many payouts out of one account. */
export interface Batch {
  /** Batch id. */
  id: string;
  /** Your own name for it; empty if none was given. */
  reference_id: string;
  /** Name of the file with its lines; empty if none was given. */
  file_name: string;
  /** The batch whose failed lines this batch pays again; empty for none. */
  corrects_batch_id: string;
  /** `awaiting_approval`: nothing is paid yet, or of a batch that was held nothing more. `running`: its payouts are being made. `finished`: every line has its payout, failed or was cancelled. `cancelled`: before it was approved, or rejected; one that was held after payouts of it were made is `finished` instead. */
  state: "awaiting_approval" | "running" | "finished" | "cancelled" | (string & {});
  /** Account that pays. */
  account_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Number of lines. */
  line_count: number;
  source_total?: BatchSourceTotal;
  /** Totals of the lines with a receiving amount, by currency. */
  receiving_totals: BatchSourceTotal[];
  /** The maximum cost of all lines together; omitted before the approval. */
  max_total_amount?: Decimal;
  /** Cost of its payouts so far, including fees. */
  total_amount: Decimal;
  /** Lines whose payout is not created yet. */
  waiting_count: number;
  /** Lines whose payout was created. */
  executed_count: number;
  /** Lines for which no payout could be created. */
  failed_count: number;
  /** Lines that were cancelled. */
  cancelled_count: number;
  /** When it was approved; empty before. */
  approved_at: string;
  approval: BatchApproval;
  /** True if lines wait when the account has too little money. */
  queue_if_low_balance: boolean;
  /** When lines that wait for balance fail; empty until it is known. */
  expires_at: string;
  /** When it was finished; empty before. */
  finished_at: string;
  created_by?: Actor;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** One payout of a batch. */
export interface BatchLine {
  /** Its place in the batch, from 1. */
  number: number;
  /** `executed`: its payout is made, and `status` says what became of it. `failed`: no payout was made. */
  state: "waiting" | "executed" | "failed" | "cancelled" | (string & {});
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the account pays, as ordered or as quoted; omitted until known. */
  source_amount?: Decimal;
  /** Amount that the beneficiary receives; omitted until known. */
  receiving_amount?: Decimal;
  /** Your own reference; empty if none was given. */
  reference_id: string;
  /** Its payout; empty until it is created. */
  payout_id: string;
  /** Status of its payout. Until the payout is created, `initiated` while its batch awaits approval or the line waits for balance, otherwise omitted. */
  status?: "initiated" | "succeeded" | "failed" | (string & {});
  /** Sub-status of its payout, or `awaiting_approval` with its batch. `awaiting_balance`: the line, or one before it, waits for the balance of the account. */
  sub_status?: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** Reason why no payout was created (the code that refused its quote or execution, `COST_ABOVE_MAXIMUM`, `BATCH_TOTAL_EXCEEDED`, `APPROVAL_EXPIRED`) or why its payout failed; otherwise empty. */
  failure_code: string;
  /** The failure code as an English sentence. */
  failure_message: string;
  /** The batch that pays this failed line again; empty if none does. */
  corrected_by_batch_id: string;
  /** Your own data of the line, which its payout gets. */
  metadata: Record<string, string>;
  /** When it last changed. */
  updated_at: string;
}

/** What would happen to a batch at this time. Nothing was stored or held. */
export interface BatchValidation {
  /** True if there is no problem. */
  valid: boolean;
  /** Number of lines. */
  line_count: number;
  /** Lines without a problem. */
  payable_count: number;
  /** Number of all problems. */
  problem_count: number;
  /** Each problem once, with its lines: the first hundred, with at least one of each kind. */
  problems: BatchValidationProblemsItem[];
  /** Currency of the account; empty if not known. */
  source_currency_code: string;
  /** Cost of all lines that could be priced, including fees. */
  total_amount?: Decimal;
  /** The fees within it. */
  total_fees?: Decimal;
  /** What the beneficiaries would get, by currency. */
  receiving_totals: BatchSourceTotal[];
  /** The account's available balance; omitted without the scope `account:read`. */
  available_amount?: Decimal;
  /** True if the balance covers `total_amount`. */
  balance_sufficient: boolean;
  /** True if your rules require approval by another actor than the creator of the batch. */
  approval_by_another: boolean;
  /** Payouts that your rules hold for approval if the creator of the batch approves it. */
  approval_count: number;
}

/** An account with its balances. */
export interface Account {
  /** Account id. */
  id: string;
  /** Your own name for it; empty if it has none. */
  name: string;
  /** Its currency. */
  currency_code: string;
  /** Available balance. */
  available: Decimal;
  /** Held for payouts in progress and reserved for scheduled ones. */
  held: Decimal;
  /** A fall of `available` below it sends `account.balance_low`; omitted if you set none. */
  low_balance_threshold?: Decimal;
  /** How to send money to it, by the operator: plain text with line breaks; empty if there is none. */
  top_up_instructions: string;
  /** When it was closed; empty while it is open. */
  closed_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** One line of a statement. */
export interface LedgerEntry {
  /** Id of the line: the movement and its step. */
  id: string;
  /** Account id. */
  account_id: string;
  /** Consecutive number within the account, from 1. */
  sequence: number;
  /** `credit`: money was received. `hold`: reserved for a payout. `post`: left the account. `release`: the hold was released. `return`: a payout's money came back. `reversal`: a credit was reversed. `reserve`: held for a scheduled payout. `unreserve`: the reservation ended. */
  step: "credit" | "hold" | "post" | "release" | "return" | "reversal" | "reserve" | "unreserve" | (string & {});
  /** Currency of the amounts. */
  currency_code: string;
  /** Amount of the movement. */
  amount: Decimal;
  /** Available balance after it. */
  available: Decimal;
  /** Held balance after it. */
  held: Decimal;
  /** Change of `available`. */
  available_change: Decimal;
  /** Change of `held`. */
  held_change: Decimal;
  /** Fees of a `post`, negative if a `return` refunds them, else zero. */
  total_fees: Decimal;
  /** The payout that it belongs to; empty for a credit and its reversal. */
  payout_id: string;
  /** The scheduled payout whose reservation it is (`reserve`, `unreserve`), else empty. */
  scheduled_payout_id: string;
  /** Note on the movement. */
  note: string;
  /** Id of the line that it reverses (`return`, `reversal`), else empty. */
  reverses: string;
  /** `hash` of the account's previous line; empty for the first. */
  previous_hash: string;
  /** SHA-256 of the stored line and `previous_hash`: an unbroken chain of hashes proves that the statement is complete and in order. */
  hash: string;
  /** When it was written. */
  created_at: string;
}

/** All movements of one kind on one day. */
export interface AccountMovements {
  /** Kind of movement, as in List entries. */
  step: "credit" | "hold" | "post" | "release" | "return" | "reversal" | "reserve" | "unreserve" | (string & {});
  /** Number of movements. */
  count: number;
  /** Sum of their amounts. */
  amount: Decimal;
}

/** An account on one day. */
export interface AccountDay {
  /** UTC day. */
  date: string;
  /** The kinds of movements that the day has. */
  movements: AccountMovements[];
  /** Available balance at the end of the day, or now for today. */
  available: Decimal;
  /** Held balance at the end of the day, or now for today. */
  held: Decimal;
}

/** The movements and balances of an account by day. */
export interface AccountActivity {
  /** Account id. */
  account_id: string;
  /** Currency of the amounts. */
  currency_code: string;
  /** Each day of the period, the earliest first. */
  days: AccountDay[];
}

/** A URL that webhooks are sent to. */
export interface WebhookEndpoint {
  /** Endpoint id. */
  id: string;
  /** URL that webhooks are sent to. */
  url: string;
  /** Your note; empty if none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified" | (string & {});
  /** Order in which the events of one transaction arrive. */
  order: "none" | "bounded" | "strict" | (string & {});
  /** Event types that it receives: `*` for all. */
  event_types: string[];
  /** Your own headers, each with the value `********`; omitted if there are none. */
  headers?: Record<string, string>;
  /** A new URL that is not verified yet; empty if there is none. */
  pending_url: string;
  /** When it was paused; empty if it is not paused. */
  paused_at: string;
  /** Why it is paused: `requested`, `gone` (every attempt of a delivery got 410 for 24 hours) or `unresponsive` (nothing acknowledged for five days with a delivery due on each). Empty if it is not paused. */
  pause_reason: "" | "requested" | "gone" | "unresponsive" | (string & {});
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** Delivery health, some seconds old. */
export interface WebhookEndpointHealth {
  /** `open`: it acknowledged nothing for 10 s and 10 attempts; one attempt at a time, 5 s apart. */
  circuit: "closed" | "open" | (string & {});
  /** Attempts that may run concurrently; a failure halves it. */
  concurrency_limit: number;
  /** Failures since the last 200. */
  consecutive_failures: number;
  /** When it last returned 200; empty if it never did. */
  last_delivered_at: string;
  /** When an attempt last failed; empty if none has. */
  last_failed_at: string;
  /** Status or error of the last failure; empty if there was none. */
  last_failure: string;
  /** Waiting deliveries, counted up to 10,000. */
  pending_count: number;
  /** When the oldest of them was created; empty if none waits. */
  oldest_pending_at: string;
}

/** An endpoint with its health. */
export interface WebhookEndpointWithHealth {
  /** Endpoint id. */
  id: string;
  /** URL that webhooks are sent to. */
  url: string;
  /** Your note; empty if none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified" | (string & {});
  /** Order in which the events of one transaction arrive. */
  order: "none" | "bounded" | "strict" | (string & {});
  /** Event types that it receives: `*` for all. */
  event_types: string[];
  /** Your own headers, each with the value `********`; omitted if there are none. */
  headers?: Record<string, string>;
  /** A new URL that is not verified yet; empty if there is none. */
  pending_url: string;
  /** When it was paused; empty if it is not paused. */
  paused_at: string;
  /** Why it is paused: `requested`, `gone` (every attempt of a delivery got 410 for 24 hours) or `unresponsive` (nothing acknowledged for five days with a delivery due on each). Empty if it is not paused. */
  pause_reason: "" | "requested" | "gone" | "unresponsive" | (string & {});
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  health: WebhookEndpointHealth;
}

/** An endpoint with the secrets that sign its webhooks, which are shown only here. */
export interface WebhookEndpointWithSecrets {
  /** Endpoint id. */
  id: string;
  /** URL that webhooks are sent to. */
  url: string;
  /** Your note; empty if none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified" | (string & {});
  /** Order in which the events of one transaction arrive. */
  order: "none" | "bounded" | "strict" | (string & {});
  /** Event types that it receives: `*` for all. */
  event_types: string[];
  /** Your own headers, each with the value `********`; omitted if there are none. */
  headers?: Record<string, string>;
  /** A new URL that is not verified yet; empty if there is none. */
  pending_url: string;
  /** When it was paused; empty if it is not paused. */
  paused_at: string;
  /** Why it is paused: `requested`, `gone` (every attempt of a delivery got 410 for 24 hours) or `unresponsive` (nothing acknowledged for five days with a delivery due on each). Empty if it is not paused. */
  pause_reason: "" | "requested" | "gone" | "unresponsive" | (string & {});
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Signs the header `X-SERVICE-Signature`. Shown once: empty in a replayed response. */
  secret: string;
  /** Signs the header `webhook-signature`. Shown once: empty in a replayed response. */
  standard_secret: string;
  /** Only in the response to a repeated request: the fields that the first response showed once, and that are empty here. */
  shown_once?: Array<"secret" | "standard_secret" | (string & {})>;
}

/** A deleted endpoint. */
export interface DeletedWebhookEndpoint {
  /** Endpoint id. */
  id: string;
  /** Always true. */
  deleted: boolean;
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  /** Delivery id. */
  id: string;
  /** Webhook endpoint that it is sent to. */
  endpoint_id: string;
  /** The event's id: the header `webhook-id` of every attempt. */
  event_id: string;
  /** Type of transaction. */
  transaction_type: string;
  /** Id of the transaction. */
  transaction_id: string;
  /** The status that the event reports. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  /** `exhausted`: 24 hours went by without a 200. `cancelled`: its endpoint was deleted. */
  state: "pending" | "delivered" | "exhausted" | "cancelled" | (string & {});
  /** Attempts so far. */
  attempts_count: number;
  /** 0 for the original delivery, otherwise the number of the redelivery. */
  replay: number;
  /** True if you created its event in the sandbox. */
  test: boolean;
  /** Time of the next attempt; empty if there is none. */
  next_attempt_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** One attempt at a delivery. */
export interface WebhookAttempt {
  /** From 1. */
  number: number;
  /** When it began. */
  started_at: string;
  /** Duration in milliseconds. */
  duration_ms: number;
  /** HTTP status of the response; 0 if there was none. */
  status_code: number;
  /** Why there was no response; empty if there was one. */
  error: string;
  /** Body of the response, at most its first 1 KiB. */
  response_body: string;
}

/** The HTTP request of the latest attempt, signed for its time by the endpoint's present secrets. */
export interface WebhookDeliveryRequest {
  /** URL of the endpoint. */
  url: string;
  /** Headers by name. Values of your own headers are masked. */
  headers: Record<string, string>;
  /** The body, byte for byte as it is signed. */
  body: string;
}

/** A delivery with its last 20 attempts, oldest first, and the latest request. */
export interface WebhookDeliveryWithAttempts {
  /** Delivery id. */
  id: string;
  /** Webhook endpoint that it is sent to. */
  endpoint_id: string;
  /** The event's id: the header `webhook-id` of every attempt. */
  event_id: string;
  /** Type of transaction. */
  transaction_type: string;
  /** Id of the transaction. */
  transaction_id: string;
  /** The status that the event reports. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  /** `exhausted`: 24 hours went by without a 200. `cancelled`: its endpoint was deleted. */
  state: "pending" | "delivered" | "exhausted" | "cancelled" | (string & {});
  /** Attempts so far. */
  attempts_count: number;
  /** 0 for the original delivery, otherwise the number of the redelivery. */
  replay: number;
  /** True if you created its event in the sandbox. */
  test: boolean;
  /** Time of the next attempt; empty if there is none. */
  next_attempt_at: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Oldest first. */
  attempts: WebhookAttempt[];
  request?: WebhookDeliveryRequest;
}

/** The deliveries that were created on one day, by their present state. Redeliveries count too. */
export interface WebhookDay {
  /** UTC day. */
  date: string;
  /** Acknowledged by the endpoint. */
  delivered: number;
  /** Still tried. */
  pending: number;
  /** 24 hours went by without a 200. */
  exhausted: number;
  /** The endpoint was deleted. */
  cancelled: number;
}

/** Webhook deliveries by day. */
export interface WebhookActivity {
  /** Each day of the period, the earliest first. */
  days: WebhookDay[];
}

/** A replay of many deliveries. */
export interface WebhookReplay {
  /** Replay id. */
  id: string;
  /** Endpoint whose deliveries are resent. */
  endpoint_id: string;
  /** Deliveries created at or after this time. */
  since: string;
  /** Deliveries created before this time. */
  until: string;
  /** States of the deliveries. */
  states: Array<"exhausted" | "delivered" | "pending" | (string & {})>;
  /** Event types that are resent; omitted for all. */
  event_types?: string[];
  /** Maximum deliveries per second. */
  rate: number;
  /** `done`: everything is queued. `cancelled`: it was cancelled, or its endpoint was deleted. */
  state: "running" | "done" | "cancelled" | (string & {});
  /** Number of deliveries to send when it was requested. */
  total_count: number;
  /** True if counting stopped after 10,000 deliveries of the period; otherwise omitted. */
  total_count_capped?: boolean;
  /** Number of deliveries queued or sent so far. */
  queued_count: number;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** An event as webhooks report it. */
export interface WebhookEventRecord {
  /** Its header `webhook-id`. */
  id: string;
  /** Type of transaction. */
  transaction_type: "payout_session" | "payment_session" | "refund" | "account.balance_low" | "account.credited" | "batch.approval_required" | "batch.finished" | "beneficiary.screening_changed" | "endpoint.failing" | "endpoint.recovered" | "payout.approval_required" | "scheduled_payout.approval_required" | "webhook_endpoint.paused" | (string & {});
  /** Id of the transaction. */
  transaction_id: string;
  /** The status that it reports. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  data: WebhookEventRecordData;
  /** When it happened. */
  occurred_at: string;
  /** When it was stored here. */
  received_at: string;
}

/** A page of events. */
export interface WebhookEventPage {
  /** In the order of the feed, which never changes. */
  events: WebhookEventRecord[];
  /** `after` of the next request, even if there are no more events now. */
  next_cursor: string;
  /** True if more events are available now. */
  has_more: boolean;
}

/** A request that you made. */
export interface LoggedRequest {
  /** Id within the list. */
  id: string;
  /** `X-Request-Id` of the response. */
  request_id: string;
  /** When the response ended. */
  created_at: string;
  /** HTTP method. */
  method: string;
  /** Path, with names in place of ids. */
  route: string;
  /** `failed`: a response of 4xx or 5xx, or none because the connection closed first. */
  status: "succeeded" | "failed" | (string & {});
  /** HTTP status; 0 if the connection closed first. */
  http_status: number;
  /** `code` of the error; empty otherwise. */
  code: string;
  /** Duration in milliseconds. */
  duration_ms: number;
  created_by?: Actor;
  /** Id of the record that it was about; empty for lists. */
  record_id: string;
}

/** An amount from which payouts await approval. */
export interface ApprovalAmount {
  /** Source currency of the payouts. */
  currency_code: string;
  /** Payouts of this amount or more await approval. */
  minimum: Decimal;
  /** Number of seconds within which payouts to one account, or by one actor, add up towards `minimum`; 0 if each payout counts alone. */
  window_seconds: number;
}

/** The rules by which your payouts await approval. */
export interface ApprovalRuleSet {
  /** At most one for each currency; empty for none. */
  amounts: ApprovalAmount[];
  /** Payouts await approval if their beneficiary is newer than this number of days; 0 for no such rule. */
  new_beneficiary_days: number;
  /** True if an actor other than its creator must approve a batch. */
  approve_batches: boolean;
  /** Number of seconds after which an undecided approval expires. */
  approval_lasts_seconds: number;
}

/** Approval rules that loosen the present ones, and await another actor's approval. */
export interface RulesProposal {
  /** Proposal id. */
  id: string;
  /** `open`: awaits a decision. `executed`: approved, and in force. `approved`: approved, and in force within a minute. `superseded`: the rules have changed since. `failed`, `rejected`, `withdrawn` and `expired` changed nothing. */
  state: "open" | "approved" | "executed" | "failed" | "rejected" | "withdrawn" | "expired" | "superseded" | (string & {});
  /** What the proposal loosens, in words. */
  reasons: string[];
  before: ApprovalRuleSet;
  after: ApprovalRuleSet;
  /** SHA-256 over the proposal and the rules that it changes, in base64url. */
  digest: string;
  /** True if an operator may decide too, because you have no other admin. */
  operator_decides: boolean;
  proposed_by: Actor;
  decided_by?: Actor;
  /** Why it was rejected or failed; otherwise empty. */
  outcome: string;
  /** When it was created. */
  created_at: string;
  /** When it expires, if no one decides: after a day. */
  expires_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** The outcome of a change of approval rules. */
export interface ApprovalRulesChange {
  rules: ApprovalRuleSet;
  proposal?: RulesProposal;
}

/** A logo, a PNG. */
export interface MerchantLogo {
  /** SHA-256 of the image, in hexadecimal. */
  sha256: string;
  /** Width in pixels. */
  width: number;
  /** Height in pixels. */
  height: number;
}

/** Your company. The platform has verified only `name`; the rest is what you have entered. */
export interface MerchantProfile {
  /** Your merchant id. */
  id: string;
  /** The name that the operator registered. Only the operator changes it. */
  name: string;
  /** Name in the register of companies. Empty if you gave none. */
  legal_name: string;
  /** Street and number. Empty if you gave none. */
  address: string;
  /** City. Empty if you gave none. */
  city: string;
  /** State or region. Empty if you gave none. */
  state: string;
  /** Postcode. Empty if you gave none. */
  postcode: string;
  /** Country, ISO 3166-1. Empty if you gave none. */
  country_code: string;
  /** Number in the register of companies. Empty if you gave none. */
  registration_number: string;
  /** Address for questions about payouts. Empty if you gave none. */
  contact_email: string;
  /** Your website. Empty if you gave none. */
  website: string;
  /** Colour of the pages of your beneficiary links. Empty if you gave none. */
  color: string;
  logo?: MerchantLogo;
  /** When you last changed it; empty if you never did. */
  updated_at: string;
}

/** A person of your team. */
export interface TeamMember {
  /** Member id. */
  id: string;
  /** Verified address that the person accepts with. */
  email: string;
  /** Name of the person. */
  name: string;
  /** Role of the member. */
  role: "viewer" | "maker" | "approver" | "admin" | (string & {});
  /** `invited`: has not accepted yet. `removed`: cannot sign in, and has no session. */
  state: "invited" | "active" | "removed" | (string & {});
  /** When the member was added. */
  created_at: string;
  /** Last sign-in; empty before the first one. */
  signed_in_at: string;
  /** When the member was removed; empty otherwise. */
  removed_at: string;
}

/** A person who was removed from your team, and the outcome of the person's orders. */
export interface RemovedTeamMember {
  /** Member id. */
  id: string;
  /** Verified address that the person accepts with. */
  email: string;
  /** Name of the person. */
  name: string;
  /** Role of the member. */
  role: "viewer" | "maker" | "approver" | "admin" | (string & {});
  /** `invited`: has not accepted yet. `removed`: cannot sign in, and has no session. */
  state: "invited" | "active" | "removed" | (string & {});
  /** When the member was added. */
  created_at: string;
  /** Last sign-in; empty before the first one. */
  signed_in_at: string;
  /** When the member was removed; empty otherwise. */
  removed_at: string;
  revocation: Revocation;
}

/** Unpaid orders and other records that the key or person created, with their treatment. A later call can be stricter than the first (`keep`, `hold`, `cancel`), never laxer. */
export interface Revocation {
  /** The strictest that was requested. */
  orders: "hold" | "keep" | "cancel" | (string & {});
  scheduled_payouts: RevocationScheduledPayouts;
  batches: RevocationBatches;
  waiting_payouts: RevocationWaitingPayouts;
  keys: RevocationKeys;
  endpoints: RevocationEndpoints;
  members: RevocationMembers;
}

/** An API key, without its secret part. */
export interface ApiKey {
  /** Key id: its public part, which logs show. */
  id: string;
  /** Your note; empty if none was given. */
  description: string;
  /** Scopes of the key. */
  scopes: Array<"beneficiary:read" | "beneficiary:write" | "depositor:read" | "depositor:write" | "quote:read" | "quote:write" | "payout:read" | "payout:write" | "payout:approve" | "payout:control" | "account:read" | "account:write" | "webhook:read" | "webhook:write" | "merchant:read" | "merchant:write" | "team:read" | "team:write" | "key:read" | "key:write" | (string & {})>;
  /** IP addresses or networks (CIDR) from which the key may be used; empty if any address may. */
  source_cidrs: string[];
  /** When it was created. */
  created_at: string;
  /** When it expires; empty if it doesn't. */
  expires_at: string;
  /** When it was revoked; empty otherwise. */
  revoked_at: string;
  /** The key or member that it counts as one actor with: neither approves what the other made. */
  root_id: string;
}

/** An API key with its text, which is shown only here. */
export interface ApiKeyWithSecret {
  /** Key id: its public part, which logs show. */
  id: string;
  /** Your note; empty if none was given. */
  description: string;
  /** Scopes of the key. */
  scopes: Array<"beneficiary:read" | "beneficiary:write" | "depositor:read" | "depositor:write" | "quote:read" | "quote:write" | "payout:read" | "payout:write" | "payout:approve" | "payout:control" | "account:read" | "account:write" | "webhook:read" | "webhook:write" | "merchant:read" | "merchant:write" | "team:read" | "team:write" | "key:read" | "key:write" | (string & {})>;
  /** IP addresses or networks (CIDR) from which the key may be used; empty if any address may. */
  source_cidrs: string[];
  /** When it was created. */
  created_at: string;
  /** When it expires; empty if it doesn't. */
  expires_at: string;
  /** When it was revoked; empty otherwise. */
  revoked_at: string;
  /** The key or member that it counts as one actor with: neither approves what the other made. */
  root_id: string;
  /** The key, which you send as `Authorization: Bearer`. Shown once: empty in a replayed response. */
  secret: string;
  /** Only in the response to a repeated request: the fields that the first response showed once, and that are empty here. */
  shown_once?: "secret"[];
}

/** A revoked API key, and what became of what it ordered. */
export interface RevokedApiKey {
  /** Key id: its public part, which logs show. */
  id: string;
  /** Your note; empty if none was given. */
  description: string;
  /** Scopes of the key. */
  scopes: Array<"beneficiary:read" | "beneficiary:write" | "depositor:read" | "depositor:write" | "quote:read" | "quote:write" | "payout:read" | "payout:write" | "payout:approve" | "payout:control" | "account:read" | "account:write" | "webhook:read" | "webhook:write" | "merchant:read" | "merchant:write" | "team:read" | "team:write" | "key:read" | "key:write" | (string & {})>;
  /** IP addresses or networks (CIDR) from which the key may be used; empty if any address may. */
  source_cidrs: string[];
  /** When it was created. */
  created_at: string;
  /** When it expires; empty if it doesn't. */
  expires_at: string;
  /** When it was revoked; empty otherwise. */
  revoked_at: string;
  /** The key or member that it counts as one actor with: neither approves what the other made. */
  root_id: string;
  revocation: Revocation;
}

/** Behaviour of the simulated rails for your payouts. */
export interface SandboxRailSilence {
  /** The behaviour of the rails. */
  kind: "no_answer" | "down" | "unfunded" | (string & {});
  /** When it ends. */
  until: string;
}

/** The rails behave normally. */
export interface SandboxRailSilenceEnd {
  /** Since when. */
  ended_at: string;
}

/** The outcomes of your payouts. */
export interface SandboxScenario {
  /** The same seed has the same outcomes, in order. */
  seed: number;
  /** Of a hundred payouts, how many fail. */
  fail_percent: number;
  /** Of a hundred payouts, how many succeed and come back. */
  return_percent: number;
  /** Of a hundred payouts, how many keep an unknown outcome. */
  doubt_percent: number;
  /** Maximum time to an outcome; omitted if payouts take the usual time. */
  max_delay_ms?: number;
}

/** The controls that apply to your payouts. */
export interface SandboxPayoutControls {
  /** Minimum amounts from which payouts await approval, by currency. */
  approval_amounts: Record<string, string>;
  /** Number of seconds within which payouts to one account, or by one actor, add up; 0: each payout counts alone. */
  approval_window_seconds: number;
  /** Payouts await approval if their beneficiary is newer than this number of days; 0: none. */
  new_beneficiary_days: number;
  /** True if an actor other than its creator must approve a batch. */
  approve_batches: boolean;
  /** Number of seconds after which an undecided approval expires. */
  approval_lasts_seconds: number;
  /** Number of seconds within which a repeated payout is refused; 0: off. */
  duplicate_window_seconds: number;
}

/** The payout as it was when its status changed. */
export interface PayoutWebhookData {
  /** Payout id. */
  id: string;
  /** Your own reference; empty if none was given. */
  reference_id: string;
  /** The status that it changed to. */
  status: "initiated" | "succeeded" | "failed" | (string & {});
  /** Your id. */
  merchant_id: string;
  /** Quote that was executed. */
  quote_id: string;
  /** Corridor. */
  corridor_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Amount that the account pays, including fees. */
  source_amount: Decimal;
  /** Amount that the beneficiary receives. */
  receiving_amount: Decimal;
  /** Rate when the quote was created. */
  exchange_rate: Decimal;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** Currency of the fees. */
  fixed_cost_currency: string;
  /** Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`. */
  unique_transaction_reference: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** The sub-status that it changed to. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | (string & {});
  /** Why it failed: one of `ACCOUNT_BLOCKED`, `ACCOUNT_CLOSED`, `ACCOUNT_NOT_FOUND`, `AMOUNT_NOT_ACCEPTED`, `APPROVAL_EXPIRED`, `APPROVAL_REJECTED`, `BENEFICIARY_BANK_REJECTED`, `BENEFICIARY_NAME_MISMATCH`, `BENEFICIARY_REFUSED`, `CANCELLED`, `CURRENCY_NOT_ACCEPTED`, `INVALID_ACCOUNT`, `INVALID_ADDRESS`, `INVALID_NAME`, `INVALID_REMITTANCE`, `INVALID_ROUTING`, `REGULATORY`, `TRANSFER_REVERTED`, `UNSPECIFIED`; codes may be added. A payout that waited for balance fails with the code of Request for quote or Execute, or `COST_ABOVE_MAXIMUM`. Empty unless `failed`. */
  failure_code: string;
  /** Transaction hash or bank reference of the payment that came back; empty unless `returned`. */
  returned_reference: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** A payment session. */
export interface PaymentSessionWebhookData {
  /** Payment session id. */
  id: string;
  /** Your own reference. */
  reference_id: string;
  /** Your id. */
  merchant_id: string;
  /** Its status. */
  status: string;
  /** Why it failed; empty if it did not. */
  failure_code: string;
  /** Its amount. */
  amount: Decimal;
  /** Currency that is paid in. */
  source_currency: string;
  /** Wallet address that pays. */
  source_account: string;
  /** Way of paying. */
  payment_option_id: string;
  /** Its code. */
  payment_option_code: string;
  /** URL to which the payer is sent on success. */
  success_redirect_url: string;
  /** URL to which the payer is sent on failure. */
  failure_redirect_url: string;
  /** Its risk. */
  risk_score: string;
  /** When it was created. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** When it expires. */
  expires_at: string;
}

/** A refund, with all fields that its system sends. */
export interface RefundWebhookData {
  /** Refund id. */
  id?: string;
  /** Its status. */
  status?: string;
  [field: string]: unknown;
}

/** An account's balance is low. */
export interface AccountBalanceLowWebhookData {
  /** The account. */
  id: string;
  /** Constant. */
  status: "low";
  /** Your id. */
  merchant_id: string;
  /** Your own name for the account; empty if it has none. */
  name: string;
  /** The account's currency. */
  currency_code: string;
  /** Available balance after the fall. */
  available: Decimal;
  /** The threshold that you set. */
  low_balance_threshold: Decimal;
  /** When it fell. */
  fell_at: string;
}

/** An account was credited. */
export interface AccountCreditedWebhookData {
  /** The account. */
  id: string;
  /** Constant. */
  status: "credited";
  /** Your id. */
  merchant_id: string;
  /** Id of the line in the account's statement. */
  entry_id: string;
  /** The account's currency. */
  currency_code: string;
  /** Amount of the credit. */
  amount: Decimal;
  /** Available balance after it. */
  available: Decimal;
  /** Held balance after it. */
  held: Decimal;
  /** Note on the credit; empty if there is none. */
  note: string;
  /** When it was credited. */
  created_at: string;
}

/** A batch waits for approval: see Approve batch. */
export interface BatchApprovalWebhookData {
  /** The batch. */
  id: string;
  /** Constant. */
  status: "awaiting_approval";
  /** Your id. */
  merchant_id: string;
  /** Your own name for it; empty if none was given. */
  reference_id: string;
  /** Name of the file with its lines; empty if none was given. */
  file_name: string;
  /** The batch whose failed lines this batch pays again; empty for none. */
  corrects_batch_id: string;
  /** Number of lines. */
  line_count: number;
  /** Account that pays. */
  account_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Sum of the lines with a source amount. */
  source_total: Decimal;
  /** Digest of the approved content. */
  digest: string;
  /** When it was created. */
  created_at: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** A batch is finished. */
export interface BatchFinishedWebhookData {
  /** The batch. */
  id: string;
  /** Constant. */
  status: "finished";
  /** Your id. */
  merchant_id: string;
  /** Your own name for it; empty if none was given. */
  reference_id: string;
  /** Name of the file with its lines; empty if none was given. */
  file_name: string;
  /** The batch whose failed lines this batch pays again; empty for none. */
  corrects_batch_id: string;
  /** Number of lines. */
  line_count: number;
  /** Lines whose payout was created. */
  executed_count: number;
  /** Lines for which no payout could be created. */
  failed_count: number;
  /** Lines that were cancelled. */
  cancelled_count: number;
  /** Currency of the account. */
  source_currency_code: string;
  /** Cost of its payouts, including fees. */
  total_amount: Decimal;
  /** When it was finished. */
  finished_at: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** A beneficiary's screening status changed after the request that created it was answered. */
export interface BeneficiaryScreeningWebhookData {
  /** The beneficiary. */
  id: string;
  /** Its screening status now. */
  status: "cleared" | "review" | "blocked" | (string & {});
  /** Previous screening status. */
  previous_status: "pending" | "cleared" | "review" | "blocked" | (string & {});
  /** Your id. */
  merchant_id: string;
  /** When it changed. */
  changed_at: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** An endpoint of yours has acknowledged nothing for 10 minutes. */
export interface EndpointFailingWebhookData {
  /** The endpoint. */
  id: string;
  /** Constant. */
  status: "failing";
  /** Your id. */
  merchant_id: string;
  /** Your note on it; empty if none was given. */
  description: string;
  /** When its first attempt failed. */
  failing_since: string;
  /** Status or error of the last failure. */
  last_failure: string;
}

/** An endpoint of yours that was failing acknowledges again. */
export interface EndpointRecoveredWebhookData {
  /** The endpoint. */
  id: string;
  /** Constant. */
  status: "recovered";
  /** Your id. */
  merchant_id: string;
  /** Your note on it; empty if none was given. */
  description: string;
  /** When its first attempt had failed. */
  failing_since: string;
  /** When it acknowledged. */
  recovered_at: string;
}

/** A payout waits for approval: see Approve payout. */
export interface PayoutApprovalWebhookData {
  /** The payout. */
  id: string;
  /** Constant. */
  status: "awaiting_approval";
  /** Your id. */
  merchant_id: string;
  /** Your own reference; empty if none was given. */
  reference_id: string;
  /** Beneficiary of the payment. */
  beneficiary_id: string;
  /** Why; empty if it waited for balance when its API key was revoked. */
  reasons: Array<"amount" | "new_beneficiary" | (string & {})>;
  /** Digest of the approved content. */
  digest: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Amount that the account pays, including fees. */
  source_amount: Decimal;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the beneficiary receives. */
  receiving_amount: Decimal;
  /** When it is cancelled if no one has decided. */
  expires_at: string;
  /** When it was executed. */
  created_at: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** A scheduled payout waits for approval: see Approve scheduled payout. */
export interface ScheduledPayoutApprovalWebhookData {
  /** The scheduled payout. */
  id: string;
  /** Constant. */
  status: "awaiting_approval";
  /** Your id. */
  merchant_id: string;
  /** Your own reference; empty if none was given. */
  reference_id: string;
  /** Account that pays. */
  account_id: string;
  /** Beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Amount that the account pays; omitted if the receiving amount is fixed. */
  source_amount?: Decimal;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Amount that the beneficiary receives; omitted if the source amount is fixed. */
  receiving_amount?: Decimal;
  /** Digest of the approved content. */
  digest: string;
  /** When it was due. */
  scheduled_at: string;
  /** When it fails if no one has decided. */
  expires_at: string;
  created_by?: PayoutWebhookDataCreatedBy;
}

/** An endpoint of yours was paused because it takes nothing: see Resume webhook endpoint. */
export interface EndpointPausedWebhookData {
  /** The endpoint. */
  id: string;
  /** Constant. */
  status: "paused";
  /** Your id. */
  merchant_id: string;
  /** `gone`: every attempt of a delivery got 410 for 24 hours. `unresponsive`: it acknowledged nothing for five days. */
  reason: "gone" | "unresponsive" | (string & {});
  /** Your note on it; empty if none was given. */
  description: string;
  /** When it was paused. */
  paused_at: string;
}

/** A test event, made by `sendTestWebhook`. */
export interface TestWebhookData {
  /** Id of the event. */
  id: string;
  /** Constant. */
  status: "test";
  /** Your id. */
  merchant_id: string;
  /** The endpoint under test. */
  endpoint_id: string;
  /** When it was requested. */
  created_at: string;
}

/** A challenge, made by `verifyWebhookEndpoint`: your 200 makes the URL live. */
export interface ChallengeWebhookData {
  /** Id of the event. */
  id: string;
  /** Constant. */
  status: "challenge";
  /** Your id. */
  merchant_id: string;
  /** The endpoint whose URL is verified. */
  endpoint_id: string;
  /** When it was requested. */
  created_at: string;
}

/** The body of a webhook: exactly these three fields. */
export interface PayoutWebhook {
  /** Type of transaction. */
  transaction_type: "payout_session";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: PayoutWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface PaymentSessionWebhook {
  /** Type of transaction. */
  transaction_type: "payment_session";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: PaymentSessionWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface RefundWebhook {
  /** Type of transaction. */
  transaction_type: "refund";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: RefundWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface AccountBalanceLowWebhook {
  /** Type of transaction. */
  transaction_type: "account.balance_low";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: AccountBalanceLowWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface AccountCreditedWebhook {
  /** Type of transaction. */
  transaction_type: "account.credited";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: AccountCreditedWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface BatchApprovalWebhook {
  /** Type of transaction. */
  transaction_type: "batch.approval_required";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: BatchApprovalWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface BatchFinishedWebhook {
  /** Type of transaction. */
  transaction_type: "batch.finished";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: BatchFinishedWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface BeneficiaryScreeningWebhook {
  /** Type of transaction. */
  transaction_type: "beneficiary.screening_changed";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: BeneficiaryScreeningWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface EndpointFailingWebhook {
  /** Type of transaction. */
  transaction_type: "endpoint.failing";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: EndpointFailingWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface EndpointRecoveredWebhook {
  /** Type of transaction. */
  transaction_type: "endpoint.recovered";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: EndpointRecoveredWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface PayoutApprovalWebhook {
  /** Type of transaction. */
  transaction_type: "payout.approval_required";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: PayoutApprovalWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface ScheduledPayoutApprovalWebhook {
  /** Type of transaction. */
  transaction_type: "scheduled_payout.approval_required";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: ScheduledPayoutApprovalWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface EndpointPausedWebhook {
  /** Type of transaction. */
  transaction_type: "webhook_endpoint.paused";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: EndpointPausedWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface TestWebhook {
  /** Type of transaction. */
  transaction_type: "webhook_test";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: TestWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface ChallengeWebhook {
  /** Type of transaction. */
  transaction_type: "webhook_challenge";
  /** Id of the transaction: `data.id`. */
  transaction_id: string;
  data: ChallengeWebhookData;
}

/**
 * A person who is paid in crypto currency.
 * - The destination currency must be one of the network's currencies.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 */
export interface CryptoBeneficiaryIndividualRequest {
  /** Full name. */
  beneficiary_name: string;
  /** Routing code type of crypto currency. */
  routing_code_type_1: "NETWORK";
  /** Network on which the crypto currency is sent. */
  routing_code_value_1: "ETHEREUM" | "SOLANA" | "POL" | "BNB" | "BTC" | "TRX";
  /** Wallet address, valid for its network including its checksum, that somebody can own: no burn address, precompile, system account or token contract. */
  beneficiary_account_number: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual";
  /** Custodian or exchange that holds the wallet, or OTHERS. */
  beneficiary_wallet_custody_provider: "ANCHORAGE_DIGITAL" | "BAKKT" | "BINANCE" | "BINANCE_US" | "BITBANK" | "BITFINEX" | "BITFLYER" | "BITGET" | "BITGO" | "BITHUMB" | "BITPANDA" | "BITSO" | "BITSTAMP" | "BITVAVO" | "BYBIT" | "CEFFU" | "COBO" | "COINBASE" | "COINBASE_PRIME" | "COINCHECK" | "COINDCX" | "COPPER" | "CRYPTO_COM" | "DERIBIT" | "FIDELITY_DIGITAL_ASSETS" | "FIREBLOCKS" | "GATE_IO" | "GEMINI" | "HASHKEY" | "HEX_TRUST" | "HTX" | "INDEPENDENT_RESERVE" | "KOMAINU" | "KRAKEN" | "KUCOIN" | "LUNO" | "MERCADO_BITCOIN" | "MEXC" | "OKX" | "PAXOS" | "ROBINHOOD" | "UPBIT" | "VALR" | "WAZIRX" | "ZODIA_CUSTODY" | "OTHERS";
  /** Name of the provider; of the wallet software or provider when the provider is OTHERS. */
  beneficiary_wallet_custody_provider_name: string;
  /** Address line. */
  beneficiary_address: string;
  /** City. */
  beneficiary_city: string;
  /** State. */
  beneficiary_state: string;
  /** Post code. */
  beneficiary_postcode: string;
  /** Country of residence. */
  beneficiary_country_code: string;
  /** Number of the document. */
  beneficiary_document_id: string;
  /** Currency to be delivered; has to live on the network. May be omitted on SOLANA only. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON";
  /** Date of birth, 1900 or later. Not in the future. */
  beneficiary_date_of_birth: string;
  /** Kind of document. */
  beneficiary_document_type: "NATIONAL_ID_CARD" | "PASSPORT" | "DRIVING_LICENSE";
  /** Nickname. */
  beneficiary_alias?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * A company that is paid in crypto currency.
 * - The destination currency must be one of the network's currencies.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 */
export interface CryptoBeneficiaryCorporateRequest {
  /** Full name. */
  beneficiary_name: string;
  /** Routing code type of crypto currency. */
  routing_code_type_1: "NETWORK";
  /** Network on which the crypto currency is sent. */
  routing_code_value_1: "ETHEREUM" | "SOLANA" | "POL" | "BNB" | "BTC" | "TRX";
  /** Wallet address, valid for its network including its checksum, that somebody can own: no burn address, precompile, system account or token contract. */
  beneficiary_account_number: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Corporate";
  /** Custodian or exchange that holds the wallet, or OTHERS. */
  beneficiary_wallet_custody_provider: "ANCHORAGE_DIGITAL" | "BAKKT" | "BINANCE" | "BINANCE_US" | "BITBANK" | "BITFINEX" | "BITFLYER" | "BITGET" | "BITGO" | "BITHUMB" | "BITPANDA" | "BITSO" | "BITSTAMP" | "BITVAVO" | "BYBIT" | "CEFFU" | "COBO" | "COINBASE" | "COINBASE_PRIME" | "COINCHECK" | "COINDCX" | "COPPER" | "CRYPTO_COM" | "DERIBIT" | "FIDELITY_DIGITAL_ASSETS" | "FIREBLOCKS" | "GATE_IO" | "GEMINI" | "HASHKEY" | "HEX_TRUST" | "HTX" | "INDEPENDENT_RESERVE" | "KOMAINU" | "KRAKEN" | "KUCOIN" | "LUNO" | "MERCADO_BITCOIN" | "MEXC" | "OKX" | "PAXOS" | "ROBINHOOD" | "UPBIT" | "VALR" | "WAZIRX" | "ZODIA_CUSTODY" | "OTHERS";
  /** Name of the provider; of the wallet software or provider when the provider is OTHERS. */
  beneficiary_wallet_custody_provider_name: string;
  /** Address line. */
  beneficiary_address: string;
  /** City. */
  beneficiary_city: string;
  /** State. */
  beneficiary_state: string;
  /** Post code. */
  beneficiary_postcode: string;
  /** Country of residence. */
  beneficiary_country_code: string;
  /** Number of the document. */
  beneficiary_document_id: string;
  /** Currency to be delivered; has to live on the network. May be omitted on SOLANA only. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON";
  /** Date of incorporation. Not in the future. */
  beneficiary_date_of_incorporation: string;
  /** Business EIN, registration number or tax id. */
  beneficiary_document_type: "BUSINESS_IDENTIFICATION_NUMBER";
  /** Nickname. */
  beneficiary_alias?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * A bank account that is paid in USD or USDC.
 * - The routing code type must be SWIFT for SWIFT transfers, and ACH CODE for ACH and LOCAL transfers.
 * - For ACH and LOCAL transfers of USD and USDC, the destination country must be US.
 * - The routing code must be a BIC (ISO 9362) for SWIFT, and an ABA routing number with a valid checksum for ACH CODE.
 * - If the bank's country uses IBANs (ISO 13616), the account number must be a valid IBAN.
 * - `beneficiary_first_name` has a letter.
 * - `beneficiary_last_name` has a letter.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 * - A name that is not in Latin, Greek or Cyrillic letters needs `beneficiary_name_latin`, which the bank gets.
 * - `beneficiary_name_latin` is in Latin letters that banks carry, and is not a placeholder such as N/A.
 * - `-` or `N/A` is accepted as state, except in countries whose postal address needs one.
 * - In countries without postcodes, `-` or `N/A` is accepted as the postcode.
 * - A street of more than 70 characters and a state of more than 35 share two lines of 70.
 */
export interface FiatBeneficiaryUsdRequest {
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** `true` for a person with one name, sent as `beneficiary_last_name`; then `beneficiary_first_name` may be left out. */
  beneficiary_single_name?: boolean;
  /** Name of the company; of a Corporate. */
  beneficiary_name?: string;
  /** The whole name in Latin letters, as the bank gets it. Required where the name is in a script other than Latin, Greek and Cyrillic. */
  beneficiary_name_latin?: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** Destination currency. */
  destination_currency: "USD" | "USDC";
  /** Payment method. */
  transfer_type: "ACH" | "SWIFT" | "LOCAL";
  /** Country that the money is sent to. */
  destination_country: string;
  /** Country of residence; the destination country by default. */
  beneficiary_country_code?: string;
  /** Follows the transfer type. */
  routing_code_type_1: "ACH CODE" | "SWIFT";
  /** A BIC if the routing code type is SWIFT, an ABA routing number if it is ACH CODE. */
  routing_code_value_1: string;
  /** Second routing code type. */
  routing_code_type_2?: string;
  /** Second routing value. */
  routing_code_value_2?: string;
  /** State. */
  beneficiary_state: string;
  /** Address line. */
  beneficiary_address: string;
  /** City. */
  beneficiary_city: string;
  /** Post code. */
  beneficiary_postcode: string;
  /** Payout account. An IBAN may have blanks and lower-case letters. */
  beneficiary_account_number: string;
  /** Country calling code. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_country_code?: string;
  /** Telephone number. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_number?: string;
  /** Nickname. */
  beneficiary_alias?: string;
  /** Name of the bank. */
  beneficiary_bank_name?: string;
  /** Address line of the bank. */
  beneficiary_bank_address?: string;
  /** City of the bank. */
  beneficiary_bank_city?: string;
  /** Post code of the bank. */
  beneficiary_bank_postcode?: string;
  /** State of the bank. */
  beneficiary_bank_state?: string;
  /** Country of the bank. */
  beneficiary_bank_country_code?: string;
  /** Nickname of the counterparty. */
  counter_party_alias?: string;
  /** Relation of the beneficiary to the sender. */
  beneficiary_relationship?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * A bank account that is paid in INR.
 * - For INR, the destination country must be IN.
 * - The routing code must be an IFSC.
 * - `beneficiary_first_name` has a letter.
 * - `beneficiary_last_name` has a letter.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 * - A name that is not in Latin, Greek or Cyrillic letters needs `beneficiary_name_latin`, which the bank gets.
 * - `beneficiary_name_latin` is in Latin letters that banks carry, and is not a placeholder such as N/A.
 * - `-` or `N/A` is accepted as state, except in countries whose postal address needs one.
 * - In countries without postcodes, `-` or `N/A` is accepted as the postcode.
 * - A street of more than 70 characters and a state of more than 35 share two lines of 70.
 */
export interface FiatBeneficiaryInrRequest {
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** `true` for a person with one name, sent as `beneficiary_last_name`; then `beneficiary_first_name` may be left out. */
  beneficiary_single_name?: boolean;
  /** Name of the company; of a Corporate. */
  beneficiary_name?: string;
  /** The whole name in Latin letters, as the bank gets it. Required where the name is in a script other than Latin, Greek and Cyrillic. */
  beneficiary_name_latin?: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** Destination currency. */
  destination_currency: "INR";
  /** Payment method. */
  transfer_type: "LOCAL";
  /** Country that the money is sent to. */
  destination_country: string;
  /** Country of residence; the destination country by default. */
  beneficiary_country_code: string;
  /** Routing code type, as a rule IFSC. */
  routing_code_type_1: string;
  /** IFSC of the branch. */
  routing_code_value_1: string;
  /** Second routing code type. */
  routing_code_type_2?: string;
  /** Second routing value. */
  routing_code_value_2?: string;
  /** State. */
  beneficiary_state: string;
  /** Address line. */
  beneficiary_address: string;
  /** City. */
  beneficiary_city: string;
  /** Post code. */
  beneficiary_postcode: string;
  /** Payout account. */
  beneficiary_account_number: string;
  /** Country calling code. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_country_code: string;
  /** Telephone number. Digits, as a string or a number; `+`, blanks, brackets and hyphens of a string are dropped. */
  beneficiary_contact_number: string;
  /** Nickname. */
  beneficiary_alias: string;
  /** Name of the bank. */
  beneficiary_bank_name: string;
  /** Address line of the bank. */
  beneficiary_bank_address: string;
  /** City of the bank. */
  beneficiary_bank_city: string;
  /** Post code of the bank. */
  beneficiary_bank_postcode: string;
  /** State of the bank. */
  beneficiary_bank_state: string;
  /** Country of the bank. */
  beneficiary_bank_country_code: string;
  /** Kind of currency. */
  currency_type: "Fiat";
  /** Kind of bank account. */
  beneficiary_bank_account_type: "Business Checking" | "Business Savings" | "Personal Checking" | "Personal Savings";
  /** Nickname of the counterparty. */
  counter_party_alias?: string;
  /** Relation of the beneficiary to the sender. */
  beneficiary_relationship?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * A bank account that is paid in EUR over SEPA.
 * - The account number must be a valid IBAN (ISO 13616) of a SEPA country.
 * - The BIC must have the format of ISO 9362.
 * - `beneficiary_first_name` has a letter.
 * - `beneficiary_last_name` has a letter.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 * - A name that is not in Latin, Greek or Cyrillic letters needs `beneficiary_name_latin`, which the bank gets.
 * - `beneficiary_name_latin` is in Latin letters that banks carry, and is not a placeholder such as N/A.
 * - In countries without postcodes, `-` or `N/A` is accepted as the postcode.
 */
export interface FiatBeneficiaryEurRequest {
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** `true` for a person with one name, sent as `beneficiary_last_name`; then `beneficiary_first_name` may be left out. */
  beneficiary_single_name?: boolean;
  /** Name of the company; of a Corporate. */
  beneficiary_name?: string;
  /** The whole name in Latin letters, as the bank gets it. Required where the name is in a script other than Latin, Greek and Cyrillic. */
  beneficiary_name_latin?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** Destination currency. */
  destination_currency: "EUR";
  /** Payment method. */
  transfer_type: "SEPA";
  /** IBAN of the account. Blanks are removed, and lower-case letters become capitals. */
  iban: string;
  /** BIC of the account's bank; the IBAN alone is enough. */
  bic?: string;
  /** Address line: street and number. */
  beneficiary_address: string;
  /** City. */
  beneficiary_city: string;
  /** Post code. */
  beneficiary_postcode: string;
  /** Country of residence. */
  beneficiary_country_code: string;
  /** Nickname. */
  beneficiary_alias?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/** Changes to a beneficiary; at least one is required. An empty text removes a field. */
export interface UpdateBeneficiaryRequest {
  /** Nickname. An INR beneficiary can't be without one. */
  beneficiary_alias?: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Your own reference, returned as stored. It need not be unique. */
  reference_id?: string;
  /** The keys to set; a key with an empty value is removed, and other keys stay. Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * The beneficiary's details: those that the page requests, and those that you set in advance.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 * - `beneficiary_first_name` has a letter.
 * - `beneficiary_last_name` has a letter.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 * - `beneficiary_name_latin` is in Latin letters that banks carry, and is not a placeholder such as N/A.
 */
export interface CreateBeneficiaryLinkRequest {
  /** Currency that the beneficiary is paid. */
  destination_currency: string;
  /** Payment method of a bank account: `ACH`, `SWIFT`, `LOCAL` or `SEPA`. Without it the beneficiary chooses. */
  transfer_type?: string;
  /** Network of a wallet, such as `ETHEREUM`: no bank account. Without it the beneficiary chooses. */
  network?: string;
  /** `Individual` or `Corporate`. Without it the beneficiary chooses. */
  beneficiary_account_type?: string;
  /** Name of a company, or of a wallet's owner. Not allowed beside a last name. The beneficiary sees it and cannot change it. No web or email address or phone number. */
  beneficiary_name?: string;
  /** First name of a person with a bank account. The beneficiary sees it and cannot change it. No web or email address or phone number. */
  beneficiary_first_name?: string;
  /** Last name of a person with a bank account. The beneficiary sees it and cannot change it. No web or email address or phone number. */
  beneficiary_last_name?: string;
  /** The whole name in Latin letters, as the bank gets it. Required with a bank account if the name is in a script other than Latin, Greek and Cyrillic. The beneficiary sees it and cannot change it. No web or email address or phone number. */
  beneficiary_name_latin?: string;
  /** Your own reference. It is not shown. */
  reference_id?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
  /** Name of the party on whose behalf you ask, shown beside your registered name. No web or email address, phone number or look-alike characters. */
  display_name?: string;
  /** Your colour, for the page. */
  color?: string;
  /** Number of days until the link expires; 7 by default. */
  expires_in_days?: number;
}

/** A depositor that is the merchant's own business. */
export interface DepositorSelfBusinessRequest {
  /** Relation of the depositor to the merchant; `business` is the merchant's own business. */
  depositor_relation: "business";
  /** Wallet address that is valid on one of the networks. Burn addresses, precompiles, system accounts and token contracts are refused. */
  depositor_wallet_address: string;
  /** The merchant's own id of the business. */
  depositor_business_id: string;
}

/** A person. */
export interface DepositorIndividualRequest {
  /** Relation of the depositor to the merchant; `business` is the merchant's own business. */
  depositor_relation: string;
  /** Type of depositor. */
  depositor_type: "Individual";
  depositor_details: DepositorIndividualRequestDepositorDetails;
  /** Wallet address that is valid on one of the networks. Burn addresses, precompiles, system accounts and token contracts are refused. */
  depositor_wallet_address?: string;
}

/** A depositor that is a company, with its owners. */
export interface DepositorCorporateRequest {
  /** Relation of the depositor to the merchant; `business` is the merchant's own business. */
  depositor_relation: string;
  /** Type of depositor. */
  depositor_type: "Corporate";
  depositor_business_details: DepositorCorporateRequestDepositorBusinessDetails;
  /** The owners of the company. At least one is required. */
  company_owner_details: DepositorCorporateRequestCompanyOwnerDetailsItem[];
  /** Wallet address that is valid on one of the networks. Burn addresses, precompiles, system accounts and token contracts are refused. */
  depositor_wallet_address: string;
}

/** The terms of a quote, with a source amount or a receiving amount. If both are set, the receiving amount is ignored. */
export interface RequestForQuoteRequest {
  /** Amount deducted from the source account. */
  source_amount?: Decimal;
  /** Amount that the recipient receives. */
  receiving_amount?: Decimal;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Account to be debited. */
  account_id: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/**
 * The quote to pay.
 * - max_source_amount needs queue_if_low_balance.
 * - expires_at needs queue_if_low_balance.
 */
export interface ExecutePayoutRequest {
  /** A quote of this merchant. */
  quote_id: string;
  /** The merchant's own order reference. It need not be unique: the quote and the idempotency key prevent a second payout. */
  reference_id?: string;
  /** The purpose of the payment, for the beneficiary. Bank rails that carry it show it on the beneficiary's statement. Chains ignore it. */
  remittance_information?: string;
  /** Purpose of the payment for the banks, if its rail carries it: a four-letter external purpose code of ISO 20022. The bank rejects the payment if it doesn't accept the code. */
  purpose_code?: string;
  /** Pays even if an earlier payout has the same account or wallet, amount and `reference_id`. You need it only if your account has the duplicate guard: see `POSSIBLE_DUPLICATE`. */
  allow_duplicate?: boolean;
  /** Waits if the account has too little money, instead of `INSUFFICIENT_BALANCE`: `sub_status` `awaiting_balance`. Nothing is held. When money comes, the oldest waiting payout of the account is quoted again and paid. */
  queue_if_low_balance?: boolean;
  /** The maximum amount that the account may pay, including fees, when the payout is quoted again. Not below the quote's `source_amount`, which is the default. Only with `queue_if_low_balance`. */
  max_source_amount?: Decimal;
  /** The time at which it fails if the money hasn't come: ISO 8601, at most 7 days ahead. Without it, 24 hours from now. Only with `queue_if_low_balance`. */
  expires_at?: string;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/** Approval of a payout. */
export interface ApprovePayoutRequest {
  /** `approval.digest` of the payout that you reviewed. If the payout has changed since then, the approval is refused. Without this field, the payout is approved in its current state. */
  digest?: string;
}

/** Rejection of a payout that awaits approval. */
export interface RejectPayoutRequest {
  /** A note for your own team. */
  reason: string;
}

/** The fields in which the new payout differs from the earlier one. */
export interface ReissuePayoutRequest {
  /** The beneficiary to pay instead, in the same currency, such as the same person with a corrected account. */
  beneficiary_id?: string;
  /** The maximum amount that the account may pay, including fees. A quote above it is refused: `AMOUNT_NOT_WITHIN_LIMITS`. */
  max_source_amount?: Decimal;
  /** Your own reference, instead of the earlier payout's. */
  reference_id?: string;
  /** Pays even if an earlier payout has the same account or wallet, amount and `reference_id`. You need it only if your account has the duplicate guard: see `POSSIBLE_DUPLICATE`. */
  allow_duplicate?: boolean;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. If set, this replaces the metadata of the earlier payout; otherwise the new payout has the same metadata. */
  metadata?: Record<string, string>;
}

/** A payout that is quoted and executed at a later time. */
export interface SchedulePayoutRequest {
  /** Amount deducted from the source account. */
  source_amount?: Decimal;
  /** Amount that the recipient receives. */
  receiving_amount?: Decimal;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Account to be debited. */
  account_id: string;
  /** The maximum amount that the account may pay, including fees. A quote above it is not executed: the payout fails. */
  max_source_amount?: Decimal;
  /** If true, `max_source_amount` is held from now on, so that other payouts can't spend it. */
  reserve?: boolean;
  /** The merchant's own order reference. It need not be unique: the quote and the idempotency key prevent a second payout. */
  reference_id?: string;
  /** The purpose of the payment, for the beneficiary. Bank rails that carry it show it on the beneficiary's statement. Chains ignore it. */
  remittance_information?: string;
  /** Purpose of the payment for the banks, if its rail carries it: a four-letter external purpose code of ISO 20022. The bank rejects the payment if it doesn't accept the code. */
  purpose_code?: string;
  /** The time at which the payout is created: ISO 8601 with its offset from UTC, or a day, which begins at midnight UTC. It must be in the future, at most 366 days ahead. */
  scheduled_at: string;
  /** Pays even if an earlier payout has the same account or wallet, amount and `reference_id`. You need it only if your account has the duplicate guard: see `POSSIBLE_DUPLICATE`. */
  allow_duplicate?: boolean;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

/** Approval of a scheduled payout. */
export interface ApproveScheduledPayoutRequest {
  /** `approval.digest` of the scheduled payout that you reviewed. If the scheduled payout has changed since then, the approval is refused. Without this field, the scheduled payout is approved in its current state. */
  digest?: string;
}

/** Rejection of a scheduled payout that awaits approval. */
export interface RejectScheduledPayoutRequest {
  /** A note for your own team. */
  reason: string;
}

/** A batch of payouts from one account. */
export interface CreateBatchRequest {
  /** The merchant's own name for the batch. */
  reference_id?: string;
  /** The name of the file with the lines. */
  file_name?: string;
  /** The batch whose failed lines these lines pay again. Each line then needs the `reference_id` of a failed line of that batch that no other batch corrects. */
  corrects_batch_id?: string;
  /** Waits if the account has too little money, instead of `INSUFFICIENT_BALANCE`: `sub_status` `awaiting_balance`. Nothing is held. When money comes, the oldest waiting payout of the account is quoted again and paid. */
  queue_if_low_balance?: boolean;
  /** The time at which it fails if the money hasn't come: ISO 8601, at most 7 days ahead. Without it, 24 hours after the first line began to wait. Only with `queue_if_low_balance`. */
  expires_at?: string;
  /** The payouts. All have the same source account, and each has a source amount or a receiving amount. */
  lines: CreateBatchRequestLinesItem[];
}

/** Approval of a batch up to a total amount. */
export interface ApproveBatchRequest {
  /** Maximum amount that the account pays for all lines together, including fees. A line that would exceed this maximum fails. */
  max_total_amount: Decimal;
  /** `approval.digest` of the batch that you reviewed. If the batch has changed since then, the approval is refused. Without this field, the batch is approved in its current state. */
  digest?: string;
}

/** Rejection of a batch that awaits approval. */
export interface RejectBatchRequest {
  /** A note for your own team. */
  reason: string;
}

/** Changes to an account; at least one is required. An empty text removes a field. */
export interface UpdateAccountRequest {
  /** Your own name for the account. */
  name?: string;
  /** Amount in the account's currency. When the available balance falls below it, endpoints that name it get `account.balance_low`, once for each fall. */
  low_balance_threshold?: Decimal;
}

/** A new webhook endpoint. */
export interface CreateEndpointRequest {
  /** Absolute URL. */
  url: string;
  /** The merchant's note. */
  description?: string;
  /** In which order the events of one transaction arrive: `none` each at once, `bounded` each after the one before it or 30 s or 3 attempts of it, `strict` each after the one before it was delivered or given up. */
  order?: "none" | "bounded" | "strict";
  /** Event types that the endpoint receives. Each is a transaction type, a transaction type with a status, or `*` for all types except opt-in types. The opt-in types are `account.balance_low`, `account.credited`, `batch.approval_required`, `batch.finished`, `beneficiary.screening_changed`, `endpoint.failing`, `endpoint.recovered`, `payout.approval_required`, `scheduled_payout.approval_required`, `webhook_endpoint.paused`. `*` by default. */
  event_types?: string[];
  /** Your own headers of every webhook, at most 10. Their values are encrypted and never returned. Names have 1 to 64 characters and differ in more than case. Values have at most 1024 visible ASCII characters. Headers that the platform sets or that frame HTTP are refused. */
  headers?: Record<string, string>;
  /** If true, the endpoint starts paused, and its events wait for resume. */
  paused?: boolean;
}

/** Changes to an endpoint; at least one is required. */
export interface UpdateEndpointRequest {
  /** Absolute URL. */
  url?: string;
  /** The merchant's note. An empty text removes the note. */
  description?: string;
  /** In which order the events of one transaction arrive: `none` each at once, `bounded` each after the one before it or 30 s or 3 attempts of it, `strict` each after the one before it was delivered or given up. */
  order?: "none" | "bounded" | "strict";
  /** Event types that the endpoint receives. Each is a transaction type, a transaction type with a status, or `*` for all types except opt-in types. The opt-in types are `account.balance_low`, `account.credited`, `batch.approval_required`, `batch.finished`, `beneficiary.screening_changed`, `endpoint.failing`, `endpoint.recovered`, `payout.approval_required`, `scheduled_payout.approval_required`, `webhook_endpoint.paused`. */
  event_types?: string[];
  /** Your own headers of every webhook, at most 10. Their values are encrypted and never returned. Names have 1 to 64 characters and differ in more than case. Values have at most 1024 visible ASCII characters. Headers that the platform sets or that frame HTTP are refused. The object replaces all headers; an empty one removes them. A new `url` of another origin needs `headers` too if the endpoint has any. */
  headers?: Record<string, string>;
}

/** A rotation of the endpoint's secrets. */
export interface RotateSecretRequest {
  /** Number of seconds for which the old secrets also sign webhooks; 86,400 by default. Use 0 after a leak. */
  overlap_seconds?: number;
  /** If true, the new secrets sign webhooks only after a call of activate-secret. */
  stage?: boolean;
}

/** The deliveries to resend. */
export interface CreateReplayRequest {
  /** Endpoint whose deliveries are resent; `endpoint` is an alias of this field. */
  endpoint_id: string;
  /** Created at or after this time. */
  since: string;
  /** Created before this time, at most 30 days after `since`; defaults to the current time. */
  until?: string;
  /** States of the deliveries to resend; `exhausted` by default. The next attempt of a `pending` one is brought forward, unless it waits for an earlier event of its transaction. */
  states?: Array<"exhausted" | "delivered" | "pending">;
  /** Event types to resend, as in an endpoint's `event_types`; all types by default, opt-in types included. */
  event_types?: string[];
  /** Maximum number of deliveries per second; default 10. */
  rate?: number;
}

/** The rules. They replace all present ones; a rule that the body omits is off. */
export interface SetApprovalRulesRequest {
  /** Amounts from which payouts await approval, at most one for each source currency. */
  amounts?: SetApprovalRulesRequestAmountsItem[];
  /** Payouts await approval if their beneficiary is newer than this number of days. */
  new_beneficiary_days?: number;
  /** True if an actor other than its creator must approve a batch. */
  approve_batches?: boolean;
  /** Number of seconds after which an undecided approval expires; 86,400 by default. */
  approval_lasts_seconds?: number;
}

/** Approval of a proposal. */
export interface ApproveProposalRequest {
  /** `digest` of the proposal that you read. Of another proposal, or if the rules have changed since, the approval is refused. */
  digest: string;
}

/** Rejection of a proposal. */
export interface RejectProposalRequest {
  /** Why, in 10 characters or more. */
  reason: string;
}

/** Changes to your company profile; at least one is required. An empty text removes a field. */
export interface UpdateMerchantProfileRequest {
  /** Name in the register of companies. */
  legal_name?: string;
  /** Street and number. */
  address?: string;
  /** City. */
  city?: string;
  /** State or region. */
  state?: string;
  /** Postcode. */
  postcode?: string;
  /** Country, ISO 3166-1. */
  country_code?: string;
  /** Number in the register of companies. */
  registration_number?: string;
  /** Address for questions about payouts. */
  contact_email?: string;
  /** Your website, https. */
  website?: string;
  /** Colour of the pages of your beneficiary links. */
  color?: string;
}

/** The logo of the pages of your beneficiary links. */
export interface SetMerchantLogoRequest {
  /** A PNG in base64: at most 65,536 bytes, 1,024 pixels wide and high, not animated. */
  png: string;
}

/** A person to add to your team. */
export interface AddMemberRequest {
  /** The address that the person's sign-in has verified. */
  email: string;
  /** Name of the person. */
  name: string;
  /** Permissions of the member: `viewer` reads, `maker` creates beneficiaries, depositors, quotes and payouts, `approver` approves payouts, `admin` may do everything. */
  role: "viewer" | "maker" | "approver" | "admin";
}

/** The member's new role. */
export interface UpdateMemberRequest {
  /** Permissions of the member: `viewer` reads, `maker` creates beneficiaries, depositors, quotes and payouts, `approver` approves payouts, `admin` may do everything. */
  role: "viewer" | "maker" | "approver" | "admin";
}

/** A key for one of your programs. */
export interface CreateKeyRequest {
  /** Your note. */
  description?: string;
  /** Scopes of the key. You can grant only scopes that you have yourself. */
  scopes: string[];
  /** IP addresses or networks (CIDR) from which the key may be used; any address by default. */
  source_cidrs?: string[];
  /** When the key expires. The default is 365 days from now in live mode, and never in the sandbox. */
  expires_at?: string;
}

/** The reason why the payout fails or is returned. */
export interface SandboxFailureRequest {
  /** The payout's `failure_code`; by default, the one that the sandbox's bank or chain reports. */
  failure_code?: "ACCOUNT_BLOCKED" | "ACCOUNT_CLOSED" | "ACCOUNT_NOT_FOUND" | "AMOUNT_NOT_ACCEPTED" | "BENEFICIARY_BANK_REJECTED" | "BENEFICIARY_NAME_MISMATCH" | "BENEFICIARY_REFUSED" | "CURRENCY_NOT_ACCEPTED" | "INVALID_ACCOUNT" | "INVALID_ADDRESS" | "INVALID_NAME" | "INVALID_REMITTANCE" | "INVALID_ROUTING" | "REGULATORY" | "TRANSFER_REVERTED" | "UNSPECIFIED";
  /** The rail's own code; needs `failure_code`. */
  rail_code?: string;
}

/** The simulated behaviour of the rails for your payouts. */
export interface SandboxRailSilenceRequest {
  /** `no_answer`: calls get no answer, and payouts are `unknown`. `down`: new payouts stay `queued`. `unfunded`: new payouts are `awaiting_funds`. */
  kind: "down" | "no_answer" | "unfunded";
  /** Duration in seconds; 3,600 by default. */
  seconds?: number;
}

/** The shares of your payouts that fail, are returned or keep an unknown outcome. */
export interface SandboxScenarioRequest {
  /** Seed of the random outcomes. The same seed gives the same outcomes in the same order. */
  seed: number;
  /** Percentage of payouts that fail; 0 by default. */
  fail_percent?: number;
  /** Percentage of payouts that succeed and are then returned; 0 by default. */
  return_percent?: number;
  /** Percentage of payouts that keep an unknown outcome; 0 by default. */
  doubt_percent?: number;
  /** Maximum time to an outcome, in milliseconds. Each payout's time is random, up to this maximum. */
  max_delay_ms?: number;
}

/** The controls that apply to your payouts. Controls that the body omits are off. */
export interface SandboxPayoutControlsRequest {
  /** Minimum amounts from which payouts await approval, by source currency; none by default. */
  approval_amounts?: Record<string, string>;
  /** Number of seconds within which payouts to one account, or by one actor, add up towards `approval_amounts`; by default each payout counts alone. */
  approval_window_seconds?: number;
  /** Payouts await approval if their beneficiary is newer than this number of days. */
  new_beneficiary_days?: number;
  /** True if an actor other than its creator must approve a batch. */
  approve_batches?: boolean;
  /** Number of seconds after which an undecided approval expires; 86,400 by default. */
  approval_lasts_seconds?: number;
  /** Number of seconds within which a repeated payout is refused with `POSSIBLE_DUPLICATE`; off by default. */
  duplicate_window_seconds?: number;
}

/** A credit of test money to an account. */
export interface SandboxCreditRequest {
  /** In the account's currency. */
  amount: Decimal;
  /** The account's currency. If it is set and differs, the credit is refused. */
  currency_code?: string;
  /** For the statement. */
  note?: string;
}

/** The simulated screening result of the record. */
export interface SandboxListingRequest {
  /** `review` or `blocked` puts the record on a list that applies to you alone. `cleared` removes it from that list. */
  result: "blocked" | "review" | "cleared";
}

/** The event to send. */
export interface SandboxEventRequest {
  /** Type of the event. */
  transaction_type: "payout_session" | "payment_session" | "refund" | "account.balance_low" | "account.credited" | "batch.approval_required" | "batch.finished" | "beneficiary.screening_changed" | "endpoint.failing" | "endpoint.recovered" | "payout.approval_required" | "scheduled_payout.approval_required" | "webhook_endpoint.paused";
  /** `data.status`, which is signed; that of the example by default. */
  status?: string;
  /** `data.id`, which is signed; that of the example by default. */
  transaction_id?: string;
  /** Fields of `data` that differ from the type's example, each as a string. A field that is a number in the example is sent as a number. */
  data?: Record<string, string>;
}

/** A field that failed. */
export interface ApiErrorViolationsItem {
  /** Dotted path, or a header's name. */
  field: string;
  /** The rule that the value broke; more may be added. */
  rule: "required" | "type" | "length" | "range" | "choice" | "format" | "unknown" | "repeated" | "conflict" | (string & {});
  /** Explanation, for people. */
  message: string;
  /** Of an uploaded file: its row, as a spreadsheet counts it. The header is row 1. */
  row?: number;
  /** The line's own reference, if it has one. */
  reference_id?: string;
  /** If several lines have the same mistake: their numbers from 1, the first hundred of them. */
  lines?: number[];
  /** The rows of these lines in an uploaded file. */
  rows?: number[];
  /** The number of all lines with the mistake. */
  line_count?: number;
}

/**
 * The person.
 * - `firstname` has a letter, or is a dash for none.
 * - `lastname` has a letter, or is a dash for none.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 */
export interface DepositorDetailsPersonDetails {
  /** First name. */
  firstname?: string;
  /** Last name. */
  lastname?: string;
  /** Country of citizenship. */
  citizenship?: string;
  /** Country of birth. */
  country_of_birth?: string;
  /** Date of birth, 1900 or later. Not in the future. */
  date_of_birth?: string;
}

/** Residential or registered address of the depositor. */
export interface DepositorDetailsAddress {
  /** Address line. */
  address1?: string;
  /** City. */
  city?: string;
  /** Country. */
  country?: string;
  /** State. */
  state?: string;
  /** Post code. */
  zip_code?: string;
}

/** A document of the person. */
export interface DepositorDetailsDocuments {
  /** Kind of document. */
  document_type?: string;
  /** Number of the document. */
  document_number?: string;
}

/** Personal info. */
export interface DepositorDetails {
  person_details?: DepositorDetailsPersonDetails;
  address?: DepositorDetailsAddress;
  documents?: DepositorDetailsDocuments;
}

/**
 * Business info.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 */
export interface DepositorBusinessDetails {
  /** EIN, registration number or tax id. */
  business_identification_number?: string;
  /** Name of the business. */
  name?: string;
  /** Legal form. */
  business_type?: string;
  /** Date of incorporation. Not in the future. */
  date_of_incorporation?: string;
  address?: DepositorDetailsAddress;
}

export interface DepositorCompanyOwnerDetailsItem {
  person_details?: DepositorDetailsPersonDetails;
  documents?: DepositorDetailsDocuments;
}

/** Fees of a payout, in the source currency. */
export interface CorridorFees {
  /** Share of the source amount: 0.005 is 0.5 %. */
  share: Decimal;
  /** Added to the share. */
  flat: Decimal;
}

/** Inclusive bounds of a payout's amounts; a missing bound is omitted. */
export interface CorridorLimits {
  /** Least source amount. */
  source_amount_min?: Decimal;
  /** Greatest source amount. */
  source_amount_max?: Decimal;
  /** Least receiving amount. */
  receiving_amount_min?: Decimal;
  /** Greatest receiving amount. */
  receiving_amount_max?: Decimal;
}

/** A payment method for payouts. */
export interface CorridorRailsItem {
  /** Name of the rail. */
  rail: string;
  /** Payment method. */
  transfer_method: "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "SEPA" | (string & {});
  /** Network of a crypto payout; otherwise empty. */
  network: string;
  /** Until when of a day the rail takes what it pays that day, with its time zone (`16:00 Europe/Berlin`); empty if it has no such time. */
  cut_off: string;
  /** Usual time from submission to settlement of a payout that is made now; omitted if unknown. */
  settlement_seconds?: number;
}

/** A refusal, as the operation itself would return it. */
export interface DryRunRefusalsItem {
  /** Error code, for programs. */
  code: string;
  /** Explanation, for people. */
  message: string;
  /** What tells apart the causes of a code. */
  reason?: string;
  /** For `POSSIBLE_DUPLICATE`, the earlier payout. */
  payout_id?: string;
}

/** What is left of a limit before this payout. */
export interface DryRunLimitsItem {
  /** `merchant`, or `beneficiary` for the account or wallet. */
  subject: string;
  /** `hour` or `day`. */
  window: string;
  /** Source currency; empty for a number of payouts. */
  currency_code: string;
  /** The limit: an amount, or a number of payouts. */
  maximum: string;
  /** The part that is left. */
  left: string;
}

/** Currency of the account. */
export interface PayoutItemAmountSourceAmountCurrency {
  /** Name of the currency. */
  name: string;
  /** Its symbol; the code of a crypto currency. */
  symbol: string;
}

/** Currency of the beneficiary. */
export interface PayoutItemAmountReceivingAmountCurrency {
  /** Name of the currency. */
  name: string;
  /** Its symbol; the code of a crypto currency. */
  symbol: string;
}

/** The amounts, as strings. */
export interface PayoutItemAmount {
  /** Amount that the account pays, including fees. */
  source_amount: Decimal;
  /** Amount that the beneficiary receives. */
  receiving_amount: Decimal;
  source_amount_currency: PayoutItemAmountSourceAmountCurrency;
  receiving_amount_currency: PayoutItemAmountReceivingAmountCurrency;
}

/** A sum of lines that fix the same side's amount. */
export interface BatchSourceTotal {
  /** Currency of the amount. */
  currency_code: string;
  /** The sum. */
  amount: Decimal;
  /** Number of lines. */
  lines: number;
}

/** A problem of the batch or of some of its lines. */
export interface BatchValidationProblemsItem {
  /** `INVALID_REQUEST` if Create batch refuses the batch for it. Otherwise the code with which the line would fail. */
  code: string;
  /** The field to correct, or the line as a whole. */
  field: string;
  /** Explanation, for people. */
  message: string;
  /** Of a file: the row; the header is row 1. */
  row?: number;
  /** The line's own reference. */
  reference_id?: string;
  /** The numbers of all lines with the problem, at most 100. */
  lines?: number[];
  /** Of a file: the rows of these lines. */
  rows?: number[];
  /** The number of all lines with the problem. */
  line_count?: number;
  /** What tells apart the causes of a code. */
  reason?: string;
  /** For `POSSIBLE_DUPLICATE`, the earlier payout. */
  payout_id?: string;
}

/** The `data` of the webhook's body, with all digits of its numbers. */
export type WebhookEventRecordData =
  | PayoutWebhookData
  | PaymentSessionWebhookData
  | RefundWebhookData
  | AccountBalanceLowWebhookData
  | AccountCreditedWebhookData
  | BatchApprovalWebhookData
  | BatchFinishedWebhookData
  | BeneficiaryScreeningWebhookData
  | EndpointFailingWebhookData
  | EndpointRecoveredWebhookData
  | PayoutApprovalWebhookData
  | ScheduledPayoutApprovalWebhookData
  | EndpointPausedWebhookData;

/** Scheduled payouts without a payout: with `hold` those that await approval, with `keep` those that go on, with `cancel` those that were cancelled. */
export interface RevocationScheduledPayouts {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** The same of batches with unpaid lines. */
export interface RevocationBatches {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** The same of payouts that wait for balance. */
export interface RevocationWaitingPayouts {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** API keys that it created, directly or through others: with `cancel` all, which are revoked; otherwise those that still work. */
export interface RevocationKeys {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** Webhook endpoints that it or these keys created: with `cancel` they are paused. */
export interface RevocationEndpoints {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** People whom it or these keys invited and who are in your team: remove those whom you do not know. */
export interface RevocationMembers {
  /** Number of records. */
  count: number;
  /** At most 100 ids, oldest first. */
  ids: string[];
}

/** Who created it. */
export interface PayoutWebhookDataCreatedBy {
  /** Id of the API key, the team member or the link. Empty for an operator. */
  id: string;
  /** `api_key`; `member`: a person of your team; `link`: the payee, by a beneficiary link; `service` or `operator`: the platform. */
  type: "api_key" | "operator" | "service" | "member" | "link" | (string & {});
  /** The key's description. Empty for a member: events name no persons. */
  name: string;
}

/**
 * The person.
 * - `firstname` has a letter, or is a dash for none.
 * - `lastname` has a letter, or is a dash for none.
 * - The name of a person has a letter and is not a placeholder such as N/A.
 */
export interface DepositorIndividualRequestDepositorDetailsPersonDetails {
  /** First name. */
  firstname: string;
  /** Last name. */
  lastname: string;
  /** Country of citizenship. */
  citizenship: string;
  /** Country of birth. */
  country_of_birth: string;
  /** Date of birth, 1900 or later. Not in the future. */
  date_of_birth: string;
}

/** Residential or registered address of the depositor. */
export interface DepositorIndividualRequestDepositorDetailsAddress {
  /** Address line. */
  address1: string;
  /** City. */
  city: string;
  /** Country. */
  country: string;
  /** State. */
  state: string;
  /** Post code. */
  zip_code: string;
}

/** A document of the person. */
export interface DepositorIndividualRequestDepositorDetailsDocuments {
  /** Kind of document. */
  document_type: string;
  /** Number of the document. */
  document_number: string;
}

/** Personal info. */
export interface DepositorIndividualRequestDepositorDetails {
  person_details: DepositorIndividualRequestDepositorDetailsPersonDetails;
  address: DepositorIndividualRequestDepositorDetailsAddress;
  documents: DepositorIndividualRequestDepositorDetailsDocuments;
}

/**
 * Business info.
 * - The name of a company has a letter or digit and is not a placeholder such as N/A.
 */
export interface DepositorCorporateRequestDepositorBusinessDetails {
  /** EIN, registration number or tax id. */
  business_identification_number: string;
  /** Name of the business. */
  name: string;
  /** Legal form. */
  business_type: string;
  /** Date of incorporation. Not in the future. */
  date_of_incorporation: string;
  address: DepositorIndividualRequestDepositorDetailsAddress;
}

export interface DepositorCorporateRequestCompanyOwnerDetailsItem {
  person_details: DepositorIndividualRequestDepositorDetailsPersonDetails;
  documents: DepositorIndividualRequestDepositorDetailsDocuments;
}

export interface CreateBatchRequestLinesItem {
  /** Amount deducted from the source account. */
  source_amount?: Decimal;
  /** Amount that the recipient receives. */
  receiving_amount?: Decimal;
  /** The beneficiary of the payment. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Account to be debited. */
  account_id: string;
  /** The maximum amount that the account may pay, including fees. A quote above it is not executed: the payout fails. */
  max_source_amount?: Decimal;
  /** The merchant's own order reference. It need not be unique: the quote and the idempotency key prevent a second payout. */
  reference_id?: string;
  /** The purpose of the payment, for the beneficiary. Bank rails that carry it show it on the beneficiary's statement. Chains ignore it. */
  remittance_information?: string;
  /** Purpose of the payment for the banks, if its rail carries it: a four-letter external purpose code of ISO 20022. The bank rejects the payment if it doesn't accept the code. */
  purpose_code?: string;
  /** Pays even if an earlier payout has the same account or wallet, amount and `reference_id`. You need it only if your account has the duplicate guard: see `POSSIBLE_DUPLICATE`. */
  allow_duplicate?: boolean;
  /** Your own data with at most 50 keys, returned as stored. Keys have 1 to 40 letters, digits and `_.:-`, values at most 500 characters. Put no secrets or personal data here. */
  metadata?: Record<string, string>;
}

export interface SetApprovalRulesRequestAmountsItem {
  /** Source currency of the payouts. */
  currency_code: string;
  /** Payouts of this amount or more await approval. */
  minimum: Decimal;
  /** Number of seconds within which payouts to one account, or by one actor, add up towards `minimum`; by default each payout counts alone. */
  window_seconds?: number;
}

/** A beneficiary that is paid in cryptocurrency. */
export type CreateCryptoBeneficiaryRequest =
  | CryptoBeneficiaryIndividualRequest
  | CryptoBeneficiaryCorporateRequest;

/** A beneficiary that is paid to a bank account. */
export type CreateFiatBeneficiaryRequest =
  | FiatBeneficiaryUsdRequest
  | FiatBeneficiaryInrRequest
  | FiatBeneficiaryEurRequest;

/** A party that funds the merchant's account from a wallet. */
export type CreateDepositorRequest =
  | DepositorSelfBusinessRequest
  | DepositorIndividualRequest
  | DepositorCorporateRequest;

export interface ExportBatchReportJsonResult {
  batch: Batch;
  lines: BatchLine[];
}

/** Health. */
export interface GetHealthResult {
  /** Health status. */
  status: "ok";
}

/** Readiness. */
export interface GetReadinessResult {
  /** Health status. */
  status: "ready";
}

/** It gets no requests now. */
export interface GetReadinessResult2 {
  /** Health status. */
  status: "not ready";
}

/** An Ed25519 public key (RFC 8037). */
export interface GetReceiptKeysResultKeysItem {
  /** Type of the key. */
  kty: "OKP";
  /** Its curve. */
  crv: "Ed25519";
  /** The public key in base64url. */
  x: string;
  /** Id of the key, `key_id` of a receipt. */
  kid: string;
  /** Use of the key. */
  use: "sig";
}

/** A JWK set. */
export interface GetReceiptKeysResult {
  /** The keys that receipts may be signed with. */
  keys: GetReceiptKeysResultKeysItem[];
}

/** Query parameters of `listBeneficiaries`. */
export interface ListBeneficiariesQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only beneficiaries that are paid this way. */
  beneficiary_type?: "crypto" | "fiat" | undefined;
  /** Only beneficiaries of this type. */
  beneficiary_account_type?: "Individual" | "Corporate" | undefined;
  /** Only beneficiaries of this currency. */
  destination_currency?: string | undefined;
  /** Only beneficiaries of this screening status. */
  screening_status?: "pending" | "cleared" | "review" | "blocked" | undefined;
  /** `false` (the default): only those that are not archived; `true`: only archived ones; `any`: both. */
  archived?: "false" | "true" | "any" | undefined;
  /** Only beneficiaries whose name or alias has all of these words, at most 10. Case, accents and word order don't matter. A word of 3 to 8 letters also finds longer words that begin with it. */
  beneficiary_name?: string | undefined;
  /** Only beneficiaries with this `reference_id`. */
  reference_id?: string | undefined;
  /** Only beneficiaries with these pairs of key and value, at most 10: `metadata=cost_centre=EU-7`. */
  metadata?: string[] | undefined;
  /** Created at or after this time. */
  created_from?: string | undefined;
  /** Created before this time. */
  created_to?: string | undefined;
}

/** Query parameters of `listBeneficiaryForms`. */
export interface ListBeneficiaryFormsQuery {
  /** Only forms for this currency. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON" | "USD" | "USDC" | "INR" | "EUR" | undefined;
  /** Only forms for this transfer type; crypto beneficiaries have none. */
  transfer_type?: "ACH" | "SWIFT" | "LOCAL" | "SEPA" | undefined;
  /** Only forms for this type of beneficiary. */
  account_type?: "Individual" | "Corporate" | undefined;
}

/** Query parameters of `listBeneficiaryLinks`. */
export interface ListBeneficiaryLinksQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `listDepositors`. */
export interface ListDepositorsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only depositors of this status. */
  status?: "pending" | "whitelisted" | "review" | "rejected" | undefined;
  /** Only depositors of this type. */
  depositor_type?: "Individual" | "Corporate" | undefined;
  /** Created at or after this time. */
  created_from?: string | undefined;
  /** Created before this time. */
  created_to?: string | undefined;
}

/** Query parameters of `listCorridors`. */
export interface ListCorridorsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `listPayouts`. */
export interface ListPayoutsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only payouts of this status. */
  status?: "initiated" | "succeeded" | "failed" | undefined;
  /** Only payouts of this sub-status. */
  sub_status?: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | undefined;
  /** Only failed payouts with this code; a page reads at most 10,000 payouts for it. */
  failure_code?: "ACCOUNT_BLOCKED" | "ACCOUNT_CLOSED" | "ACCOUNT_NOT_FOUND" | "AMOUNT_NOT_ACCEPTED" | "APPROVAL_EXPIRED" | "APPROVAL_REJECTED" | "BENEFICIARY_BANK_REJECTED" | "BENEFICIARY_NAME_MISMATCH" | "BENEFICIARY_REFUSED" | "CANCELLED" | "CURRENCY_NOT_ACCEPTED" | "INVALID_ACCOUNT" | "INVALID_ADDRESS" | "INVALID_NAME" | "INVALID_REMITTANCE" | "INVALID_ROUTING" | "REGULATORY" | "TRANSFER_REVERTED" | "UNSPECIFIED" | "INSUFFICIENT_BALANCE" | "COST_ABOVE_MAXIMUM" | "BENEFICIARY_NOT_READY" | "LIMIT_EXCEEDED" | "POSSIBLE_DUPLICATE" | "ACCESS_FORBIDDEN" | "CORRIDOR_NOT_ACTIVE" | "RECORD_NOT_FOUND" | "AMOUNT_NOT_WITHIN_LIMITS" | "SOURCE_ACCOUNT_CLOSED" | undefined;
  /** Only payouts from this account; a page reads at most 10,000 payouts for it. */
  account_id?: string | undefined;
  /** Only payouts to this beneficiary. */
  beneficiary_id?: string | undefined;
  /** Only payouts with this `reference_id`. */
  reference_id?: string | undefined;
  /** Only the payout of this quote. */
  quote_id?: string | undefined;
  /** Only payouts from this source currency. */
  source_currency_code?: string | undefined;
  /** Only payouts to this destination currency. */
  destination_currency_code?: string | undefined;
  /** Only payouts to this whole name, in any case, accents or not. */
  beneficiary_name?: string | undefined;
  /** Only payouts of at least this amount; needs `source_currency_code`. */
  amount_from?: string | undefined;
  /** Only payouts of at most this amount; needs `source_currency_code`. */
  amount_to?: string | undefined;
  /** Only payouts of this batch. */
  batch_id?: string | undefined;
  /** Only the payout of this transaction hash or bank reference, also if it was returned. */
  unique_transaction_reference?: string | undefined;
  /** Only payouts with these pairs of key and value: `metadata=order=1001`. */
  metadata?: string[] | undefined;
  /** Created at or after this time. */
  created_from?: string | undefined;
  /** Created before this time. */
  created_to?: string | undefined;
  /** Last changed at or after this time; a page reads at most 10,000 payouts for it. */
  updated_from?: string | undefined;
  /** `-created_at` (newest first) by default. An order by the source amount needs `source_currency_code`. */
  sort?: "-created_at" | "created_at" | "amount" | "-amount" | undefined;
  /** Records to answer with each payout. */
  expand?: "beneficiary"[] | undefined;
}

/** Query parameters of `exportPayouts`. */
export interface ExportPayoutsQuery {
  /** Only payouts of this status. */
  status?: "initiated" | "succeeded" | "failed" | undefined;
  /** Only payouts of this sub-status. */
  sub_status?: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned" | "awaiting_funds" | "cancelled" | "awaiting_approval" | "scheduled" | "awaiting_balance" | undefined;
  /** Only failed payouts with this code; a page reads at most 10,000 payouts for it. */
  failure_code?: "ACCOUNT_BLOCKED" | "ACCOUNT_CLOSED" | "ACCOUNT_NOT_FOUND" | "AMOUNT_NOT_ACCEPTED" | "APPROVAL_EXPIRED" | "APPROVAL_REJECTED" | "BENEFICIARY_BANK_REJECTED" | "BENEFICIARY_NAME_MISMATCH" | "BENEFICIARY_REFUSED" | "CANCELLED" | "CURRENCY_NOT_ACCEPTED" | "INVALID_ACCOUNT" | "INVALID_ADDRESS" | "INVALID_NAME" | "INVALID_REMITTANCE" | "INVALID_ROUTING" | "REGULATORY" | "TRANSFER_REVERTED" | "UNSPECIFIED" | "INSUFFICIENT_BALANCE" | "COST_ABOVE_MAXIMUM" | "BENEFICIARY_NOT_READY" | "LIMIT_EXCEEDED" | "POSSIBLE_DUPLICATE" | "ACCESS_FORBIDDEN" | "CORRIDOR_NOT_ACTIVE" | "RECORD_NOT_FOUND" | "AMOUNT_NOT_WITHIN_LIMITS" | "SOURCE_ACCOUNT_CLOSED" | undefined;
  /** Only payouts from this account; a page reads at most 10,000 payouts for it. */
  account_id?: string | undefined;
  /** Only payouts to this beneficiary. */
  beneficiary_id?: string | undefined;
  /** Only payouts with this `reference_id`. */
  reference_id?: string | undefined;
  /** Only the payout of this quote. */
  quote_id?: string | undefined;
  /** Only payouts from this source currency. */
  source_currency_code?: string | undefined;
  /** Only payouts to this destination currency. */
  destination_currency_code?: string | undefined;
  /** Only payouts to this whole name, in any case, accents or not. */
  beneficiary_name?: string | undefined;
  /** Only payouts of at least this amount; needs `source_currency_code`. */
  amount_from?: string | undefined;
  /** Only payouts of at most this amount; needs `source_currency_code`. */
  amount_to?: string | undefined;
  /** Only payouts of this batch. */
  batch_id?: string | undefined;
  /** Only the payout of this transaction hash or bank reference, also if it was returned. */
  unique_transaction_reference?: string | undefined;
  /** Only payouts with these pairs of key and value: `metadata=order=1001`. */
  metadata?: string[] | undefined;
  /** Created at or after this time. */
  created_from?: string | undefined;
  /** Created before this time. */
  created_to?: string | undefined;
  /** Last changed at or after this time; a page reads at most 10,000 payouts for it. */
  updated_from?: string | undefined;
  /** `-created_at` (newest first) by default. An order by the source amount needs `source_currency_code`. */
  sort?: "-created_at" | "created_at" | "amount" | "-amount" | undefined;
}

/** Query parameters of `exportAccounting`. */
export interface ExportAccountingQuery {
  /** Booked at or after this time; by default, 93 days before `to`. */
  from?: string | undefined;
  /** Booked before this time; by default, or if it is in the future, now. */
  to?: string | undefined;
}

/** Query parameters of `getPayout`. */
export interface GetPayoutQuery {
  /** Records to answer with the payout. */
  expand?: Array<"beneficiary" | "quote"> | undefined;
}

/** Query parameters of `listPayoutEvents`. */
export interface ListPayoutEventsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `listScheduledPayouts`. */
export interface ListScheduledPayoutsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only those without a payout: that wait for their time, await approval, could not be made, or were cancelled. */
  sub_status?: "scheduled" | "awaiting_approval" | "rejected" | "cancelled" | undefined;
}

/** Query parameters of `createBatch`. */
export interface CreateBatchQuery {
  /** Your own name for the batch. Only with a file; JSON has it in the body. */
  reference_id?: string | undefined;
  /** The name of the file. Only with a file; JSON has it in the body. */
  file_name?: string | undefined;
  /** The batch whose failed lines these lines pay again. Only with a file; JSON has it in the body. */
  corrects_batch_id?: string | undefined;
  /** Lines wait for the account's balance. Only with a file; JSON has it in the body. */
  queue_if_low_balance?: boolean | undefined;
  /** When waiting lines fail. Only with a file; JSON has it in the body. */
  expires_at?: string | undefined;
  /** The decimal separator of the file's amounts; `point` by default. Only with a file. */
  decimal_separator?: "point" | "comma" | undefined;
}

/** Query parameters of `listBatches`. */
export interface ListBatchesQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only batches in this state. */
  state?: "awaiting_approval" | "running" | "finished" | "cancelled" | undefined;
  /** Only batches with this `reference_id`. */
  reference_id?: string | undefined;
}

/** Query parameters of `validateBatch`. */
export interface ValidateBatchQuery {
  /** Your own name for the batch. Only with a file; JSON has it in the body. */
  reference_id?: string | undefined;
  /** The name of the file. Only with a file; JSON has it in the body. */
  file_name?: string | undefined;
  /** The batch whose failed lines these lines pay again. Only with a file; JSON has it in the body. */
  corrects_batch_id?: string | undefined;
  /** Lines wait for the account's balance. Only with a file; JSON has it in the body. */
  queue_if_low_balance?: boolean | undefined;
  /** When waiting lines fail. Only with a file; JSON has it in the body. */
  expires_at?: string | undefined;
  /** The decimal separator of the file's amounts; `point` by default. Only with a file. */
  decimal_separator?: "point" | "comma" | undefined;
}

/** Query parameters of `listBatchLines`. */
export interface ListBatchLinesQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only lines in this state. */
  state?: "waiting" | "executed" | "failed" | "cancelled" | undefined;
}

/** Query parameters of `listAccounts`. */
export interface ListAccountsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `getAccount`. */
export interface GetAccountQuery {
  /** The account after its last statement line at or before this time; not earlier than its opening. */
  as_of?: string | undefined;
}

/** Query parameters of `listEntries`. */
export interface ListEntriesQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only lines of this step. */
  step?: "credit" | "hold" | "post" | "release" | "return" | "reversal" | "reserve" | "unreserve" | undefined;
  /** Only lines of this payout. */
  payout_id?: string | undefined;
  /** Written at or after this time. */
  created_from?: string | undefined;
  /** Written before this time. */
  created_to?: string | undefined;
}

/** Query parameters of `exportEntries`. */
export interface ExportEntriesQuery {
  /** Only lines of this step. */
  step?: "credit" | "hold" | "post" | "release" | "return" | "reversal" | "reserve" | "unreserve" | undefined;
  /** Only lines of this payout. */
  payout_id?: string | undefined;
  /** Written at or after this time. */
  created_from?: string | undefined;
  /** Written before this time. */
  created_to?: string | undefined;
}

/** Query parameters of `exportStatement`. */
export interface ExportStatementQuery {
  /** Lines booked at or after this time; by default, all since the account was opened. */
  from?: string | undefined;
  /** Lines booked before this time; by default, or if it is in the future, now. */
  to?: string | undefined;
  /** File format; `csv` by default. */
  format?: "csv" | "camt053" | "pdf" | undefined;
}

/** Query parameters of `getAccountActivity`. */
export interface GetAccountActivityQuery {
  /** First UTC day; by default, the 29th day before the last one. */
  first_day?: string | undefined;
  /** Last UTC day, included; by default today. At most 92 days. Days after today are left out. */
  last_day?: string | undefined;
}

/** Query parameters of `listWebhookEndpoints`. */
export interface ListWebhookEndpointsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only deliveries to this endpoint; `endpoint` is an alias of this parameter. */
  endpoint_id?: string | undefined;
  /** Only deliveries of this transaction's events. */
  transaction_id?: string | undefined;
  /** Only deliveries in this state. */
  state?: "pending" | "delivered" | "exhausted" | "cancelled" | undefined;
}

/** Query parameters of `getWebhookActivity`. */
export interface GetWebhookActivityQuery {
  /** First UTC day; by default, the 29th day before the last one. */
  first_day?: string | undefined;
  /** Last UTC day, included; by default today. At most 92 days. Days after today are left out. */
  last_day?: string | undefined;
}

/** Query parameters of `listWebhookReplays`. */
export interface ListWebhookReplaysQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `listWebhookEvents`. */
export interface ListWebhookEventsQuery {
  /** Maximum number of events; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous response; empty or left out to start at the oldest event that is kept. */
  after?: string | undefined;
}

/** Query parameters of `listRequests`. */
export interface ListRequestsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only requests with this `X-Request-Id`, by whomever. */
  request_id?: string | undefined;
  /** Only requests that succeeded, or that failed. */
  status?: "succeeded" | "failed" | undefined;
  /** Only requests of API keys, or of team members. */
  caller?: "api_key" | "member" | undefined;
  /** Created at or after this time. */
  created_from?: string | undefined;
  /** Created before this time. */
  created_to?: string | undefined;
}

/** Query parameters of `listRulesProposals`. */
export interface ListRulesProposalsQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
  /** Only proposals in this state. */
  state?: "open" | "approved" | "executed" | "failed" | "rejected" | "withdrawn" | "expired" | "superseded" | undefined;
  /** `true`: only open proposals of other actors, which you may decide. */
  waiting_for_caller?: boolean | undefined;
}

/** Query parameters of `listTeamMembers`. */
export interface ListTeamMembersQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `removeTeamMember`. */
export interface RemoveTeamMemberQuery {
  /** Handling of the unpaid scheduled payouts and batches, and the payouts that wait for balance, that it created or approved. `hold`, the default: they await approval by another actor. `keep`: they are paid as ordered; use it for a rotation, once you have checked them. `cancel`: they are cancelled, the API keys that it created are revoked with their orders, and the webhook endpoints that these created are paused. */
  orders?: "hold" | "keep" | "cancel" | undefined;
}

/** Query parameters of `listKeys`. */
export interface ListKeysQuery {
  /** Number of records per page; default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page; empty or left out for the first page. */
  cursor?: string | undefined;
}

/** Query parameters of `revokeKey`. */
export interface RevokeKeyQuery {
  /** Handling of the unpaid scheduled payouts and batches, and the payouts that wait for balance, that it created or approved. `hold`, the default: they await approval by another actor. `keep`: they are paid as ordered; use it for a rotation, once you have checked them. `cancel`: they are cancelled, the API keys that it created are revoked with their orders, and the webhook endpoints that these created are paused. */
  orders?: "hold" | "keep" | "cancel" | undefined;
}

/** The body of a webhook; `transaction_type` determines its type. */
export type WebhookEvent =
  | PayoutWebhook
  | PaymentSessionWebhook
  | RefundWebhook
  | AccountBalanceLowWebhook
  | AccountCreditedWebhook
  | BatchApprovalWebhook
  | BatchFinishedWebhook
  | BeneficiaryScreeningWebhook
  | EndpointFailingWebhook
  | EndpointRecoveredWebhook
  | PayoutApprovalWebhook
  | ScheduledPayoutApprovalWebhook
  | EndpointPausedWebhook
  | TestWebhook
  | ChallengeWebhook;

/** Error codes of the platform. */
export type ErrorCode =
  | "INVALID_WALLET_ADDRESS"
  | "RISK_ANALYSIS_FAILED"
  | "RECORD_NOT_FOUND"
  | "BENEFICIARY_CREATION_NOT_ALLOWED"
  | "INVALID_JSON"
  | "CORRIDOR_NOT_ACTIVE"
  | "ACCESS_FORBIDDEN"
  | "BENEFICIARY_NOT_READY"
  | "NOT_CANCELLABLE"
  | "NOT_AWAITING_APPROVAL"
  | "STATE_NOT_REACHABLE"
  | "QUOTE_EXPIRED"
  | "ALREADY_PROCESSED"
  | "POSSIBLE_DUPLICATE"
  | "AMOUNT_NOT_WITHIN_LIMITS"
  | "LIMIT_EXCEEDED"
  | "INSUFFICIENT_BALANCE"
  | "SOURCE_ACCOUNT_CLOSED"
  | "INVALID_REQUEST"
  | "UNAUTHENTICATED"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "EXPECTATION_FAILED"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "HEADERS_TOO_LARGE"
  | "INTERNAL_ERROR"
  | "NOT_IMPLEMENTED"
  | "SERVICE_UNAVAILABLE";

/** Integer fields; all other numbers in responses are decimals. */
export const wholeFields: ReadonlySet<string> = new Set([
  "approval_count",
  "approval_lasts_seconds",
  "approval_window_seconds",
  "attempts_count",
  "cancelled",
  "cancelled_count",
  "concurrency_limit",
  "consecutive_failures",
  "count",
  "delivered",
  "doubt_percent",
  "duplicate_window_seconds",
  "duration_ms",
  "executed_count",
  "exhausted",
  "expires_in_days",
  "fail_percent",
  "failed_count",
  "height",
  "http_status",
  "line_count",
  "lines",
  "max_delay_ms",
  "max_length",
  "new_beneficiary_days",
  "number",
  "overlap_seconds",
  "payable_count",
  "pending",
  "pending_count",
  "problem_count",
  "queued_count",
  "rate",
  "replay",
  "return_percent",
  "row",
  "rows",
  "seconds",
  "seed",
  "sequence",
  "settlement_seconds",
  "status_code",
  "total_count",
  "version",
  "waiting_count",
  "width",
  "window_seconds",
]);

/** Decimal fields of webhooks, which the platform writes as JSON numbers. */
export const webhookDecimals: ReadonlySet<string> = new Set([
  "amount",
  "available",
  "exchange_rate",
  "held",
  "low_balance_threshold",
  "receiving_amount",
  "source_amount",
  "source_total",
  "total_amount",
  "total_fees",
]);
