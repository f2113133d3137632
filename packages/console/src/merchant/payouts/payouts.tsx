import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { corridors, payouts } from "../../api/lists.ts";
import { pagesOf } from "../../api/pages.ts";
import { t } from "../../catalogue/en.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../list-page.tsx";
import { payoutColumns, payoutFileColumns } from "./columns.tsx";

const words = t.payouts;
const route = getRouteApi("/shell/payouts");

export function Payouts() {
  const session = useSession();
  const navigate = route.useNavigate();
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      list={payouts}
      columns={payoutColumns}
      keyOf={({ id }) => id}
      file={{ name: "payouts", columns: payoutFileColumns }}
      filters={useFilters()}
      search={route.useSearch()}
      onSearch={(next) => void navigate({ search: next })}
      add={
        may(session, "payout:write") ? (
          <Link to="/payouts/new" className="button" data-kind="primary">
            {words.make}
          </Link>
        ) : null
      }
    />
  );
}

function useFilters(): readonly Filter[] {
  const { data } = useInfiniteQuery({ ...pagesOf(corridors, { limit: 100 }), staleTime: 300_000 });
  const known = data?.pages.flatMap(({ items }) => items) ?? [];
  const choices = (codes: readonly string[]) =>
    [...new Set(codes)].toSorted().map((code) => [code, code] as const);
  return [
    {
      name: "status",
      label: t.list.status,
      kind: "choice",
      options: Object.entries(words.statuses),
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
