import type { PayoutItem } from "@disburse/sdk/gen/types.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { corridors, payouts } from "../../api/lists.ts";
import { pathOf, readAll } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import type { Bulk } from "../../ui/bulk.tsx";
import { Facts } from "../../ui/facts.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { sumsText } from "../../ui/rules/sums.ts";
import { listed } from "../rules/span.ts";
import { AccountingFile } from "./accounting.tsx";
import { payoutColumns, payoutFileColumns } from "./columns.tsx";

const words = t.payouts;
const route = getRouteApi("/shell/payouts");

export function Payouts() {
  const session = useSession();
  const search = route.useSearch();
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      source={listed(payouts)}
      columns={payoutColumns}
      keyOf={({ id }) => id}
      file={{ name: "payouts", columns: payoutFileColumns }}
      filters={useFilters(search.source_currency_code !== undefined)}
      adjust={({ sort, ...others }) => {
        const isOrdered = others.source_currency_code || !sort?.includes("amount");
        return isOrdered ? { sort, ...others } : others;
      }}
      bulk={useCancellations(may(session, "payout:write"))}
      add={
        <>
          <AccountingFile />
          {may(session, "payout:write") ? (
            <Link to="/payouts/new" className="button" data-kind="primary">
              {words.make}
            </Link>
          ) : null}
        </>
      }
    />
  );
}

/** Cancels payouts. The results name those that can't be cancelled. */
function useCancellations(isAllowed: boolean): Bulk<PayoutItem> | undefined {
  const client = useQueryClient();
  if (!isAllowed) return undefined;
  return {
    nameOf: ({ beneficiary_name: name, amount }) =>
      `${name}, ${moneyText(amount.source_amount, amount.source_amount_currency.name)}`,
    summary: (rows) => (
      <Facts
        rows={[
          [
            t.bulk.sum,
            sumsText(
              rows.map(({ amount }) => ({
                amount: amount.source_amount,
                currency: amount.source_amount_currency.name,
              })),
            ),
          ],
        ]}
      />
    ),
    actions: [
      {
        label: words.one.cancelMany,
        text: words.one.cancelText,
        kind: "danger",
        change: ({ id }, idempotencyKey) =>
          send("POST", pathOf(payouts, id, "/cancel"), {
            body: {},
            idempotencyKey,
          }),
      },
    ],
    onDone: () => client.invalidateQueries({ queryKey: [payouts.path] }),
  };
}

function useFilters(hasCurrency: boolean): readonly Filter[] {
  const { data } = useQuery({
    queryKey: [corridors.path, "all"],
    queryFn: () => readAll(corridors),
    staleTime: 300_000,
  });
  const known = data?.items ?? [];
  const choices = (codes: readonly string[]) =>
    [...new Set(codes)].toSorted().map((code) => [code, code] as const);
  // Amounts of several currencies have no order.
  const orders = Object.entries(t.list.orders).filter(
    ([order]) => hasCurrency || !order.includes("amount"),
  );
  return [
    { name: "sort", label: t.list.order, kind: "choice", options: orders, none: t.list.newest },
    {
      name: "status",
      label: t.list.status,
      kind: "choice",
      options: Object.entries(words.statuses),
    },
    {
      name: "sub_status",
      label: words.subStatus,
      kind: "choice",
      options: Object.entries(words.subStatuses).filter(([state]) => state !== "scheduled"),
    },
    {
      name: "source_currency_code",
      label: words.sourceCurrency,
      kind: "choice",
      options: choices(known.map((corridor) => corridor.source_currency_code)),
    },
    {
      name: "destination_currency_code",
      label: words.destinationCurrency,
      kind: "choice",
      options: choices(known.map((corridor) => corridor.destination_currency_code)),
    },
    { name: "beneficiary_name", label: words.searchName, kind: "text" },
    { name: "reference_id", label: words.searchReference, kind: "text" },
    { name: "beneficiary_id", label: words.searchBeneficiary, kind: "text" },
    { name: "amount_from", label: words.amountFrom, kind: "text" },
    { name: "amount_to", label: words.amountTo, kind: "text" },
    { name: "created_from", label: t.list.from, kind: "day" },
    { name: "created_to", label: t.list.to, kind: "day" },
  ];
}
