import type { Depositor } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { depositor as path } from "../../api/lists.ts";
import { recordOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Page } from "../../ui/page.tsx";
import { depositorName } from "../rules/depositor.ts";
import { recordRows } from "../rules/record.ts";

const words = t.depositors;

/** Fields shown elsewhere on the page. */
const hidden = ["id", "status", "created_at", "updated_at"];

export function DepositorPage() {
  const { depositorId: id } = useParams({ from: "/shell/depositors/$depositorId" });
  const { data: depositor } = useSuspenseQuery({
    ...recordOf<Depositor>({ path }, id),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 3_000 : false),
  });
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
