import type { MessageShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  type CorridorSchema,
  LimitsSchema,
  type QuoteService,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Corridor, isStale, type Rate, readCorridor, readRate } from "./domain/corridor.ts";
import {
  checkCorridor,
  checkParties,
  claimOutcome,
  type Parties,
  type Quote,
  type QuoteRequest,
  quoteAmounts,
} from "./domain/quote.ts";
import { readQuoteRequest } from "./quote-request.ts";
import { accepted } from "./refusals.ts";
import type { QuoteStore } from "./store.ts";
import { claimMessage, corridorMessage, limitsMessage, quoteMessage, rateMessage } from "./wire.ts";

export type QuoteDeps = {
  readonly store: QuoteStore;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly payout: Client<typeof PayoutService>;
  readonly clock: Clock;
  readonly quoteTtlSeconds: number;
};

/** The RPCs of the quote service; proto/disburse/quote/v1/quote.proto tells what each promises. */
export function quoteRpc(deps: QuoteDeps): ServiceImpl<typeof QuoteService> {
  const { store, clock } = deps;
  return {
    createQuote: async (message) => {
      const change = readMutation(message.mutation);
      const request = accepted(readQuoteRequest(message, clock.now()));
      const first = await store.findByOperation(request.merchantId, change.operationId);
      if (first !== undefined) return { quote: quoteMessage(first) };
      const beneficiary = accepted(checkParties(request, await readParties(deps, request)));
      const corridor = await openCorridor(store, request);
      const rate = await currentRate(store, corridor, clock.now());
      const { fee } = corridor;
      const terms = {
        source: request.source,
        destination: request.destination,
        rate: rate.rate,
        fee,
      };
      const amounts = accepted(quoteAmounts(request, terms));
      const quote = newQuote(deps, { request, corridor, rate, amounts, beneficiary });
      return { quote: quoteMessage(await store.insertQuote(quote, change)) };
    },

    getQuote: async ({ merchantId, quoteId }) => {
      const quote = await store.readQuote(merchantId, quoteId);
      return { quote: quoteMessage(accepted(quote ?? refused("RECORD_NOT_FOUND"))) };
    },

    getClaimableQuote: async ({ quoteId }) => {
      const found = await store.readAnyQuote(quoteId);
      const { quote, now } = accepted(found ?? refused("RECORD_NOT_FOUND"));
      const [corridor, openToMerchant] = await Promise.all([
        store.readCorridor(quote.corridorId),
        store.isOpenTo(quote.merchantId, quote.corridorId),
      ]);
      return {
        quote: quoteMessage(quote),
        corridorOpen: corridor?.active === true && openToMerchant,
        limits: corridor === undefined ? create(LimitsSchema) : limitsMessage(corridor),
        ...(quote.state === "claimed" ? { claim: claimMessage(quote.claim) } : {}),
        now: timestampFromDate(now),
      };
    },

    claimQuote: async ({ mutation, quoteId, payoutId, referenceId }) => {
      const { operationId } = readMutation(mutation);
      const quote = await store.claim(quoteId, { payoutId, referenceId, operationId });
      const claimed = accepted(claimOutcome(quote, payoutId));
      return { quote: quoteMessage(claimed), claim: claimMessage(claimed.claim) };
    },

    setCorridor: async ({ mutation, corridor }) => {
      const change = readMutation(mutation);
      const terms = readCorridor(corridorText(corridor));
      if (!("source" in terms)) {
        return accepted(refused("INVALID_REQUEST", violationsMessage(terms)));
      }
      const stored = await store.setCorridor(terms, change, clock.now());
      return { corridor: corridorMessage(stored, await store.latestRate(stored.id)) };
    },

    setMerchantCorridor: async ({ mutation, merchantId, corridorId, open }) => {
      const change = readMutation(mutation);
      accepted((await store.readCorridor(corridorId)) ?? refused("RECORD_NOT_FOUND"));
      await store.setMerchantCorridor(merchantId, corridorId, open, change, clock.now());
      return {};
    },

    setRate: async ({ mutation, corridorId, rate }) => {
      const change = readMutation(mutation);
      accepted((await store.readCorridor(corridorId)) ?? refused("RECORD_NOT_FOUND"));
      const decimal = readRate(rate?.rate ?? "");
      const source = cleanText(rate?.source ?? "");
      if (decimal === undefined || source === "" || source.length > 64) {
        return accepted(
          refused(
            "INVALID_REQUEST",
            "rate: a rate above zero with at most 10 decimals and its source are required",
          ),
        );
      }
      const asOf = rate?.asOf === undefined ? clock.now() : timestampDate(rate.asOf);
      const added = { rate: decimal, asOf, source };
      return { rate: rateMessage(await store.addRate(corridorId, added, change, clock.now())) };
    },

    listCorridors: async ({ merchantId }) => {
      const corridors = await store.listCorridors(merchantId);
      const rates = await Promise.all(corridors.map(({ id }) => store.latestRate(id)));
      return { corridors: corridors.map((corridor, at) => corridorMessage(corridor, rates[at])) };
    },
  };
}

