import type { Merchant } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { rpcs } from "../api/rpc.ts";
import { pageOf, readAllPages } from "../api/rpc-pages.ts";

export const merchantsQuery = queryOptions({
  queryKey: ["merchants"],
  queryFn: () =>
    readAllPages<Merchant>(async (page) => {
      const { merchants, nextCursor } = await rpcs.beneficiary.listMerchants(page);
      return pageOf(merchants, nextCursor);
    }),
  staleTime: 300_000,
});

/** Returns a merchant's name, or "" while it is unknown or if the person may not read it. */
export function useMerchantName(id: string): string {
  const { data } = useQuery(merchantsQuery);
  return data?.items.find((each) => each.id === id)?.name ?? "";
}
