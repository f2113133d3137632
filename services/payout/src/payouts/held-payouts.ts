import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type HeldForPayeeSchema,
  type HeldSumSchema,
  ListHeldPayoutsResponseSchema,
} from "@disburse/contracts/disburse/payout/v1/held_payouts_pb.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { type Progress, publicStatusOf } from "./rules/progress.ts";

/** The maximum number of payees in a request. It equals the maximum page size of alerts. */
const payeesMax = 100;
/** The number of newest payouts that are read for a payee, so that a request has a bounded cost. */
const readMax = 1_000;
/** The number of payees whose payouts are read at the same time. */
const atOnce = 4;

/** The stages in which money is held and no rail has the payout. */
const unsent: readonly Progress["stage"][] = ["awaiting_approval", "queued", "awaiting_funds"];

type Payee = { readonly merchantId: string; readonly beneficiaryId: string };
type Held = Pick<PayoutDocument, "_id" | "source" | "source_minor" | "created_at" | "progress">;

/** Creates the RPC that lists the payouts of beneficiaries that no rail has yet. */
export function heldPayoutsRpc({ payouts }: { readonly payouts: Payouts }) {
  return {
    listHeldPayouts: async ({ payees, withPayouts }) => {
      const isSized = payees.length >= 1 && payees.length <= payeesMax;
      if (!isSized || payees.some((each) => each.merchantId === "" || each.beneficiaryId === "")) {
        orThrow(refused("INVALID_REQUEST", `payees: must contain 1 to ${payeesMax} payees`));
      }
      if (withPayouts && payees.length > 1) {
        orThrow(refused("INVALID_REQUEST", "with_payouts: requires a single payee"));
      }
      const held: MessageInitShape<typeof HeldForPayeeSchema>[] = [];
      for (let at = 0; at < payees.length; at += atOnce) {
        const some = payees.slice(at, at + atOnce);
        held.push(
          ...(await Promise.all(some.map((payee) => heldFor(payouts, payee, withPayouts)))),
        );
      }
      return create(ListHeldPayoutsResponseSchema, { payees: held });
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

/** Reads by the index `list_beneficiary_id`. */
async function heldFor(
  payouts: Payouts,
  payee: Payee,
  withPayouts: boolean,
): Promise<MessageInitShape<typeof HeldForPayeeSchema>> {
  const { merchantId: merchant_id, beneficiaryId: beneficiary_id } = payee;
  const projection = { source: 1, source_minor: 1, created_at: 1, progress: 1 } as const;
  const read = await payouts
    .find({ merchant_id, beneficiary_id }, { projection })
    .sort({ created_at: -1, _id: -1 })
    .limit(readMax + 1)
    .toArray();
  const held = read
    .slice(0, readMax)
    .filter(({ progress }) => unsent.includes(progress.stage)) as readonly Held[];
  return {
    payee,
    payouts: (withPayouts ? held : []).map(
      ({ _id, source, source_minor, created_at, progress }) => ({
        payoutId: _id,
        amount: formatAmount(fromDecimal128(source_minor), source),
        currencyCode: source,
        subStatus: enumValue(PayoutSubStatus, publicStatusOf(progress).subStatus),
        createdAt: timestampFromDate(created_at),
      }),
    ),
    sums: sumsOf(held),
    cut: read.length > readMax,
  };
}

function sumsOf(held: readonly Held[]): MessageInitShape<typeof HeldSumSchema>[] {
  const byCurrency = Map.groupBy(held, ({ source }) => source);
  return [...byCurrency].map(([currencyCode, some]) => {
    const sum = some.reduce((all, each) => all + fromDecimal128(each.source_minor), 0n);
    return { currencyCode, amount: formatAmount(sum, currencyCode), count: some.length };
  });
}
