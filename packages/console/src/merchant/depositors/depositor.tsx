import type { Depositor } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { depositors } from "../../api/lists.ts";
import { get } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Page } from "../../ui/page.tsx";
import { depositorName } from "../rules/depositor.ts";
import { recordRows } from "../rules/record.ts";

const words = t.depositors;
const route = getRouteApi("/shell/depositors/$depositorId");

/** Fields shown elsewhere on the page. */
const hidden = ["id", "status", "created_at", "updated_at"];

export function DepositorPage() {
  const { depositorId: id } = route.useParams();
  const found = useSuspenseQuery({
    queryKey: [depositors.path, "one", id],
    queryFn: () => get<Depositor>(`/api/v1/depositor/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 3_000 : false),
  });
  const depositor = found.data;
  return (
    <Page
      title={depositorName(depositor)}
      id={id}
      state={<StateBadge state={depositor.status} words={words.states} />}
    >
      <FactsSection
        title={words.facts}
        rows={[
          ...recordRows(depositor, hidden),
          [t.list.created, <Moment key="created" at={depositor.created_at} />],
        ]}
      />
    </Page>
  );
}
