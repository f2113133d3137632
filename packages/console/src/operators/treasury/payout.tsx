import {
  type JournalEntry,
  JournalEntry_Kind,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import type { Payout } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { t } from "../../catalogue/en.ts";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { PayoutStateBadge } from "./payouts.tsx";
import { PayoutResolution, ProposedResolution } from "./resolution.tsx";

const words = t.treasury.payouts;
const route = getRouteApi("/shell/treasury/payouts/$payoutId");

const columns: readonly Column<JournalEntry & { place: number }>[] = [
  { id: "at", header: t.list.created, cell: (row) => <Moment at={isoOf(row.createdAt)} /> },
  {
    id: "kind",
    header: words.step,
    cell: ({ kind }) => words.kinds[enumName(JournalEntry_Kind, kind)] ?? "",
  },
  { id: "stage", header: words.stage, cell: (row) => row.stage },
  {
    id: "detail",
    header: words.detail,
    cell: (row) => <span className="break">{row.detail}</span>,
  },
  { id: "rail", header: words.rail, width: "wide", cell: (row) => row.rail },
  { id: "actor", header: words.actor, width: "wide", cell: (row) => row.actor?.id },
];

/**
 * The operators' view of a payout with its history. For an exception, it includes the resolution.
 */
export function TreasuryPayout() {
  const { payoutId } = route.useParams();
  const found = useQuery({
    queryKey: ["payouts", "journal", payoutId],
    queryFn: () => answerOf(rpcs.operations.getPayoutJournal({ payoutId })),
  });
  if (found.isPending) return <p role="status">{t.states.loading}</p>;
  if (found.isError) return <ProblemNotice error={found.error} />;
  const { payout, entries, requestId } = found.data;
  return (
    <Page
      title={t.payouts.one.title}
      lead={
        <span className="row">
          <span className="mono break">{payoutId}</span>
          {payout === undefined ? null : <PayoutStateBadge payout={payout} />}
          {requestId === "" ? null : (
            <Link to="/trace" search={{ request_id: requestId }}>
              {t.platform.trace.ofPayout}
            </Link>
          )}
        </span>
      }
      actions={<PayoutResolution payoutId={payoutId} />}
    >
      {payout === undefined ? null : <PayoutFacts payout={payout} />}
      <ProposedResolution payoutId={payoutId} />
      <Section title={words.journal}>
        <DataTable
          caption={words.journalCaption}
          columns={columns}
          rows={entries.map((entry, place) => ({ ...entry, place }))}
          keyOf={({ place }) => String(place)}
        />
      </Section>
    </Page>
  );
}

function PayoutFacts({ payout }: { payout: Payout }) {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = payout;
  return (
    <div className="card">
      <Facts
        rows={[
          [t.payouts.sent, <Money key="s" amount={payout.sourceAmount} currency={source} />],
          [
            t.payouts.received,
            <Money key="r" amount={payout.receivingAmount} currency={destination} />,
          ],
          [t.payouts.one.fees, <Money key="f" amount={payout.totalFees} currency={source} />],
          [t.treasury.balances.merchant, payout.merchantId],
          [t.treasury.balances.account, payout.accountId],
          [t.payouts.beneficiary, payout.beneficiaryId],
          [t.payouts.account, payout.beneficiaryAccountNumberMasked],
          [t.payouts.method, `${payout.transferMethod} ${payout.network}`.trim()],
          [t.payouts.one.bankReference, payout.uniqueTransactionReference],
          [t.payouts.one.returnedReference, payout.returnedReference],
          [
            t.payouts.one.failure,
            [payout.failureMessage, payout.failureCode, payout.railCode]
              .filter((text) => text !== "")
              .join(" · "),
          ],
          [t.payouts.one.created, <Moment key="c" at={isoOf(payout.createdAt)} />],
          [t.payouts.one.updated, <Moment key="u" at={isoOf(payout.updatedAt)} />],
        ]}
      />
    </div>
  );
}
