import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Client, Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type CountRead, createCache } from "@disburse/chassis/cache.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { readChange } from "@disburse/chassis/mutations/content.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  ClaimSchema,
  type CreateQuoteRequest,
  CreateQuoteRequestSchema,
  type GetEquivalentAmountRequest,
  LimitsSchema,
  type Quote as QuoteMessage,
  QuoteSchema,
  type QuoteService,
  QuoteState as QuoteStateMessage,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { QuoteSandboxService } from "@disburse/contracts/disburse/quote/v1/quote_sandbox_pb.ts";
import { requestForQuote } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { type Decimal, formatDecimal } from "@disburse/kernel/decimal.ts";
import { newId } from "@disburse/kernel/id.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { CurrentCorridors } from "../corridors/current.ts";
import { limitsMessage } from "../corridors/rpc.ts";
import { type Corridor, isStale, type Rate } from "../corridors/rules/corridor.ts";
import { type CorridorStore, findCorridor, isOpenTo } from "../corridors/store.ts";
import type { CountQuote } from "./count.ts";
import { pricesRpc } from "./prices.ts";
import { convertedBack, convertedTo } from "./rules/arithmetic.ts";
import {
  type Claim,
  checkCorridor,
  checkParties,
  claimOutcome,
  fixedAmount,
  isWithinLimits,
  type Parties,
  type Quote,
  type QuoteRequest,
  quoteAmounts,
} from "./rules/quote.ts";
import type { QuoteStore } from "./store.ts";

type RateDeps = { readonly current: CurrentCorridors; readonly clock: Clock };

type Pair = { readonly source: string; readonly destination: string };

export type QuoteDeps = {
  readonly quotes: QuoteStore;
  readonly corridors: CorridorStore;
  readonly current: CurrentCorridors;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly payout: Client<typeof PayoutService>;
  readonly clock: Clock;
  readonly quoteTtlSeconds: number;
  readonly countRead?: CountRead;
  readonly countQuote?: CountQuote;
};

