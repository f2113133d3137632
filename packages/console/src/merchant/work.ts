import type {
  Account,
  RulesProposalList,
  WebhookEndpointWithHealth,
} from "@disburse/sdk/gen/types.ts";
import { type QueryKey, useQueries } from "@tanstack/react-query";
import {
  accounts,
  batches,
  endpoints,
  payouts,
  rulesProposalsPath,
  scheduledPayouts,
} from "../api/lists.ts";
import { type ListOf, readAll, readPage } from "../api/pages.ts";
import { get, type Query } from "../api/request.ts";
import { t } from "../catalogue/texts.ts";
import { may, type Session } from "../session/session.ts";
import { isBelow } from "../ui/rules/sums.ts";
import { daysOf } from "../ui/rules/times.ts";
import type { Work, WorkFound } from "../ui/work-list.tsx";
import { spanQuery } from "./rules/span.ts";

type Counted = Omit<Work, "count"> & {
  readonly scope: string;
  readonly queryKey: QueryKey;
  readonly count: () => Promise<number>;
};

/** Counts change slowly, and most changes come as events. */
const readAgainMs = 60_000;
const endpointsMax = 500;

const words = t.shell.work;

const counted = <T>(list: ListOf<T>, query: Query) => ({
  queryKey: [list.path, "count", query],
  count: async () => (await readPage(list, { ...query, limit: 1 })).total ?? 0,
});

const today = () => daysOf("today", new Date())[0];

const isFailing = ({ health, pause_reason: why }: WebhookEndpointWithHealth) =>
  health.circuit === "open" || why === "gone" || why === "unresponsive";
const isLow = ({ available, low_balance_threshold: least, closed_at: closed }: Account) =>
  least !== undefined && closed === "" && isBelow(available, least);

const waiting = { scope: "payout:approve", label: words.approvals, to: "/payouts/waiting" };
const held = { sub_status: "awaiting_approval" };

function counts(): readonly Counted[] {
  const failed = { status: "failed", created_from: today() };
  const returned = { sub_status: "returned" };
  const short = { sub_status: "awaiting_balance" };
  return [
    { ...waiting, ...counted(payouts, held) },
    { ...waiting, ...counted(batches, { state: "awaiting_approval" }) },
    { ...waiting, ...counted(scheduledPayouts, held) },
    {
      ...waiting,
      scope: "payout:control",
      queryKey: [rulesProposalsPath, "count"],
      count: async () => {
        const query = { waiting_for_caller: true };
        return (await get<RulesProposalList>(rulesProposalsPath, query)).proposals.length;
      },
    },
    {
      scope: "payout:read",
      label: words.failed,
      to: "/payouts",
      search: failed,
      ...counted(payouts, spanQuery(failed)),
    },
    {
      scope: "payout:read",
      label: words.returned,
      to: "/payouts",
      search: returned,
      ...counted(payouts, returned),
    },
    {
      scope: "payout:read",
      label: words.short,
      to: "/payouts",
      search: short,
      ...counted(payouts, short),
    },
    {
      scope: "webhook:read",
      label: words.failing,
      to: "/webhooks",
      queryKey: [endpoints.path, "failing"],
      count: async () =>
        (await readAll(endpoints, {}, endpointsMax)).items.filter(isFailing).length,
    },
    {
      scope: "account:read",
      label: words.low,
      to: "/",
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
  for (const [at, { label, to, search }] of asked.entries()) {
    const count = (all.get(label)?.count ?? 0) + (found[at]?.data ?? 0);
    if (count > 0) all.set(label, { label, count, to, ...(search && { search }) });
  }
  return { work: [...all.values()], isKnown: found.every(({ isSuccess }) => isSuccess) };
}
