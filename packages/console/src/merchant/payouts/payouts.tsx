import type { PayoutItem } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { corridors, payouts } from "../../api/lists.ts";
import { allOf, pathOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { AddLink } from "../../ui/add-link.tsx";
import type { Bulk } from "../../ui/bulk.tsx";
import { Facts } from "../../ui/facts.tsx";
import { choiceFilter, createdFilters, type Filter, textFilter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { sumsText } from "../../ui/rules/sums.ts";
import { listed } from "../rules/span.ts";
import { AccountingFile } from "./accounting.tsx";
import { payoutColumns, payoutFileColumns } from "./columns.tsx";

const words = t.payouts;

export function Payouts() {
  const search = useSearch({ from: "/shell/payouts" });
  return (
    <ListPage
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
      bulk={may(useSession(), "payout:write") ? cancelling : undefined}
      add={
        <>
          <AccountingFile />
          <AddLink scope="payout:write" to="/payouts/new">
            {words.make}
          </AddLink>
        </>
      }
    />
  );
}

const sentOf = ({ amount: { source_amount, source_amount_currency } }: PayoutItem) => ({
  amount: source_amount,
  currency: source_amount_currency.name,
});

/** Cancels payouts. The results name those that can't be cancelled. */
const cancelling: Bulk<PayoutItem> = {
  nameOf: (row) => {
    const { amount, currency } = sentOf(row);
    return `${row.beneficiary_name}, ${moneyText(amount, currency)}`;
  },
  summary: (rows) => <Facts rows={[[t.bulk.sum, sumsText(rows.map(sentOf))]]} />,
  actions: [
    {
      label: words.one.cancelMany,
      text: words.one.cancelText,
      kind: "danger",
      change: ({ id }, key) => post(pathOf(payouts, id, "/cancel"), {}, key),
    },
  ],
};

function useFilters(hasCurrency: boolean): readonly Filter[] {
  const { data } = useQuery({ ...allOf(corridors), staleTime: 300_000 });
  const known = data?.items ?? [];
  const choices = (codes: readonly string[]) =>
    [...new Set(codes)].toSorted().map((code) => [code, code] as const);
  // Amounts of several currencies have no order.
  const orders = Object.entries(t.list.orders).filter(
    ([order]) => hasCurrency || !order.includes("amount"),
  );
  const { scheduled: _, ...subStatuses } = words.subStatuses;
  const [sources, destinations] = [
    choices(known.map((each) => each.source_currency_code)),
    choices(known.map((each) => each.destination_currency_code)),
  ];
  return [
    choiceFilter("sort", t.list.order, orders, t.list.newest),
    choiceFilter("status", t.list.status, words.statuses),
    choiceFilter("sub_status", words.subStatus, subStatuses as Record<string, string>),
    choiceFilter("source_currency_code", words.sourceCurrency, sources),
    choiceFilter("destination_currency_code", words.destinationCurrency, destinations),
    textFilter("beneficiary_name", words.searchName),
    textFilter("reference_id", words.searchReference),
    textFilter("beneficiary_id", words.searchBeneficiary),
    textFilter("amount_from", words.amountFrom),
    textFilter("amount_to", words.amountTo),
    ...createdFilters,
  ];
}
