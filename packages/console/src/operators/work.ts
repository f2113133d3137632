import { useQueries } from "@tanstack/react-query";
import { t } from "../catalogue/texts.ts";
import { hasRole, type Session } from "../session/session.ts";
import { compliance, deciders, support, treasury } from "../shell/pages.ts";
import type { WorkFound } from "../ui/work-list.tsx";
import type { Counted } from "./counts.ts";

const words = t.shell.operatorWork;

/** The tasks of each role that may read them. A change of a list with the same key counts again. */
const tasks = [
  { name: "approvals", key: "approvals", to: "/approvals", roles: deciders },
  { name: "alerts", key: "compliance", to: "/compliance/alerts", roles: compliance },
  { name: "exceptions", key: "exceptions", to: "/treasury/exceptions", roles: support },
  { name: "funds", key: "accounts", to: "/treasury/balances", roles: support },
  { name: "rails", key: "rails", to: "/treasury/rails", roles: support },
  { name: "breaks", key: "reconciliation", to: "/treasury/reconciliation", roles: treasury },
  { name: "findings", key: "findings", to: "/actions/bank-files-findings", roles: treasury },
] as const;

/** A page that opens within this time counts nothing again. */
const freshMs = 60_000;

/**
 * Returns the tasks of an operator, without kinds that have none. A service that is away leaves its
 * count unknown, not zero.
 */
export function useOperatorWork(session: Session): WorkFound {
  const own = tasks.filter(({ roles }) => hasRole(session, ...roles));
  const found = useQueries({
    queries: own.map(({ name, key }) => ({
      queryKey: [key, "count", name],
      // Merchants' people don't load the RPC client.
      queryFn: async (): Promise<Counted> => (await import("./counts.ts")).counts[name](),
      staleTime: freshMs,
    })),
  });
  return {
    work: own.flatMap(({ name, to }, at) => {
      const { count = 0, detail = "", search } = found[at]?.data ?? {};
      return count === 0
        ? []
        : [{ label: words.of[name], to, count, detail, ...(search && { search }) }];
    }),
    isKnown: found.every(({ isSuccess, data }) => isSuccess && !data.isPartial),
  };
}
