import type { WebhookEndpointWithHealth } from "@disburse/sdk/gen/types.ts";
import { useQueries } from "@tanstack/react-query";
import {
  accounts,
  batches,
  endpoints,
  payouts,
  rulesProposals,
  scheduledPayouts,
} from "../api/lists.ts";
import { type ListOf, readAll, readPage } from "../api/pages.ts";
import type { Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { may, type Session } from "../session/session.ts";
import { daysOf } from "../ui/rules/times.ts";
import type { Work, WorkFound } from "../ui/work-list.tsx";
import { isLow } from "./rules/account.ts";
import { spanQuery } from "./rules/span.ts";

type Counted = Omit<Work, "count"> & {
  readonly scope: string;
  readonly queryKey: readonly unknown[];
  readonly count: () => Promise<number>;
};

/** Counts change slowly, and most changes come as events. */
const readAgainMs = 60_000;
const endpointsMax = 500;
const dayMs = 86_400_000;

const words = t.shell.work;

const counted = <T>(list: ListOf<T>, query: Query) => ({
  queryKey: [list.path, "count", query],
  count: async () => (await readPage(list, { ...query, limit: 1 })).total ?? 0,
});

/** Payouts that the list shows too. */
const ofPayouts = (label: string, search: Readonly<Record<string, string>>): Counted => ({
  scope: "payout:read",
  label,
  to: "/payouts",
  search,
  ...counted(payouts, spanQuery(search)),
});

/** The day, in the person's time zone, which was some days ago. */
const dayBefore = (days: number) => daysOf("today", new Date(Date.now() - days * dayMs))[0];

const isFailing = ({ health, pause_reason: why }: WebhookEndpointWithHealth) =>
  health.circuit === "open" || why === "gone" || why === "unresponsive";

const waiting = { scope: "payout:approve", label: words.approvals, to: "/payouts/waiting" };
const held = { sub_status: "awaiting_approval" };

function counts(): readonly Counted[] {
  return [
    { ...waiting, ...counted(payouts, held) },
    { ...waiting, ...counted(batches, { state: "awaiting_approval" }) },
    { ...waiting, ...counted(scheduledPayouts, held) },
    {
      ...waiting,
      scope: "payout:control",
      ...counted(rulesProposals, { waiting_for_caller: true }),
    },
    ofPayouts(words.failed, { status: "failed", created_from: dayBefore(0) }),
    ofPayouts(words.returned, { sub_status: "returned", created_from: dayBefore(29) }),
    ofPayouts(words.short, { sub_status: "awaiting_balance" }),
    {
      scope: "webhook:read",
      label: words.failing,
      to: "/webhooks",
      queryKey: [endpoints.path, "failing"],
      count: async () =>
        (await readAll(endpoints, {}, endpointsMax)).items.filter(isFailing).length,
    },
    {
      // The home page marks these accounts.
      scope: "account:read",
      label: words.low,
      to: "/",
      hash: "accounts",
      queryKey: [accounts.path, "low"],
      count: async () => (await readAll(accounts, {})).items.filter(isLow).length,
    },
  ];
}

/** Returns the tasks of a merchant's person, without kinds that have none. */
export function useMerchantWork(session: Session): WorkFound {
  const isMember = session.kind === "member" && session.merchant !== null;
  const asked = isMember ? counts().filter(({ scope }) => may(session, scope)) : [];
  const found = useQueries({
    queries: asked.map(({ queryKey, count }) => ({
      queryKey,
      queryFn: count,
      staleTime: readAgainMs,
      refetchInterval: readAgainMs,
    })),
  });
  const all = new Map<string, Work>();
  for (const [at, { scope: _, queryKey: __, count: ___, ...task }] of asked.entries()) {
    const count = (all.get(task.label)?.count ?? 0) + (found[at]?.data ?? 0);
    if (count > 0) all.set(task.label, { ...task, count });
  }
  return { work: [...all.values()], isKnown: found.every(({ isSuccess }) => isSuccess) };
}
