import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { beneficiaries, payouts } from "../../api/lists.ts";
import { pathOf, recordOf, sourceOf } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { payoutColumns } from "../payouts/columns.tsx";
import { nameOf } from "../rules/beneficiary.ts";
import { recordRows } from "../rules/record.ts";

const words = t.beneficiaries.one;

const tones: Readonly<Record<string, "warn" | "bad" | "info">> = {
  review: "warn",
  blocked: "bad",
  pending: "info",
};

/** Fields shown elsewhere on the page. */
const hidden = [
  ...["beneficiary_id", "screening_status", "created_at", "updated_at", "archived"],
  ...["payable", "unpayable_reason"],
];

export function BeneficiaryPage() {
  const { beneficiaryId: id } = useParams({ from: "/shell/beneficiaries/$beneficiaryId" });
  const { data: beneficiary } = useSuspenseQuery({
    ...recordOf<Beneficiary>(beneficiaries, id),
    refetchInterval: ({ state }) => (state.data?.screening_status === "pending" ? 3_000 : false),
  });
  const { screening_status: state, archived, payable } = beneficiary;
  const tone = tones[state];
  return (
    <Page
      title={nameOf(beneficiary)}
      id={id}
      state={<StateBadge state={state} words={t.beneficiaries.screeningStates} />}
      actions={
        archived ? null : (
          <>
            {state === "cleared" && payable ? (
              <May scope="payout:write">
                <Link
                  to="/payouts/new"
                  search={{ beneficiary: id }}
                  className="button"
                  data-kind="primary"
                >
                  {words.pay}
                </Link>
              </May>
            ) : null}
            <May scope="beneficiary:write">
              <ConfirmButton
                label={words.archive}
                text={words.archiveText}
                confirm={() => send("DELETE", pathOf(beneficiaries, id))}
              />
            </May>
          </>
        )
      }
    >
      {tone && <Notice tone={tone}>{words.notices[state]}</Notice>}
      {payable ? null : (
        <Notice tone="warn">{words.unpayable({ reason: beneficiary.unpayable_reason })}</Notice>
      )}
      <FactsSection
        title={words.facts}
        rows={[
          ...recordRows(beneficiary, hidden),
          [t.list.created, <Moment key="created" at={beneficiary.created_at} />],
        ]}
      />
      <May scope="payout:read">
        <ListSection
          title={words.payouts}
          source={sourceOf(payouts, { beneficiary_id: id })}
          columns={payoutColumns}
          keyOf={(row) => row.id}
          empty={words.noPayouts}
        />
      </May>
    </Page>
  );
}