export function quotesRpc(deps: QuoteDeps) {
  const { quotes, corridors, countQuote } = deps;
  const accountOf = openAccountOwners(deps);
  return {
    createQuote: async (message) => {
      try {
        const { quote, corridor } = await requestedQuote(deps, message, accountOf);
        countQuote?.();
        const isOutside = corridor !== undefined && !isWithinLimits(quote.amounts, corridor.limits);
        return {
          quote: quoteMessage(quote),
          ...(isOutside && { exceededLimits: limitsMessage(corridor) }),
        };
      } catch (error) {
        countQuote?.(error);
        throw error;
      }
    },

    getQuote: async ({ merchantId, quoteId }) => {
      const quote = await quotes.read(merchantId, quoteId);
      return { quote: quoteMessage(orThrow(quote ?? refused("RECORD_NOT_FOUND"))) };
    },

    getClaimableQuote: async ({ quoteId }) => {
      const found = await quotes.readAny(quoteId);
      const { quote, now } = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const [corridor, openToMerchant] = await Promise.all([
        findCorridor(corridors, { _id: quote.corridorId }),
        isOpenTo(corridors, quote.merchantId, quote.corridorId),
      ]);
      return {
        quote: quoteMessage(quote),
        corridorOpen: corridor?.active === true && openToMerchant,
        limits: corridor === undefined ? create(LimitsSchema) : limitsMessage(corridor),
        ...(quote.state === "claimed" ? { claim: claimMessage(quote.claim) } : {}),
        now: timestampFromDate(now),
      };
    },

    getEquivalentAmount: (request) => equivalentAmount(deps, request),

    ...pricesRpc({ ...deps, accountOf }),

    claimQuote: async ({ mutation, quoteId, payoutId, order }) => {
      const { operationId } = readMutation(mutation);
      const quote = await quotes.claim(quoteId, { payoutId, operationId, order });
      const claimed = orThrow(claimOutcome(quote, payoutId));
      return { quote: quoteMessage(claimed), claim: claimMessage(claimed.claim) };
    },

    expireQuote: async ({ mutation, quoteId }) => {
      readMutation(mutation);
      const quote = orThrow((await quotes.expire(quoteId)) ?? refused("RECORD_NOT_FOUND"));
      if (quote.state === "claimed") orThrow(refused("ALREADY_PROCESSED"));
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof QuoteService>>;
}

/** Prices a quote at current terms without storing it. Throws if any check refuses the request. */
async function priced(deps: QuoteDeps, request: QuoteRequest, accountOf: AccountOwners) {
  const [parties, corridor] = await Promise.all([
    readParties(deps, request, accountOf),
    deps.current.find(request.sourceCurrencyCode, request.destinationCurrencyCode),
  ]);
  const beneficiary = orThrow(checkParties(request, parties));
  const open = await openCorridor(deps, request, corridor);
  const rate = await currentRate(deps, open);
  const terms = {
    source: request.sourceCurrencyCode,
    destination: request.destinationCurrencyCode,
    rate: rate.rate,
    fee: open.fee,
  };
  const amounts = orThrow(quoteAmounts(request, terms));
  const quote = newQuote(deps, { request, corridor: open, rate, amounts, beneficiary });
  return { quote, corridor: open };
}

/**
 * Creates the requested quote. A repeated operation returns the quote it created first, without its
 * corridor if the request is refused now.
 */
async function requestedQuote(
  deps: QuoteDeps,
  message: CreateQuoteRequest,
  accountOf: AccountOwners,
): Promise<{ quote: Quote; corridor?: Corridor }> {
  const change = readChange(CreateQuoteRequestSchema, message);
  const { unreadable } = message;
  const context = { now: deps.clock.now(), unreadable };
  const sent = orThrow(checkedMessage(requestForQuote, CreateQuoteRequestSchema, message, context));
  const request = { ...sent, reissueOf: message.reissueOf };
  try {
    const { quote, corridor } = await priced(deps, request, accountOf);
    return { quote: orThrow(await deps.quotes.insert(quote, change)), corridor };
  } catch (error) {
    // The request is refused now, but the operation may have created a quote earlier. A repeat
    // returns that quote.
    const first = await deps.quotes.findByOperation(request.merchantId, change);
    if (first === undefined) throw error;
    return { quote: orThrow(first) };
  }
}

type Account = NonNullable<Parties["account"]>;
type AccountOwners = (accountId: string) => Promise<Account | undefined>;

const accountsMax = 100_000;

/**
 * An account that was closed gets quotes for at most this time, in which quotes from before are
 * valid too. Executing them is refused at once.
 */
const accountFreshMs = 300_000;

/**
 * Reads an account's owner and currency, and if it is closed. A closed account is not cached, so
 * that reopening it takes effect at once. Like a missing account, it costs one read for each
 * request; concurrent requests share one.
 */
function openAccountOwners({ payout, countRead }: QuoteDeps): AccountOwners {
  const owners = createCache<Account>({
    name: "account_owners",
    max: accountsMax,
    freshMs: accountFreshMs,
    countRead,
    read: async (accountId) => {
      const found = await orNotFound(payout.resolveAccount({ accountId }));
      if (found === undefined) return undefined;
      const { merchantId, currencyCode: currency, closed: isClosed } = found;
      return { merchantId, currency, isClosed };
    },
  });
  return async (accountId) => {
    const account = await owners.get(accountId);
    if (account?.isClosed) owners.drop(accountId);
    return account;
  };
}

async function readParties(
  deps: QuoteDeps,
  { accountId, merchantId, beneficiaryId }: QuoteRequest,
  accountOf: AccountOwners,
): Promise<Parties> {
  const [account, found] = await Promise.all([
    accountOf(accountId),
    orNotFound(deps.beneficiary.getBeneficiary({ merchantId, beneficiaryId })),
  ]);
  const { beneficiary, destinationKeys = [] } = found ?? {};
  return {
    account,
    beneficiary: beneficiary && {
      currency: beneficiary.destinationCurrency,
      screening: enumName(ScreeningStatus, beneficiary.screeningStatus),
      archived: beneficiary.archived,
      isPayable: beneficiary.unpayableReason === "",
      quoted: {
        id: beneficiary.id,
        name: beneficiary.name,
        ...(beneficiary.nameLatin !== "" && { nameLatin: beneficiary.nameLatin }),
        accountNumberMasked: beneficiary.accountNumberMasked,
        transferMethod: beneficiary.transferMethod,
        network: beneficiary.network,
        destinationKeys,
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

async function openCorridor(
  { current }: QuoteDeps,
  { merchantId }: QuoteRequest,
  corridor: Corridor | undefined,
): Promise<Corridor> {
  const isOpen = corridor !== undefined && (await current.isOpenTo(merchantId, corridor.id));
  return orThrow(checkCorridor(corridor, isOpen));
}

async function currentRate({ current, clock }: QuoteDeps, corridor: Corridor): Promise<Rate> {
  const rate = await current.latestRate(corridor.id);
  if (rate === undefined || isStale(corridor, rate, clock.now())) {
    throw new ConnectError("the corridor has no current rate", Code.Unavailable);
  }
  return rate;
}

type QuoteParts = Pick<Quote, "amounts" | "beneficiary"> & {
  readonly request: QuoteRequest;
  readonly corridor: Corridor;
  readonly rate: Rate;
};

function newQuote(
  { clock, quoteTtlSeconds }: QuoteDeps,
  { request, corridor, rate, ...priced }: QuoteParts,
): Quote {
  const now = clock.now();
  const ttlSeconds = corridor.quoteTtlSeconds || quoteTtlSeconds;
  return {
    state: "open",
    id: newId("quote", now),
    merchantId: request.merchantId,
    accountId: request.accountId,
    corridorId: corridor.id,
    source: request.sourceCurrencyCode,
    destination: request.destinationCurrencyCode,
    ...priced,
    rate: rate.rate,
    rateAsOf: rate.asOf,
    rateSource: rate.source,
    returnCharges: corridor.returnCharges,
    metadata: request.metadata,
    fixed: fixedAmount(request),
    reissueOf: request.reissueOf,
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + ttlSeconds * 1_000),
  };
}

export function quoteMessage(quote: Quote): QuoteMessage {
  const { source, destination, amounts, beneficiary } = quote;
  return create(QuoteSchema, {
    ...quote,
    beneficiary: {
      ...beneficiary,
      nameLatin: beneficiary.nameLatin ?? "",
      destinationKeys: [...beneficiary.destinationKeys],
    },
    sourceCurrencyCode: source,
    destinationCurrencyCode: destination,
    sourceAmount: formatAmount(amounts.source, source),
    convertedAmount: formatAmount(amounts.converted, source),
    totalFees: formatAmount(amounts.fees, source),
    receivingAmount: formatAmount(amounts.receiving, destination),
    exchangeRate: formatDecimal(quote.rate),
    receivingFixed: quote.fixed === "receiving",
    rateAsOf: timestampFromDate(quote.rateAsOf),
    returnCharges: enumValue(ReturnCharges, quote.returnCharges),
    state: enumValue(QuoteStateMessage, quote.state),
    createdAt: timestampFromDate(quote.createdAt),
    updatedAt: timestampFromDate(quote.updatedAt),
    expiredAt: timestampFromDate(quote.expiresAt),
  });
}

function claimMessage(claim: Claim) {
  return create(ClaimSchema, { ...claim, claimedAt: timestampFromDate(claim.claimedAt) });
}

/** Lets a sandbox merchant force its quotes into a state. */
export function sandboxQuotesRpc({ quotes }: { readonly quotes: QuoteStore }) {
  return {
    expireQuoteNow: async ({ mutation, merchantId, quoteId }) => {
      readMutation(mutation);
      const ended = await quotes.endNow(merchantId, quoteId);
      const quote = orThrow(ended ?? refused("RECORD_NOT_FOUND"));
      if (quote.state === "claimed") orThrow(refused("ALREADY_PROCESSED"));
      return { quote: quoteMessage(quote) };
    },
  } satisfies ServiceImpl<typeof QuoteSandboxService>;
}

/**
 * Converts an amount to another currency, rounded up. Returns nothing if no corridor with a current
 * rate is open.
 */
async function equivalentAmount(
  deps: RateDeps,
  {
    merchantId,
    amount: text,
    currencyCode: from,
    equivalentCurrencyCode: to,
  }: GetEquivalentAmountRequest,
): Promise<{ amount?: string }> {
  if (findCurrency(from) === undefined || findCurrency(to) === undefined) {
    return orThrow(
      refused(
        "INVALID_REQUEST",
        "currency_code, equivalent_currency_code: must be known currencies",
      ),
    );
  }
  const amount = parseAmount(text, from);
  if (isRefused(amount)) return orThrow(refused("INVALID_REQUEST", `amount: ${amount.detail}`));
  const there = await openRate(deps, merchantId, { source: from, destination: to });
  if (there !== undefined) return { amount: formatAmount(convertedTo(there, amount), to) };
  const back = await openRate(deps, merchantId, { source: to, destination: from });
  return back === undefined ? {} : { amount: formatAmount(convertedBack(back, amount), to) };
}

/** Returns the current rate of an open corridor, or `undefined` if it is stale or missing. */
async function openRate(
  { current, clock }: RateDeps,
  merchantId: string,
  pair: Pair,
): Promise<(Pair & { readonly rate: Decimal }) | undefined> {
  const corridor = await current.find(pair.source, pair.destination);
  if (corridor?.active !== true) return undefined;
  if (!(await current.isOpenTo(merchantId, corridor.id))) return undefined;
  const found = await current.latestRate(corridor.id);
  if (found === undefined || isStale(corridor, found, clock.now())) return undefined;
  return { source: pair.source, destination: pair.destination, rate: found.rate };
}
