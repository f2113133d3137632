import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { queryOptions, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { beneficiaries, payouts } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { payoutColumns } from "../payouts/columns.tsx";
import { nameOf } from "../rules/beneficiary.ts";
import { recordRows } from "../rules/record.ts";

const words = t.beneficiaries.one;
const route = getRouteApi("/shell/beneficiaries/$beneficiaryId");

const pathOf = (id: string) => `${beneficiaries.path}/${encodeURIComponent(id)}`;

const beneficiaryQuery = (id: string) =>
  queryOptions({
    queryKey: [beneficiaries.path, "one", id],
    queryFn: () => get<Beneficiary>(pathOf(id)),
    refetchInterval: ({ state }) => (state.data?.screening_status === "pending" ? 3_000 : false),
  });

const notices: Readonly<
  Record<string, { readonly tone: "warn" | "bad" | "info"; readonly text: string }>
> = {
  review: { tone: "warn", text: words.review },
  blocked: { tone: "bad", text: words.blocked },
  pending: { tone: "info", text: words.pending },
};

export function BeneficiaryPage() {
  const { beneficiaryId: id } = route.useParams();
  const session = useSession();
  const found = useSuspenseQuery(beneficiaryQuery(id));
  const beneficiary = found.data;
  const { screening_status: state, archived } = beneficiary;
  const notice = notices[state];
  return (
    <Page
      title={nameOf(beneficiary)}
      id={id}
      state={<StateBadge state={state} words={t.beneficiaries.screeningStates} />}
      actions={
        <>
          {may(session, "payout:write") &&
          state === "cleared" &&
          !archived &&
          beneficiary.payable ? (
            <Link
              to="/payouts/new"
              search={{ beneficiary: id }}
              className="button"
              data-kind="primary"
            >
              {words.pay}
            </Link>
          ) : null}
          {may(session, "beneficiary:write") && !archived ? <Archive id={id} /> : null}
        </>
      }
    >
      {notice === undefined ? null : <Notice tone={notice.tone}>{notice.text}</Notice>}
      {beneficiary.payable ? null : (
        <Notice tone="warn">{words.unpayable({ reason: beneficiary.unpayable_reason })}</Notice>
      )}
      <FactsSection
        title={words.facts}
        rows={[
          ...recordRows(beneficiary, hidden),
          [t.list.created, <Moment key="created" at={beneficiary.created_at} />],
        ]}
      />
      {may(session, "payout:read") ? (
        <Section title={words.payouts}>
          <List
            caption={words.payouts}
            source={sourceOf(payouts, { beneficiary_id: id })}
            columns={payoutColumns}
            keyOf={(row) => row.id}
            empty={words.noPayouts}
          />
        </Section>
      ) : null}
    </Page>
  );
}

/** Fields shown elsewhere on the page. */
const hidden = [
  ...["beneficiary_id", "screening_status", "created_at", "updated_at", "archived"],
  ...["payable", "unpayable_reason"],
];

function Archive({ id }: { id: string }) {
  const client = useQueryClient();
  return (
    <ConfirmButton
      label={words.archive}
      text={words.archiveText}
      confirm={async () => {
        await send("DELETE", pathOf(id));
        await client.invalidateQueries({ queryKey: [beneficiaries.path] });
      }}
    />
  );
}
