import { useMerchantWork } from "../merchant/work.ts";
import { useOperatorWork } from "../operators/work.ts";
import type { Session } from "../session/session.ts";

/** Returns the number of tasks on each page of the navigation. Omits zeros. */
export function useCounts(session: Session): ReadonlyMap<string, number> {
  const merchants = useMerchantWork(session).work.filter(({ search }) => search === undefined);
  const operators = useOperatorWork(session).work;
  const counts = new Map<string, number>();
  for (const { to, count } of [...merchants, ...operators]) {
    counts.set(to, (counts.get(to) ?? 0) + count);
  }
  return counts;
}
