import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit, readStart } from "@disburse/chassis/paging/cursor.ts";
import { countedTotal, cutPage } from "@disburse/chassis/paging/record-page.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { readBeneficiaryFilter, readDepositorFilter } from "./list-request.ts";
import type { RecordFilter } from "./record-list.ts";
import type { RecordStore } from "./record-store.ts";
import { accepted } from "./refusals.ts";
import type { BeneficiaryStore } from "./store.ts";
import { beneficiaryMessage, depositorMessage } from "./wire.ts";

/** The RPCs that list. */
export function listRpc({
  beneficiaries,
  depositors,
}: BeneficiaryStore): Pick<
  ServiceImpl<typeof BeneficiaryService>,
  "listBeneficiaries" | "listDepositors"
> {
  return {
    listBeneficiaries: async (message) => {
      const filter = accepted(readBeneficiaryFilter(message));
      const { shown, ...rest } = await listPage(beneficiaries, message, filter);
      return { beneficiaries: shown.map(beneficiaryMessage), ...rest };
    },

    listDepositors: async (message) => {
      const filter = accepted(readDepositorFilter(message));
      const { shown, ...rest } = await listPage(depositors, message, filter);
      return { depositors: shown.map(depositorMessage), ...rest };
    },
  };
}

type Asked = { readonly merchantId: string; readonly limit: number; readonly cursor: string };

async function listPage<T extends { readonly id: string; readonly createdAt: Date }>(
  records: RecordStore<T>,
  { merchantId, ...asked }: Asked,
  filter: RecordFilter,
) {
  const limit = accepted(readLimit(asked.limit));
  const after = accepted(readStart(asked.cursor));
  const [read, counted] = await Promise.all([
    records.list(merchantId, filter, { after, limit: limit + 1 }),
    records.count(merchantId, filter),
  ]);
  return { ...cutPage(read, limit), ...countedTotal(counted) };
}
