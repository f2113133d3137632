import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { readLimit } from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { ListUnpayableBeneficiariesRequest } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { carriedProblems } from "@disburse/forms/bodies/carried.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { isId } from "@disburse/kernel/id.ts";
import { type Refused, refused, violationsMessage } from "@disburse/kernel/refusal.ts";
import { type Beneficiary, shownFields } from "./rules/beneficiary.ts";
import type { BeneficiaryStore } from "./store.ts";

/** Beneficiaries of one page: opening their bodies takes some ten milliseconds. */
const examined = { byDefault: 500, max: 1_000 } as const;

/** The fields that a beneficiary's payment method cannot carry; `""` where it carries all. */
export function unpayableReason(beneficiary: Beneficiary): string {
  if (beneficiary.kind === "crypto") return "";
  return violationsMessage(carriedProblems(fiatBeneficiary, shownFields(beneficiary)));
}

/** The unpayable ones of the next beneficiaries by their ids, of every merchant. */
export async function listUnpayable(
  beneficiaries: Pick<BeneficiaryStore, "examine">,
  { cursor, limit }: ListUnpayableBeneficiariesRequest,
) {
  const count = orThrow(readLimit(limit, examined.max, examined.byDefault));
  const found = await beneficiaries.examine(orThrow(readStart(cursor)), count);
  const last = found.at(-1);
  return {
    beneficiaries: found.flatMap((each) => {
      const reason = each.archived ? "" : unpayableReason(each);
      if (reason === "") return [];
      return {
        beneficiaryId: each.id,
        merchantId: each.merchantId,
        destinationCurrency: each.destinationCurrency,
        transferMethod: each.transferMethod,
        reason,
        createdAt: timestampFromDate(each.createdAt),
      };
    }),
    nextCursor: last === undefined || found.length < count ? "" : last.id,
  };
}

function readStart(cursor: string): string | Refused<"INVALID_REQUEST"> {
  if (cursor === "" || isId("beneficiary", cursor)) return cursor;
  return refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}
