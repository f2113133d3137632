import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow, type PublicRefusal, refusalMessage } from "@disburse/chassis/rpc/refusal.ts";
import type { Mode } from "@disburse/chassis/settings.ts";
import { BatchTermsSchema } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalReason } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import {
  type LimitLeft as LimitLeftMessage,
  LimitLeftSchema,
  type PayoutOrderService,
  type PreviewPayoutRequest,
  type PreviewPayoutResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import {
  type ExecutePayoutRequest,
  ExecutePayoutRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { MutationSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { executePayout, requestForQuote } from "@disburse/forms/bodies/transfer.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Ledger, readAccount } from "@disburse/ledger/accounts.ts";
import type { Account } from "@disburse/ledger/rules/account.ts";
import type { LimitLeft } from "../velocity/reservations.ts";
import { readPrices } from "./prices.ts";
import { type ReadDeps, readBeneficiary, readQuote } from "./reads.ts";
import { openRehearsal, type RehearsalDeps, type RehearsedPayout } from "./rehearsal.ts";
import { fundRefusals, isReserved, payRefusals } from "./rules/payable.ts";
import { waitingLimits } from "./rules/waiting-limits.ts";

export type PreviewDeps = RehearsalDeps &
  Pick<ReadDeps, "quote" | "beneficiary" | "controls"> & {
    readonly ledger: Ledger;
    readonly clock: Clock;
    readonly mode: Mode;
  };

type Response = MessageInitShape<typeof PreviewPayoutResponseSchema>;
type Preview = {
  readonly refusals: readonly Refused<PublicRefusal>[];
  readonly payout: RehearsedPayout | undefined;
  readonly accountId: string;
  readonly now: Date;
  readonly shown: Response;
  /** True if a payout with too little money waits for it. */
  readonly mayWait: boolean;
};

/** Serves the rehearsal of one quote or execute. It stores and holds nothing. */
export function previewRpc(deps: PreviewDeps) {
  return {
    previewPayout: async (request) => {
      const { merchantId, execute } = request;
      const preview =
        execute === undefined
          ? await previewQuote(deps, request)
          : await previewExecute(deps, merchantId, execute);
      return judged(deps, request, preview);
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

/** Prices the terms of a quote. */
async function previewQuote(
  deps: PreviewDeps,
  { merchantId, terms, unreadable }: PreviewPayoutRequest,
): Promise<Preview> {
  const context = { now: deps.clock.now(), unreadable };
  const sent = orThrow(checkedMessage(requestForQuote, BatchTermsSchema, terms, context));
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination, accountId } = sent;
  const asked = { ...sent, source, destination };
  const { priced, now } = await readPrices(deps, merchantId, [asked]);
  const [first] = priced;
  if (first === undefined) throw new Error("there is no price");
  const { sourceAmount, totalFees, receivingAmount, exchangeRate } = first.price;
  const currencies = { sourceCurrencyCode: source, destinationCurrencyCode: destination };
  const shown = { ...currencies, sourceAmount, totalFees, receivingAmount, exchangeRate };
  const { refusals, payout } = first;
  return { refusals, payout, accountId, now, shown, mayWait: false };
}

/** Reads a stored quote and checks it as an execute would. */
async function previewExecute(
  deps: PreviewDeps,
  merchantId: string,
  message: ExecutePayoutRequest,
): Promise<Preview> {
  const context = { now: deps.clock.now(), unreadable: message.unreadable };
  const sent = orThrow(checkedMessage(executePayout, ExecutePayoutRequestSchema, message, context));
  if (isReserved(deps.mode, sent.referenceId)) {
    orThrow(refused("INVALID_REQUEST", "reference_id: is reserved for the sandbox"));
  }
  const mayWait = sent.queueIfLowBalance;
  const read = await readQuote(deps, sent.quoteId);
  const limits = mayWait ? waitingLimits(sent, read, merchantId, deps.clock.now()) : undefined;
  if (isRefused(limits)) orThrow(limits);
  // Nothing is shown of another merchant's quote.
  const isOwn = read?.executable.merchantId === merchantId;
  if (read === undefined || !isOwn || read.reissueOf !== undefined) {
    const isHidden = read === undefined || isOwn;
    const refusals = isHidden
      ? [refused("RECORD_NOT_FOUND")]
      : payRefusals(read.executable, merchantId, read.now);
    return {
      refusals,
      payout: undefined,
      accountId: "",
      now: deps.clock.now(),
      shown: {},
      mayWait,
    };
  }
  const { executable, accountId, destinationKeys, now, destination, currency: source } = read;
  const beneficiary = await readBeneficiary(deps, merchantId, read.beneficiaryId);
  const { sourceMinor, receivingMinor } = executable;
  return {
    refusals: [
      ...payRefusals(executable, merchantId, now),
      ...fundRefusals(executable, beneficiary.screening),
    ],
    payout: {
      accountId,
      destinationKeys,
      beneficiaryCreatedAt: beneficiary.createdAt,
      source,
      sourceMinor,
      feesMinor: read.feesMinor,
      destination,
      receivingMinor,
      referenceId: sent.referenceId,
      allowDuplicate: sent.allowDuplicate,
    },
    accountId,
    now,
    mayWait,
    shown: {
      sourceCurrencyCode: source,
      destinationCurrencyCode: destination,
      sourceAmount: formatAmount(sourceMinor, source),
      totalFees: formatAmount(read.feesMinor, source),
      receivingAmount: formatAmount(receivingMinor, destination),
      exchangeRate: read.exchangeRate,
    },
  };
}

/** Adds the checks of an execute to those of its quote. */
async function judged(
  deps: PreviewDeps,
  { merchantId, actor }: PreviewPayoutRequest,
  { refusals, payout, accountId, now, shown, mayWait }: Preview,
): Promise<Response> {
  const account = await readAccount(deps.ledger, merchantId, accountId);
  const available = account && formatAmount(account.available, account.currency);
  const ofAccount = { ...shown, availableAmount: available ?? "" };
  if (payout === undefined) return { ...ofAccount, refusals: refusals.map(refusalMessage) };
  const asChange = create(MutationSchema, { operationId: "preview", ...(actor && { actor }) });
  const who = { merchantId, actorRoot: rootOfActor(readMutation(asChange).actor) };
  const judge = await openRehearsal(deps, who, [payout], now);
  const { limits, approval, refusals: more } = await judge(payout, refusals.length > 0);
  const ofHold = account === undefined ? [] : holdRefusals(account, payout, mayWait);
  // The quote service may have named the closed account already.
  const named = new Set<string>(refusals.map(({ refused: code }) => code));
  const all = [...refusals, ...more, ...ofHold.filter(({ refused: code }) => !named.has(code))];
  return {
    ...ofAccount,
    refusals: all.map(refusalMessage),
    wouldWait: all.length === 0 && account !== undefined && account.available < payout.sourceMinor,
    approvalRequired: approval !== undefined,
    approvalReasons: approval?.reasons.map((each) => enumValue(ApprovalReason, each)) ?? [],
    limits: limits.map(leftMessage),
  };
}

/** Returns the refusal of the payout's hold, if any. */
function holdRefusals(
  { available, closedAt }: Account,
  { sourceMinor }: RehearsedPayout,
  mayWait: boolean,
): Refused<"SOURCE_ACCOUNT_CLOSED" | "INSUFFICIENT_BALANCE">[] {
  if (closedAt !== undefined) return [refused("SOURCE_ACCOUNT_CLOSED")];
  return available < sourceMinor && !mayWait ? [refused("INSUFFICIENT_BALANCE")] : [];
}

function leftMessage({ subject, limit, left }: LimitLeft): LimitLeftMessage {
  const { window, currency, max } = limit;
  const text = (value: bigint) =>
    currency === undefined ? String(value) : formatAmount(value, currency);
  const shown = { maximum: text(max), left: text(left) };
  return create(LimitLeftSchema, { subject, window, currencyCode: currency ?? "", ...shown });
}
