import type { PublicRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { DuplicateGuard } from "../controls/duplicates.ts";
import { approvalNeed } from "../controls/rules/approval.ts";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import type { ApprovalNeed } from "../payouts/rules/approval.ts";
import type { LimitLeft, VelocityReservations } from "../velocity/reservations.ts";
import { type Converting, isOverAny } from "./approval-window.ts";
import type { ReadDeps } from "./reads.ts";

export type RehearsalDeps = Pick<ReadDeps, "quote" | "controls"> & {
  readonly reservations: Pick<VelocityReservations, "rehearse">;
  readonly duplicates: Pick<DuplicateGuard, "rehearse">;
};

/** A payout that is only rehearsed, with the amounts of a quote. */
export type RehearsedPayout = {
  readonly accountId: string;
  readonly destinationKeys: readonly string[];
  readonly beneficiaryCreatedAt: Date | undefined;
  readonly source: string;
  readonly sourceMinor: bigint;
  /** The part of the source amount that is not converted. */
  readonly feesMinor: bigint;
  readonly destination: string;
  readonly receivingMinor: bigint;
  readonly referenceId: string;
  readonly allowDuplicate: boolean;
};

/** The outcome of the checks that an execute makes after those of the quote. */
export type Rehearsed = {
  readonly refusals: readonly Refused<PublicRefusal>[];
  readonly approval: ApprovalNeed | undefined;
  /** The remaining parts of the merchant's limits before this payout. */
  readonly limits: readonly LimitLeft[];
};

type Who = { readonly merchantId: string; readonly actorRoot: string };

/**
 * Rehearses executes: applies velocity limits, the duplicate guard and the approval rules to
 * payouts in their order, without storing anything. All data is read before the first payout. Call
 * the result once for each payout. A dry run and the validation of a batch both use it.
 */
export async function openRehearsal(
  deps: RehearsalDeps,
  { merchantId, actorRoot }: Who,
  payouts: readonly RehearsedPayout[],
  now: Date,
): Promise<(payout: RehearsedPayout, isRefused: boolean) => Promise<Rehearsed>> {
  const partiesOf = ({ destinationKeys }: RehearsedPayout) => {
    return { merchantId, actorRoot, destinationKeys };
  };
  const keysOf = (payout: RehearsedPayout) =>
    payout.allowDuplicate ? [] : duplicateKeys(payout.destinationKeys, payout.referenceId);
  const [usage, findEarlier] = await Promise.all([
    deps.reservations.rehearse(payouts.map(partiesOf), now),
    deps.duplicates.rehearse(merchantId, [...new Set(payouts.flatMap(keysOf))], now),
  ]);
  const rules = deps.controls.of(merchantId)?.approval;
  const windowed = rules?.amounts.filter(({ windowMs }) => windowMs > 0) ?? [];
  const converting = { quote: remembering(deps.quote) };
  const seen = new Set<string>();
  let number = 0;
  return async (payout, isRefusedBefore) => {
    number += 1;
    const { accountId, source: currency, sourceMinor: amount } = payout;
    // The ids are unique among the payouts that are stored.
    const ids = { payoutId: `rehearsed ${number}`, quoteId: `rehearsed ${number}`, accountId };
    const asked = { ...partiesOf(payout), ...ids, currency, amount };
    const limits = usage.left(asked);
    const keys = keysOf(payout);
    const duplicate = findEarlier && duplicateOf(findEarlier, seen, payout, keys);
    const isKept = !isRefusedBefore && duplicate === undefined;
    const reserved = usage.reserve(asked, isKept);
    const excess = isRefused(reserved) ? reserved : undefined;
    // A refused payout isn't made, so later ones can't repeat it.
    if (isKept && excess === undefined) for (const each of seenAs(payout, keys)) seen.add(each);
    const counts = windowed.length === 0 ? [] : usage.count(asked, isKept && excess === undefined);
    const isOverWindow = await isOverAny(converting, windowed, counts, asked);
    return {
      limits,
      refusals: [duplicate, excess].filter((each) => each !== undefined),
      approval: rules && approvalNeed(rules, { ...payout, isOverWindow }, now),
    };
  };
}

type FindEarlier = NonNullable<Awaited<ReturnType<DuplicateGuard["rehearse"]>>>;

/** Refuses a payout like a stored one, or like an earlier one of the same rehearsal. */
function duplicateOf(
  findEarlier: FindEarlier,
  seen: ReadonlySet<string>,
  payout: RehearsedPayout,
  keys: readonly string[],
): Refused<"POSSIBLE_DUPLICATE"> | undefined {
  const { source, sourceMinor, destination, receivingMinor } = payout;
  const amounts = { source, sourceMinor, destination, receivingMinor };
  const earlier = findEarlier({ payoutId: "", duplicateKeys: keys, ...amounts });
  if (earlier !== undefined) return { ...refused("POSSIBLE_DUPLICATE"), payoutId: earlier };
  const isSeen = seenAs(payout, keys).some((each) => seen.has(each));
  return isSeen ? refused("POSSIBLE_DUPLICATE", sameInBatch) : undefined;
}

/** The texts by which later payouts find this one. One equal amount is enough. */
function seenAs(
  { source, sourceMinor, destination, receivingMinor }: RehearsedPayout,
  keys: readonly string[],
): string[] {
  return keys.flatMap((key) => [
    JSON.stringify([key, "source", source, String(sourceMinor)]),
    JSON.stringify([key, "receiving", destination, String(receivingMinor)]),
  ]);
}

const sameInBatch =
  "An earlier line has the same account or wallet, amount and reference_id. Set allow_duplicate if both are to be paid.";

/** Converts each amount once. The sums of a rehearsal's earlier payouts recur with every payout. */
function remembering(quote: Converting["quote"]): Converting["quote"] {
  const answers = new Map<string, ReturnType<Converting["quote"]["getEquivalentAmount"]>>();
  const getEquivalentAmount: Converting["quote"]["getEquivalentAmount"] = (request, options) => {
    const key = JSON.stringify([
      request.amount,
      request.currencyCode,
      request.equivalentCurrencyCode,
    ]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = quote.getEquivalentAmount(request, options);
    answers.set(key, answer);
    return answer;
  };
  return { getEquivalentAmount };
}
