import type { Depositor } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { depositors } from "../../api/lists.ts";
import { get } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { AwaitedPage } from "../../ui/awaited.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { depositorName } from "../rules/depositor.ts";
import { recordRows } from "../rules/record.ts";

const words = t.depositors;
const route = getRouteApi("/shell/depositors/$depositorId");

/** Fields shown elsewhere on the page. */
const hidden = ["id", "status", "created_at", "updated_at"];

export function DepositorPage() {
  const { depositorId: id } = route.useParams();
  const found = useQuery({
    queryKey: [depositors.path, "one", id],
    queryFn: () => get<Depositor>(`/api/v1/depositor/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 3_000 : false),
  });
  if (found.data === undefined) return <AwaitedPage title={t.depositors.title} found={found} />;
  const depositor = found.data;
  return (
    <Page
      title={depositorName(depositor)}
      lead={
        <span className="row">
          <span className="mono break">{id}</span>
          <StateBadge state={depositor.status} words={words.states} />
        </span>
      }
    >
      <Section title={words.facts}>
        <div className="card">
          <Facts
            rows={[
              ...recordRows(depositor, hidden),
              [t.list.created, <Moment key="created" at={depositor.created_at} />],
            ]}
          />
        </div>
      </Section>
    </Page>
  );
}