/** What the owning services know of the account and the beneficiary; asked side by side. */
async function readParties(deps: QuoteDeps, request: QuoteRequest): Promise<Parties> {
  const { accountId, merchantId, beneficiaryId } = request;
  const [account, found] = await Promise.all([
    orNotFound(deps.payout.resolveAccount({ accountId })),
    orNotFound(deps.beneficiary.getBeneficiary({ merchantId, beneficiaryId })),
  ]);
  const beneficiary = found?.beneficiary;
  return {
    account: account && { merchantId: account.merchantId, currency: account.currencyCode },
    beneficiary: beneficiary && {
      currency: beneficiary.destinationCurrency,
      cleared: beneficiary.screeningStatus === ScreeningStatus.CLEARED,
      archived: beneficiary.archived,
      quoted: {
        id: beneficiary.id,
        name: beneficiary.name,
        accountNumberMasked: beneficiary.accountNumberMasked,
        transferMethod: beneficiary.transferMethod,
        network: beneficiary.network,
      },
    },
  };
}

async function orNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  }
}

async function openCorridor(store: QuoteStore, request: QuoteRequest): Promise<Corridor> {
  const corridor = await store.findCorridor(request.source, request.destination);
  const isOpen = corridor !== undefined && (await store.isOpenTo(request.merchantId, corridor.id));
  return accepted(checkCorridor(corridor, isOpen));
}

async function currentRate(store: QuoteStore, corridor: Corridor, now: Date): Promise<Rate> {
  const rate = await store.latestRate(corridor.id);
  if (rate === undefined || isStale(corridor, rate, now)) {
    throw new ConnectError("the corridor has no current rate", Code.Unavailable);
  }
  return rate;
}

function newQuote(
  { clock, quoteTtlSeconds }: QuoteDeps,
  parts: {
    request: QuoteRequest;
    corridor: Corridor;
    rate: Rate;
    amounts: Quote["amounts"];
    beneficiary: Quote["beneficiary"];
  },
): Quote {
  const { request, corridor, rate, amounts, beneficiary } = parts;
  const now = clock.now();
  const ttlSeconds = corridor.quoteTtlSeconds || quoteTtlSeconds;
  return {
    state: "open",
    id: newId("quote", now),
    merchantId: request.merchantId,
    accountId: request.accountId,
    corridorId: corridor.id,
    source: request.source,
    destination: request.destination,
    amounts,
    rate: rate.rate,
    rateAsOf: rate.asOf,
    rateSource: rate.source,
    beneficiary,
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + ttlSeconds * 1_000),
  };
}

function corridorText(corridor: MessageShape<typeof CorridorSchema> | undefined) {
  return {
    source: corridor?.sourceCurrencyCode ?? "",
    destination: corridor?.destinationCurrencyCode ?? "",
    active: corridor?.active ?? false,
    feeShare: corridor?.feeShare || "0",
    feeFlat: corridor?.feeFlat || "0",
    sourceMin: corridor?.limits?.sourceMin ?? "",
    sourceMax: corridor?.limits?.sourceMax ?? "",
    receivingMin: corridor?.limits?.receivingMin ?? "",
    receivingMax: corridor?.limits?.receivingMax ?? "",
    quoteTtlSeconds: corridor?.quoteTtlSeconds ?? 0,
    rateMaxAgeSeconds: corridor?.rateMaxAgeSeconds ?? 0,
  };
}
