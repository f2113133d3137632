// Generated out of docs/openapi.json by `npm run generate`; not edited by hand.

/**
 * An exact decimal, digit for digit as the platform writes it: `"100.10"`. Answers have every
 * amount, rate and fee as one, and requests take one. Calculate with a decimal library, never
 * with `Number`.
 */
export type Decimal = string;

/** How many records there are, and where the next page begins. */
export interface PageMeta {
  /** Records on all pages together. */
  total_count: number;
  /** `cursor` of the next page; empty on the last. */
  next_cursor: string;
  /** True where counting stopped at 10,000; else left out. */
  total_count_capped?: boolean;
}

/** A stored beneficiary: the fields of its form, without document number and birth date. */
export interface Beneficiary {
  /** Its name; of a person in fiat, first and last. */
  beneficiary_name: string;
  /** Follows the transfer type. */
  routing_code_type_1?: string;
  /** BIC or ABA routing number, by the type. */
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
  /** Country of residence. */
  beneficiary_country_code?: string;
  /** Number of the document. */
  beneficiary_document_id?: string;
  /** Destination currency. */
  destination_currency?: string;
  /** Date of birth. Not in the future. */
  beneficiary_date_of_birth?: string;
  /** Kind of document. */
  beneficiary_document_type?: string;
  /** Date of incorporation. Not in the future. */
  beneficiary_date_of_incorporation?: string;
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** How the money is sent. */
  transfer_type?: string;
  /** Country that the money is sent to. */
  destination_country?: string;
  /** Second routing code type. */
  routing_code_type_2?: string;
  /** Second routing value. */
  routing_code_value_2?: string;
  /** Country calling code, digits, as a string or a number. */
  beneficiary_contact_country_code?: string;
  /** Telephone number, digits, as a string or a number. */
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
  /** What the beneficiary is to the sender. */
  beneficiary_relationship?: string;
  /** Kind of currency. */
  currency_type?: string;
  /** Kind of bank account. */
  beneficiary_bank_account_type?: string;
  /** Beneficiary id. */
  beneficiary_id: string;
  /** How it is paid. */
  beneficiary_type: "crypto" | "fiat";
  /** How money is sent to it. */
  transfer_method: "CRYPTO" | "SWIFT" | "ACH" | "LOCAL";
  /** `pending` until it was screened. Only a `cleared` one can be paid; `review`: a person looks at it. */
  screening_status: "pending" | "cleared" | "review" | "blocked";
  /** An archived one is not quoted any more. */
  archived: boolean;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A beneficiary that was stored; or, with `validate=true`, a body that would be. */
export interface CreatedBeneficiary {
  /** Beneficiary id; left out with `validate=true`. */
  beneficiary_id?: string;
  /** With `validate=true`: the body would be taken; else left out. */
  valid?: true;
}

/** A field to ask for. */
export interface BeneficiaryFormField {
  /** Its name in the body. */
  name: string;
  /** What its text is. */
  type: "text" | "country" | "date" | "email" | "digits";
  /** Whether the body has to have it. */
  required: boolean;
  /** What it means. */
  description: string;
  /** In characters. */
  max_length: number;
  /** The only values that are taken. */
  allowed_values?: string[];
  /** ECMAScript regular expression (flag `u`) of a sound value. */
  pattern?: string;
  /** What is said of a value that does not match. */
  pattern_message?: string;
  /** What an absent one stands for. */
  default?: string;
  /** A value that is taken. */
  example: string;
}

/** What to ask for, for one kind of beneficiary. */
export interface BeneficiaryForm {
  /** Name of the form. */
  name: string;
  /** Whom it is for. */
  description: string;
  /** How the beneficiary is paid. */
  beneficiary_type: "crypto" | "fiat";
  /** Where the body is posted. */
  path: "/api/v1/transfer/crypto/beneficiary" | "/api/v1/transfer/fiat/beneficiary";
  /** The currency that it is for. */
  destination_currency: string;
  /** The transfer type that it is for; empty for crypto. */
  transfer_type: string;
  /** The type that it is for. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** The fields, in the order to ask for them. */
  fields: BeneficiaryFormField[];
  /** What has to hold beyond each field. */
  rules: string[];
}

/** The forms that fit the choice. */
export interface BeneficiaryForms {
  /** None where no beneficiary can be so. */
  forms: BeneficiaryForm[];
}

/** A stored depositor: the fields of its form, without numbers of documents and birth dates. */
export interface Depositor {
  /** What the depositor is to the merchant; `business` is the merchant's own business. */
  depositor_relation?: string;
  /** Wallet address, valid on one of the networks. */
  depositor_wallet_address?: string;
  /** The merchant's own id of the business. */
  depositor_business_id?: string;
  /** Type of depositor. */
  depositor_type?: string;
  /** Personal info. */
  depositor_details?: {
    /** The person. */
    person_details?: {
      /** First name. */
      firstname?: string;
      /** Last name. */
      lastname?: string;
      /** Country of citizenship. */
      citizenship?: string;
      /** Country of birth. */
      country_of_birth?: string;
      /** Date of birth. Not in the future. */
      date_of_birth?: string;
    };
    /** Where the depositor lives or is registered. */
    address?: {
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
    };
    /** A document of the person. */
    documents?: {
      /** Kind of document. */
      document_type?: string;
      /** Number of the document. */
      document_number?: string;
    };
  };
  /** Business info. */
  depositor_business_details?: {
    /** EIN, registration number or tax id. */
    business_identification_number?: string;
    /** Name of the business. */
    name?: string;
    /** Legal form. */
    business_type?: string;
    /** Date of incorporation. Not in the future. */
    date_of_incorporation?: string;
    /** Where the depositor lives or is registered. */
    address?: {
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
    };
  };
  /** The owners, at least one. */
  company_owner_details?: Array<{
    /** The person. */
    person_details?: {
      /** First name. */
      firstname?: string;
      /** Last name. */
      lastname?: string;
      /** Country of citizenship. */
      citizenship?: string;
      /** Country of birth. */
      country_of_birth?: string;
      /** Date of birth. Not in the future. */
      date_of_birth?: string;
    };
    /** A document of the person. */
    documents?: {
      /** Kind of document. */
      document_type?: string;
      /** Number of the document. */
      document_number?: string;
    };
  }>;
  /** Depositor id. */
  id: string;
  /** `pending` until it was screened; `whitelisted`, `review` (a person looks at it) or `rejected`. */
  status: "pending" | "whitelisted" | "review" | "rejected";
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A depositor that was stored. */
export interface CreatedDepositor {
  /** Depositor id. */
  id: string;
}

/** What a payout would cost and bring. */
export interface Quote {
  /** Quote id. */
  id: string;
  /** Corridor. */
  corridor_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** What the account pays, fees included. */
  source_amount: Decimal;
  /** Destination units per one source unit. */
  exchange_rate: Decimal;
  /** What the beneficiary receives. */
  receiving_amount: Decimal;
  /** The source currency. */
  total_fees_currency: string;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** `source_amount` less `total_fees`, exactly. */
  converted_amount: Decimal;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** The quote cannot be executed from this time on. */
  expired_at: string;
}

/** A pair of currencies that you can send between. */
export interface Corridor {
  /** Corridor id. */
  id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Whether quotes are given now. */
  active: boolean;
  /** What a payout costs, in the source currency. */
  fees: {
    /** Share of the source amount: 0.005 is half a percent. */
    share: Decimal;
    /** Added to the share. */
    flat: Decimal;
  };
  /** Bounds of a payout's amounts, both inclusive, checked when it is executed; one that there is not is left out. */
  limits: {
    /** Least source amount. */
    source_amount_min?: Decimal;
    /** Greatest source amount. */
    source_amount_max?: Decimal;
    /** Least receiving amount. */
    receiving_amount_min?: Decimal;
    /** Greatest receiving amount. */
    receiving_amount_max?: Decimal;
  };
  /** Destination units per one source unit, now; left out where none is known. */
  exchange_rate?: Decimal;
  /** When the rate was true; empty where none is known. */
  rate_as_of: string;
}

/** A payout. */
export interface Payout {
  /** Payout id. */
  id: string;
  /** The merchant's own reference; empty where none was given. */
  reference_id: string;
  /** `initiated` until the money has arrived or cannot; `succeeded` → `failed` where it came back. */
  status: "initiated" | "succeeded" | "failed";
  /** Tells more: `unknown` is a payout that the rail cannot tell of yet, its money still held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned";
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
  /** Who is paid. */
  beneficiary_id: string;
  /** What the account pays, fees included. */
  source_amount: Decimal;
  /** What the beneficiary receives. */
  receiving_amount: Decimal;
  /** Destination units per one source unit. */
  exchange_rate: Decimal;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** Currency of the fees: the source currency, `total_fees_currency` of the quote. */
  fixed_cost_currency: string;
  /** Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`. */
  unique_transaction_reference: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A payout as it stands in the list. */
export interface PayoutItem {
  /** Payout id. */
  id: string;
  /** Name of the beneficiary. */
  title: string;
  /** Destination currency and transfer method. */
  sub_title: string;
  /** `initiated` until the money has arrived or cannot; `succeeded` → `failed` where it came back. */
  status: "initiated" | "succeeded" | "failed";
  /** Tells more: `unknown` is a payout that the rail cannot tell of yet, its money still held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned";
  /** What it is. */
  transaction_type: "payout_session";
  /** How it is sent; `CREDIT_REVERSAL` where it failed or came back and the money is credited. */
  transfer_method: "CRYPTO" | "SWIFT" | "ACH" | "LOCAL" | "CREDIT_REVERSAL";
  /** Money out. */
  transfer_type: "debit";
  /** Of a crypto payout that succeeded; else empty. */
  transaction_hash: string;
  /** Of a fiat payout that succeeded; else empty. */
  bank_reference_number: string;
  /** Name of the beneficiary. */
  beneficiary_name: string;
  /** Masked but for the last four. */
  beneficiary_account_number: string;
  /** The merchant's own reference; empty where none was given. */
  reference_note: string;
  /** Who is paid. */
  beneficiary_id: string;
  /** What the account pays, fees included. */
  total_cost: Decimal;
  /** The amounts, as strings. */
  amount: {
    /** What the account pays, fees included. */
    source_amount: Decimal;
    /** What the beneficiary receives. */
    receiving_amount: Decimal;
    /** Of the account. */
    source_amount_currency: {
      /** Name of the currency. */
      name: string;
      /** Its symbol; the code of a crypto currency. */
      symbol: string;
    };
    /** Of the beneficiary. */
    receiving_amount_currency: {
      /** Name of the currency. */
      name: string;
      /** Its symbol; the code of a crypto currency. */
      symbol: string;
    };
  };
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** A step of a payout. */
export interface PayoutEvent {
  /** `initiated` until the money has arrived or cannot; `succeeded` → `failed` where it came back. */
  status: "initiated" | "succeeded" | "failed";
  /** Tells more: `unknown` is a payout that the rail cannot tell of yet, its money still held. */
  sub_status: "queued" | "processing" | "unknown" | "settled" | "rejected" | "returned";
  /** `executed`: by your request. `submitted`: handed to a rail. `accepted`: the rail has it. `outcome_unknown`: the rail cannot tell what became of it. `settled`, `rejected`, `returned`: the rail's word. `resolved`: decided by two persons of the operator's. */
  cause: "executed" | "submitted" | "accepted" | "outcome_unknown" | "settled" | "rejected" | "returned" | "resolved";
  /** Of the payout by then: the `webhook-sequence` of its status. */
  version: number;
  /** When it took place. */
  created_at: string;
}

/** A payout that was accepted. */
export interface ExecutedPayout {
  /** Payout id. */
  id: string;
  /** The money is held and the payout is queued. */
  message: "Transaction Queued";
}

/** An account with its money. */
export interface Account {
  /** Account id. */
  id: string;
  /** Its currency. */
  currency_code: string;
  /** What can be spent. */
  available: Decimal;
  /** What is set aside for payouts under way. */
  held: Decimal;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** One line of a statement. */
export interface LedgerEntry {
  /** Id of the line: what moved the money, and which step of it. */
  id: string;
  /** Account id. */
  account_id: string;
  /** From 1, without gap within an account. */
  sequence: number;
  /** `credit`: money arrived. `hold`: set aside for a payout. `post`: left the account. `release`: not paid after all. `return`: paid and came back. `reversal`: a credit taken back. */
  step: "credit" | "hold" | "post" | "release" | "return" | "reversal";
  /** Currency of the amounts. */
  currency_code: string;
  /** What moved. */
  amount: Decimal;
  /** What could be spent after it. */
  available: Decimal;
  /** What was set aside after it. */
  held: Decimal;
  /** What `available` gained; negative where it lost. */
  available_change: Decimal;
  /** What `held` gained; negative where it lost. */
  held_change: Decimal;
  /** What of a `post` were fees; negative where a `return` gives them back; else zero. */
  total_fees: Decimal;
  /** The payout that it belongs to; empty for a credit and its reversal. */
  payout_id: string;
  /** What was noted with it. */
  note: string;
  /** Id of the line that it takes back, for `return` and `reversal`; else empty. */
  reverses: string;
  /** `hash` of the line before it in the account; empty for the first. */
  previous_hash: string;
  /** SHA-256 over the line as it is kept and `previous_hash`: a statement whose hashes follow each other is whole and in order. */
  hash: string;
  /** When it was written. */
  created_at: string;
}

/** Where webhooks are sent. */
export interface WebhookEndpoint {
  /** Endpoint id. */
  id: string;
  /** Where webhooks are sent. */
  url: string;
  /** Your note; empty where none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified";
  /** In which order the events of one transaction arrive. */
  order: "none" | "bounded" | "strict";
  /** What it is told of: `*` for everything. */
  event_types: string[];
  /** A new URL that is not verified yet; empty where there is none. */
  pending_url: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** How an endpoint takes its events; some seconds old. */
export interface WebhookEndpointHealth {
  /** `open`: it failed again and again, and gets one attempt at a time, 5 s apart. */
  circuit: "closed" | "open";
  /** Attempts that may run at once: a failure halves it. */
  concurrency_limit: number;
  /** Failures since the last 200. */
  consecutive_failures: number;
  /** When it last answered 200; empty where it never did. */
  last_delivered_at: string;
  /** When it last did not; empty where it always did. */
  last_failed_at: string;
  /** Status or error of the last failure; empty where there was none. */
  last_failure: string;
  /** Deliveries that wait, counted up to 10,000. */
  pending_count: number;
  /** When the oldest of them was made; empty where none waits. */
  oldest_pending_at: string;
}

/** An endpoint with how it takes its events. */
export interface WebhookEndpointWithHealth {
  /** Endpoint id. */
  id: string;
  /** Where webhooks are sent. */
  url: string;
  /** Your note; empty where none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified";
  /** In which order the events of one transaction arrive. */
  order: "none" | "bounded" | "strict";
  /** What it is told of: `*` for everything. */
  event_types: string[];
  /** A new URL that is not verified yet; empty where there is none. */
  pending_url: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  health: WebhookEndpointHealth;
}

/** An endpoint with the secrets that sign its webhooks. They are shown here and never again. */
export interface WebhookEndpointWithSecrets {
  /** Endpoint id. */
  id: string;
  /** Where webhooks are sent. */
  url: string;
  /** Your note; empty where none was given. */
  description: string;
  /** `paused`: its events wait for resume. `unverified`: they wait for verify. */
  state: "active" | "paused" | "unverified";
  /** In which order the events of one transaction arrive. */
  order: "none" | "bounded" | "strict";
  /** What it is told of: `*` for everything. */
  event_types: string[];
  /** A new URL that is not verified yet; empty where there is none. */
  pending_url: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Signs the header `X-SERVICE-Signature`. */
  secret: string;
  /** Signs the header `webhook-signature`. */
  standard_secret: string;
}

/** An endpoint that is no more. */
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
  /** Where it is sent. */
  endpoint_id: string;
  /** The event's id: the header `webhook-id` of every attempt. */
  event_id: string;
  /** What the event is of. */
  transaction_type: string;
  /** Id of what the event is of. */
  transaction_id: string;
  /** The status that the event tells. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  /** `exhausted`: 24 hours went by without a 200. `cancelled`: its endpoint was deleted. */
  state: "pending" | "delivered" | "exhausted" | "cancelled";
  /** Attempts so far. */
  attempts_count: number;
  /** 0, or which redelivery this is. */
  replay: number;
  /** When it is tried next; empty when it is not. */
  next_attempt_at: string;
  /** When it was made. */
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
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** HTTP status of the answer; 0 where there was none. */
  status_code: number;
  /** Why there was no answer; empty where there was one. */
  error: string;
  /** The answer's body, at most its first 1 KiB. */
  response_body: string;
}

/** A delivery with its last 20 attempts, oldest first. */
export interface WebhookDeliveryWithAttempts {
  /** Delivery id. */
  id: string;
  /** Where it is sent. */
  endpoint_id: string;
  /** The event's id: the header `webhook-id` of every attempt. */
  event_id: string;
  /** What the event is of. */
  transaction_type: string;
  /** Id of what the event is of. */
  transaction_id: string;
  /** The status that the event tells. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  /** `exhausted`: 24 hours went by without a 200. `cancelled`: its endpoint was deleted. */
  state: "pending" | "delivered" | "exhausted" | "cancelled";
  /** Attempts so far. */
  attempts_count: number;
  /** 0, or which redelivery this is. */
  replay: number;
  /** When it is tried next; empty when it is not. */
  next_attempt_at: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** Oldest first. */
  attempts: WebhookAttempt[];
}

/** Many deliveries that are sent once more, with how far that has come. */
export interface WebhookReplay {
  /** Replay id. */
  id: string;
  /** Where they went and go again. */
  endpoint_id: string;
  /** Deliveries made at this time or later. */
  since: string;
  /** Deliveries made before this time. */
  until: string;
  /** How they had ended. */
  states: Array<"exhausted" | "delivered">;
  /** At most so many in a second. */
  rate: number;
  /** `done`: everything is queued. `cancelled`: it was ended, or its endpoint was deleted. */
  state: "running" | "done" | "cancelled";
  /** How many there were to send when it was asked for. */
  total_count: number;
  /** True where counting stopped at 10,000; else left out. */
  total_count_capped?: boolean;
  /** How many are queued or sent by now. */
  queued_count: number;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
}

/** An event, as webhooks tell it. */
export interface WebhookEventRecord {
  /** The header `webhook-id` of its webhooks. */
  id: string;
  /** What it is of. */
  transaction_type: "payout_session" | "payment_session" | "refund";
  /** Id of what it is of. */
  transaction_id: string;
  /** The status that it tells. */
  status: string;
  /** Orders the events of one transaction, from 1. */
  sequence: number;
  /** `data` of the webhook's body, with the same digits. */
  data: PayoutWebhookData | PaymentSessionWebhookData | RefundWebhookData;
  /** When it happened. */
  occurred_at: string;
  /** When it was stored here. */
  received_at: string;
}

/** The next events of the feed. */
export interface WebhookEventPage {
  /** In the order of the feed, which never changes. */
  events: WebhookEventRecord[];
  /** `after` of the next request, also where there is nothing more now. */
  next_cursor: string;
  /** There are more already: ask again at once. */
  has_more: boolean;
}

/** The payout as it was when its status changed. */
export interface PayoutWebhookData {
  /** Payout id. */
  id: string;
  /** Your own reference; empty where none was given. */
  reference_id: string;
  /** The status that it changed to. */
  status: "initiated" | "succeeded" | "failed";
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
  /** Who is paid. */
  beneficiary_id: string;
  /** What the account pays, fees included. */
  source_amount: Decimal;
  /** What the beneficiary receives. */
  receiving_amount: Decimal;
  /** Rate when the quote was made. */
  exchange_rate: Decimal;
  /** Fees of the whole payout. */
  total_fees: Decimal;
  /** Currency of the fees. */
  fixed_cost_currency: string;
  /** Transaction hash (crypto) or bank reference (fiat); empty unless `succeeded`. */
  unique_transaction_reference: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
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
  /** Why it failed; empty where it did not. */
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
  /** Where the payer goes then. */
  success_redirect_url: string;
  /** Where the payer goes else. */
  failure_redirect_url: string;
  /** Its risk. */
  risk_score: string;
  /** When it was made. */
  created_at: string;
  /** When it last changed. */
  updated_at: string;
  /** When it expires. */
  expires_at: string;
}

/** A refund, as its system tells it. */
export interface RefundWebhookData {
  /** Refund id. */
  id?: string;
  /** Its status. */
  status?: string;
  [field: string]: unknown;
}

/** A test event, made by `sendTestWebhook`. */
export interface TestWebhookData {
  /** Id of the event. */
  id: string;
  /** Always the same. */
  status: "test";
  /** Your id. */
  merchant_id: string;
  /** The endpoint that is tried. */
  endpoint_id: string;
  /** When it was asked for. */
  created_at: string;
}

/** A challenge, made by `verifyWebhookEndpoint`: your 200 makes the URL live. */
export interface ChallengeWebhookData {
  /** Id of the event. */
  id: string;
  /** Always the same. */
  status: "challenge";
  /** Your id. */
  merchant_id: string;
  /** The endpoint whose URL is verified. */
  endpoint_id: string;
  /** When it was asked for. */
  created_at: string;
}

/** The body of a webhook: exactly these three fields. */
export interface PayoutWebhook {
  /** What the event is of. */
  transaction_type: "payout_session";
  /** Id of what the event is of: `data.id`. */
  transaction_id: string;
  data: PayoutWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface PaymentSessionWebhook {
  /** What the event is of. */
  transaction_type: "payment_session";
  /** Id of what the event is of: `data.id`. */
  transaction_id: string;
  data: PaymentSessionWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface RefundWebhook {
  /** What the event is of. */
  transaction_type: "refund";
  /** Id of what the event is of: `data.id`. */
  transaction_id: string;
  data: RefundWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface TestWebhook {
  /** What the event is of. */
  transaction_type: "webhook_test";
  /** Id of what the event is of: `data.id`. */
  transaction_id: string;
  data: TestWebhookData;
}

/** The body of a webhook: exactly these three fields. */
export interface ChallengeWebhook {
  /** What the event is of. */
  transaction_type: "webhook_challenge";
  /** Id of what the event is of: `data.id`. */
  transaction_id: string;
  data: ChallengeWebhookData;
}

/**
 * A person who is paid in crypto currency.
 * - The destination currency must be one that lives on the network.
 */
export interface CryptoBeneficiaryIndividualRequest {
  /** Full name. */
  beneficiary_name: string;
  /** Routing code type of crypto currency. */
  routing_code_type_1: "NETWORK";
  /** Network on which the crypto currency is sent. */
  routing_code_value_1: "ETHEREUM" | "SOLANA" | "POL" | "BNB" | "BTC" | "TRX";
  /** Wallet address, valid for its network including its checksum. */
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
  /** Currency to be delivered; has to live on the network. May be left out on SOLANA only. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON";
  /** Date of birth. Not in the future. */
  beneficiary_date_of_birth: string;
  /** Kind of document. */
  beneficiary_document_type: "NATIONAL_ID_CARD" | "PASSPORT" | "DRIVING_LICENSE";
}

/**
 * A company that is paid in crypto currency.
 * - The destination currency must be one that lives on the network.
 */
export interface CryptoBeneficiaryCorporateRequest {
  /** Full name. */
  beneficiary_name: string;
  /** Routing code type of crypto currency. */
  routing_code_type_1: "NETWORK";
  /** Network on which the crypto currency is sent. */
  routing_code_value_1: "ETHEREUM" | "SOLANA" | "POL" | "BNB" | "BTC" | "TRX";
  /** Wallet address, valid for its network including its checksum. */
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
  /** Currency to be delivered; has to live on the network. May be left out on SOLANA only. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON";
  /** Date of incorporation. Not in the future. */
  beneficiary_date_of_incorporation: string;
  /** Business EIN, registration number or tax id. */
  beneficiary_document_type: "BUSINESS_IDENTIFICATION_NUMBER";
}

/**
 * A bank account that is paid in USD or USDC.
 * - A SWIFT transfer is routed by SWIFT, an ACH or LOCAL one by ACH CODE.
 * - ACH and LOCAL transfers of USD and USDC stay in the United States.
 * - SWIFT takes a BIC (ISO 9362), ACH CODE an ABA routing number with its checksum.
 * - Where the bank's country uses IBAN (ISO 13616), the account number is a valid one.
 */
export interface FiatBeneficiaryUsdRequest {
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** Name of the company; of a Corporate. */
  beneficiary_name?: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** Destination currency. */
  destination_currency: "USD" | "USDC";
  /** How the money is sent. */
  transfer_type: "ACH" | "SWIFT" | "LOCAL";
  /** Country that the money is sent to. */
  destination_country: string;
  /** Country of residence. */
  beneficiary_country_code?: string;
  /** Follows the transfer type. */
  routing_code_type_1: "ACH CODE" | "SWIFT";
  /** BIC or ABA routing number, by the type. */
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
  /** Country calling code, digits, as a string or a number. */
  beneficiary_contact_country_code?: string;
  /** Telephone number, digits, as a string or a number. */
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
  /** What the beneficiary is to the sender. */
  beneficiary_relationship?: string;
}

/**
 * A bank account that is paid in INR.
 * - INR is sent to India.
 * - The routing value is an IFSC.
 */
export interface FiatBeneficiaryInrRequest {
  /** First name; of an Individual. */
  beneficiary_first_name?: string;
  /** Last name; of an Individual. */
  beneficiary_last_name?: string;
  /** Name of the company; of a Corporate. */
  beneficiary_name?: string;
  /** E-mail address. */
  beneficiary_email?: string;
  /** Type of beneficiary. */
  beneficiary_account_type: "Individual" | "Corporate";
  /** Destination currency. */
  destination_currency: "INR";
  /** How the money is sent. */
  transfer_type: "LOCAL";
  /** Country that the money is sent to. */
  destination_country: string;
  /** Country of residence. */
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
  /** Country calling code, digits, as a string or a number. */
  beneficiary_contact_country_code: string;
  /** Telephone number, digits, as a string or a number. */
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
  /** What the beneficiary is to the sender. */
  beneficiary_relationship?: string;
}

/** The merchant's own business. */
export interface DepositorSelfBusinessRequest {
  /** What the depositor is to the merchant; `business` is the merchant's own business. */
  depositor_relation: "business";
  /** Wallet address, valid on one of the networks. */
  depositor_wallet_address: string;
  /** The merchant's own id of the business. */
  depositor_business_id: string;
}

/** A person. */
export interface DepositorIndividualRequest {
  /** What the depositor is to the merchant; `business` is the merchant's own business. */
  depositor_relation: string;
  /** Type of depositor. */
  depositor_type: "Individual";
  /** Personal info. */
  depositor_details: {
    /** The person. */
    person_details: {
      /** First name. */
      firstname: string;
      /** Last name. */
      lastname: string;
      /** Country of citizenship. */
      citizenship: string;
      /** Country of birth. */
      country_of_birth: string;
      /** Date of birth. Not in the future. */
      date_of_birth: string;
    };
    /** Where the depositor lives or is registered. */
    address: {
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
    };
    /** A document of the person. */
    documents: {
      /** Kind of document. */
      document_type: string;
      /** Number of the document. */
      document_number: string;
    };
  };
  /** Wallet address, valid on one of the networks. */
  depositor_wallet_address?: string;
}

/** A company with its owners. */
export interface DepositorCorporateRequest {
  /** What the depositor is to the merchant; `business` is the merchant's own business. */
  depositor_relation: string;
  /** Type of depositor. */
  depositor_type: "Corporate";
  /** Business info. */
  depositor_business_details: {
    /** EIN, registration number or tax id. */
    business_identification_number: string;
    /** Name of the business. */
    name: string;
    /** Legal form. */
    business_type: string;
    /** Date of incorporation. Not in the future. */
    date_of_incorporation: string;
    /** Where the depositor lives or is registered. */
    address: {
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
    };
  };
  /** The owners, at least one. */
  company_owner_details: Array<{
    /** The person. */
    person_details: {
      /** First name. */
      firstname: string;
      /** Last name. */
      lastname: string;
      /** Country of citizenship. */
      citizenship: string;
      /** Country of birth. */
      country_of_birth: string;
      /** Date of birth. Not in the future. */
      date_of_birth: string;
    };
    /** A document of the person. */
    documents: {
      /** Kind of document. */
      document_type: string;
      /** Number of the document. */
      document_number: string;
    };
  }>;
  /** Wallet address, valid on one of the networks. */
  depositor_wallet_address: string;
}

/** One of the two amounts; the source amount wins. */
export interface RequestForQuoteRequest {
  /** Amount deducted from the source account. */
  source_amount?: Decimal;
  /** Amount that the recipient receives. */
  receiving_amount?: Decimal;
  /** Who is paid. */
  beneficiary_id: string;
  /** Currency of the account. */
  source_currency_code: string;
  /** Currency of the beneficiary. */
  destination_currency_code: string;
  /** Account to be debited. */
  account_id: string;
}

/** The quote to pay. */
export interface ExecutePayoutRequest {
  /** A quote of this merchant. */
  quote_id: string;
  /** The merchant's own order reference. It need not be unique: what keeps a payout from being made twice is its quote and the idempotency key. */
  reference_id?: string;
}

/** Where webhooks are sent. */
export interface CreateEndpointRequest {
  /** Absolute URL. */
  url: string;
  /** The merchant's note. */
  description?: string;
  /** In which order the events of one transaction arrive: `none` each at once, `bounded` each after the one before it or 30 s or 3 attempts of it, `strict` each after the one before it was delivered or given up. */
  order?: "none" | "bounded" | "strict";
  /** What it is told of: `*` for everything, a transaction type, or one with a status. Everything when left out. */
  event_types?: string[];
}

/** What is changed of an endpoint: at least one of these. */
export interface UpdateEndpointRequest {
  /** Absolute URL. */
  url?: string;
  /** The merchant's note; empty to take it away. */
  description?: string;
  /** In which order the events of one transaction arrive: `none` each at once, `bounded` each after the one before it or 30 s or 3 attempts of it, `strict` each after the one before it was delivered or given up. */
  order?: "none" | "bounded" | "strict";
  /** What it is told of: `*` for everything, a transaction type, or one with a status. */
  event_types?: string[];
}

/** How the secrets are changed. */
export interface RotateSecretRequest {
  /** How long the old secrets go along; 0 after a leak. 86,400 when left out. */
  overlap_seconds?: number;
  /** The new secrets wait for activate-secret before they sign. */
  stage?: boolean;
}

/** Which deliveries are sent once more. */
export interface CreateReplayRequest {
  /** Where they went and go again; `endpoint` is another name of this field. */
  endpoint_id: string;
  /** Made at this time or later. */
  since: string;
  /** Made before this time, at most 30 days after `since`; the present when left out. */
  until?: string;
  /** How they ended; `exhausted` alone when left out. */
  states?: Array<"exhausted" | "delivered">;
  /** At most so many in a second; 10 when left out. */
  rate?: number;
}

/** A recipient of crypto currency. */
export type CreateCryptoBeneficiaryRequest =
  | CryptoBeneficiaryIndividualRequest
  | CryptoBeneficiaryCorporateRequest;

/** A recipient of money in a bank account. */
export type CreateFiatBeneficiaryRequest =
  | FiatBeneficiaryUsdRequest
  | FiatBeneficiaryInrRequest;

/** Someone who pays in from a wallet. */
export type CreateDepositorRequest =
  | DepositorSelfBusinessRequest
  | DepositorIndividualRequest
  | DepositorCorporateRequest;

/** What `createCryptoBeneficiary` may be asked with. */
export interface CreateCryptoBeneficiaryQuery {
  /** `true` checks the body, and a wallet's risk, as creating does, and stores no beneficiary. Nobody is screened, and an idempotency key is not kept. */
  validate?: boolean | undefined;
}

/** What `createFiatBeneficiary` may be asked with. */
export interface CreateFiatBeneficiaryQuery {
  /** `true` checks the body, and a wallet's risk, as creating does, and stores no beneficiary. Nobody is screened, and an idempotency key is not kept. */
  validate?: boolean | undefined;
}

/** What `listBeneficiaries` may be asked with. */
export interface ListBeneficiariesQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
  /** Beneficiaries that are paid this way alone. */
  beneficiary_type?: "crypto" | "fiat" | undefined;
  /** Beneficiaries of this type alone. */
  beneficiary_account_type?: "Individual" | "Corporate" | undefined;
  /** Beneficiaries of this currency alone. */
  destination_currency?: string | undefined;
  /** Beneficiaries of this screening status alone. */
  screening_status?: "pending" | "cleared" | "review" | "blocked" | undefined;
  /** `false`, or left out: those that are not archived; `true`: archived ones alone; `any`: both. */
  archived?: "false" | "true" | "any" | undefined;
  /** Made at this time or later. */
  created_from?: string | undefined;
  /** Made before this time. */
  created_to?: string | undefined;
}

/** What `listBeneficiaryForms` may be asked with. */
export interface ListBeneficiaryFormsQuery {
  /** Forms for this currency alone. */
  destination_currency?: "USDC_ETH" | "USDT_ETH" | "ETH" | "SOL" | "PYUSD_SOL" | "USDP_SOL" | "USDC_SOL" | "MATIC_POLYGON" | "USDC_COIN_POLYGON" | "BTC" | "USDT_TRON" | "USD" | "USDC" | "INR" | undefined;
  /** Forms for this transfer type alone; crypto beneficiaries have none. */
  transfer_type?: "ACH" | "SWIFT" | "LOCAL" | undefined;
  /** Forms for this type of beneficiary alone. */
  account_type?: "Individual" | "Corporate" | undefined;
}

/** What `listDepositors` may be asked with. */
export interface ListDepositorsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
  /** Depositors of this status alone. */
  status?: "pending" | "whitelisted" | "review" | "rejected" | undefined;
  /** Depositors of this type alone. */
  depositor_type?: "Individual" | "Corporate" | undefined;
  /** Made at this time or later. */
  created_from?: string | undefined;
  /** Made before this time. */
  created_to?: string | undefined;
}

/** What `listCorridors` may be asked with. */
export interface ListCorridorsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
}

/** What `listPayouts` may be asked with. */
export interface ListPayoutsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
  /** Payouts of this status alone. */
  status?: "initiated" | "succeeded" | "failed" | undefined;
  /** Payouts to this beneficiary alone. */
  beneficiary_id?: string | undefined;
  /** Payouts with this reference of the merchant alone. */
  reference_id?: string | undefined;
  /** The payout of this quote alone. */
  quote_id?: string | undefined;
  /** Payouts out of this currency alone. */
  source_currency_code?: string | undefined;
  /** Payouts into this currency alone. */
  destination_currency_code?: string | undefined;
  /** Made at this time or later. */
  created_from?: string | undefined;
  /** Made before this time. */
  created_to?: string | undefined;
}

/** What `listPayoutEvents` may be asked with. */
export interface ListPayoutEventsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
}

/** What `listAccounts` may be asked with. */
export interface ListAccountsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
}

/** What `getAccount` may be asked with. */
export interface GetAccountQuery {
  /** The account after its last line of this time or before; not before it was opened. */
  as_of?: string | undefined;
}

/** What `listEntries` may be asked with. */
export interface ListEntriesQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
  /** Lines of this step alone. */
  step?: "credit" | "hold" | "post" | "release" | "return" | "reversal" | undefined;
  /** Lines of this payout alone. */
  payout_id?: string | undefined;
  /** Written at this time or later. */
  created_from?: string | undefined;
  /** Written before this time. */
  created_to?: string | undefined;
}

/** What `listWebhookEndpoints` may be asked with. */
export interface ListWebhookEndpointsQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
}

