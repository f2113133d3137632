import { useQueries } from "@tanstack/react-query";
import { useMerchantWork } from "../merchant/work.ts";
import type { Session } from "../session/session.ts";
import { navigationFor } from "./pages.ts";

/** Alerts have no count: the audit trail records each read of an alert. */
const ofOperators = [
  ["/approvals", "approvals"],
  ["/treasury/exceptions", "exceptions"],
] as const;

/** Returns the number of tasks on each page of the navigation. Omits zeros. */
export function useCounts(session: Session): ReadonlyMap<string, number> {
  const { work } = useMerchantWork(session);
  const own = work.flatMap(({ to, search, count }) => (search === undefined ? [[to, count]] : []));
  const links = navigationFor(session).flatMap((section) => section.links);
  const isOperator = session.kind === "operator";
  const asked = ofOperators.filter(([to]) => isOperator && links.some((link) => link.to === to));
  const found = useQueries({
    queries: asked.map(([, name]) => ({
      queryKey: [name, "count"],
      // Merchants' people don't load the RPC client.
      queryFn: async () => (await import("../operators/counts.ts")).counts[name](),
    })),
  });
  const others = asked.map(([to], at) => [to, found[at]?.data ?? 0]);
  return new Map(
    [...own, ...others].filter((each): each is [string, number] => Number(each[1]) > 0),
  );
}
