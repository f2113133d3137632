import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Decimal, formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import type { Decimal128 } from "mongodb";
import type { Corridor, CorridorTerms, Rate } from "./domain/corridor.ts";
import type { Quote, QuoteState } from "./domain/quote.ts";

/** Minor units; `null` where there is no bound. */
type Bound = Decimal128 | null;

type CorridorTermsDocument = {
  source: string;
  destination: string;
  active: boolean;
  fee_share: string;
  fee_flat_minor: Decimal128;
  source_min: Bound;
  source_max: Bound;
  receiving_min: Bound;
  receiving_max: Bound;
  quote_ttl_seconds: number;
  rate_max_age_seconds: number;
};

type Changed = {
  schema_version: number;
  actor: StoredActor;
  created_at: Date;
  updated_at: Date;
};

export type CorridorDocument = CorridorTermsDocument &
  Changed & { _id: string; operations: string[] };

export type MerchantCorridorDocument = Changed & {
  _id: string;
  merchant_id: string;
  corridor_id: string;
  open: boolean;
  operations: string[];
};

export type RateDocument = {
  _id: string;
  schema_version: number;
  corridor_id: string;
  rate: string;
  as_of: Date;
  source: string;
  received_at: Date;
  operation_id: string;
  actor: StoredActor;
};

export type QuoteDocument = Changed & {
  _id: string;
  operation_id: string;
  merchant_id: string;
  account_id: string;
  corridor_id: string;
  source: string;
  destination: string;
  source_minor: Decimal128;
  fees_minor: Decimal128;
  converted_minor: Decimal128;
  receiving_minor: Decimal128;
  rate: string;
  rate_as_of: Date;
  rate_source: string;
  beneficiary: {
    id: string;
    name: string;
    account_number_masked: string;
    transfer_method: string;
    network: string;
  };
  state: QuoteState["state"];
  claim?: { payout_id: string; reference_id: string; operation_id: string; claimed_at: Date };
  expires_at: Date;
};

function bound(minor: bigint | undefined): Bound {
  return minor === undefined ? null : toDecimal128(minor);
}

function fromBound(stored: Bound): bigint | undefined {
  return stored === null ? undefined : fromDecimal128(stored);
}

function decimal(text: string): Decimal {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error("not a stored decimal");
  return read;
}

export function corridorTerms(terms: CorridorTerms): CorridorTermsDocument {
  return {
    source: terms.source,
    destination: terms.destination,
    active: terms.active,
    fee_share: formatDecimal(terms.fee.share),
    fee_flat_minor: toDecimal128(terms.fee.flatMinor),
    source_min: bound(terms.limits.sourceMin),
    source_max: bound(terms.limits.sourceMax),
    receiving_min: bound(terms.limits.receivingMin),
    receiving_max: bound(terms.limits.receivingMax),
    quote_ttl_seconds: terms.quoteTtlSeconds,
    rate_max_age_seconds: terms.rateMaxAgeSeconds,
  };
}

export function toCorridor(document: CorridorDocument): Corridor {
  return {
    id: document._id,
    source: document.source,
    destination: document.destination,
    active: document.active,
    fee: {
      share: decimal(document.fee_share),
      flatMinor: fromDecimal128(document.fee_flat_minor),
    },
    limits: {
      sourceMin: fromBound(document.source_min),
      sourceMax: fromBound(document.source_max),
      receivingMin: fromBound(document.receiving_min),
      receivingMax: fromBound(document.receiving_max),
    },
    quoteTtlSeconds: document.quote_ttl_seconds,
    rateMaxAgeSeconds: document.rate_max_age_seconds,
  };
}

export function toRate(document: RateDocument): Rate {
  return { rate: decimal(document.rate), asOf: document.as_of, source: document.source };
}

export function quoteDocument(quote: Quote): Omit<QuoteDocument, "operation_id" | "actor"> {
  return {
    _id: quote.id,
    schema_version: 1,
    merchant_id: quote.merchantId,
    account_id: quote.accountId,
    corridor_id: quote.corridorId,
    source: quote.source,
    destination: quote.destination,
    source_minor: toDecimal128(quote.amounts.source),
    fees_minor: toDecimal128(quote.amounts.fees),
    converted_minor: toDecimal128(quote.amounts.converted),
    receiving_minor: toDecimal128(quote.amounts.receiving),
    rate: formatDecimal(quote.rate),
    rate_as_of: quote.rateAsOf,
    rate_source: quote.rateSource,
    beneficiary: {
      id: quote.beneficiary.id,
      name: quote.beneficiary.name,
      account_number_masked: quote.beneficiary.accountNumberMasked,
      transfer_method: quote.beneficiary.transferMethod,
      network: quote.beneficiary.network,
    },
    state: quote.state,
    created_at: quote.createdAt,
    updated_at: quote.updatedAt,
    expires_at: quote.expiresAt,
  };
}

export function toQuote(document: QuoteDocument): Quote {
  return {
    ...quoteState(document),
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    corridorId: document.corridor_id,
    source: document.source,
    destination: document.destination,
    amounts: {
      source: fromDecimal128(document.source_minor),
      fees: fromDecimal128(document.fees_minor),
      converted: fromDecimal128(document.converted_minor),
      receiving: fromDecimal128(document.receiving_minor),
    },
    rate: decimal(document.rate),
    rateAsOf: document.rate_as_of,
    rateSource: document.rate_source,
    beneficiary: {
      id: document.beneficiary.id,
      name: document.beneficiary.name,
      accountNumberMasked: document.beneficiary.account_number_masked,
      transferMethod: document.beneficiary.transfer_method,
      network: document.beneficiary.network,
    },
    createdAt: document.created_at,
    updatedAt: document.updated_at,
    expiresAt: document.expires_at,
  };
}

function quoteState({ state, claim }: QuoteDocument): QuoteState {
  if (state !== "claimed") return { state };
  if (claim === undefined) throw new Error("a claimed quote without its claim");
  return {
    state,
    claim: {
      payoutId: claim.payout_id,
      referenceId: claim.reference_id,
      operationId: claim.operation_id,
      claimedAt: claim.claimed_at,
    },
  };
}