/** What `listWebhookDeliveries` may be asked with. */
export interface ListWebhookDeliveriesQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
  /** Deliveries to this endpoint alone; `endpoint` is another name of this parameter. */
  endpoint_id?: string | undefined;
  /** Deliveries of this transaction's events alone. */
  transaction_id?: string | undefined;
  /** Deliveries in this state alone. */
  state?: "pending" | "delivered" | "exhausted" | "cancelled" | undefined;
}

/** What `listWebhookReplays` may be asked with. */
export interface ListWebhookReplaysQuery {
  /** How many records a page has; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the page before; the first when left out. */
  cursor?: string | undefined;
}

/** What `listWebhookEvents` may be asked with. */
export interface ListWebhookEventsQuery {
  /** At most so many events; 20 when left out. */
  limit?: number | undefined;
  /** `next_cursor` of the answer before; from the oldest event that is kept when left out. */
  after?: string | undefined;
}

/** What a webhook tells: told apart by `transaction_type`. */
export type WebhookEvent =
  | PayoutWebhook
  | PaymentSessionWebhook
  | RefundWebhook
  | TestWebhook
  | ChallengeWebhook;

/** Codes of the platform's refusals. */
export type ErrorCode =
  | "INVALID_WALLET_ADDRESS"
  | "RISK_ANALYSIS_FAILED"
  | "RECORD_NOT_FOUND"
  | "BENEFICIARY_CREATION_NOT_ALLOWED"
  | "INVALID_JSON"
  | "CORRIDOR_NOT_ACTIVE"
  | "ACCESS_FORBIDDEN"
  | "QUOTE_EXPIRED"
  | "ALREADY_PROCESSED"
  | "AMOUNT_NOT_WITHIN_LIMITS"
  | "INSUFFICIENT_BALANCE"
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

/** Fields that are whole numbers; every other number of an answer is a decimal. */
export const wholeFields: ReadonlySet<string> = new Set([
  "attempts_count",
  "concurrency_limit",
  "consecutive_failures",
  "duration_ms",
  "max_length",
  "number",
  "overlap_seconds",
  "pending_count",
  "queued_count",
  "rate",
  "replay",
  "sequence",
  "status_code",
  "total_count",
  "version",
]);
