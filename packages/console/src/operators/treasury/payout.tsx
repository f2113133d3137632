import {
  type JournalEntry,
  JournalEntry_Kind,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { type Payout, PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { momentColumn } from "../../ui/columns.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { momentText } from "../../ui/rules/times.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { MerchantName } from "../merchant-name.tsx";
import { PayoutStateBadge } from "./payouts.tsx";
import { PayoutResolution, ProposedResolution } from "./resolution.tsx";
import { type Run, runsOf } from "./rules/polls.ts";

const words = operatorTexts.treasury.payouts;
const route = getRouteApi("/shell/treasury/payouts/$payoutId");

const columns: readonly Column<Run<JournalEntry> & { place: number }>[] = [
  momentColumn("at", t.list.created, ({ entry }) => isoOf(entry.createdAt)),
  {
    id: "kind",
    header: words.step,
    cell: ({ entry }) => words.kinds[enumName(JournalEntry_Kind, entry.kind)] ?? "",
  },
  { id: "stage", header: words.stage, cell: ({ entry }) => entry.stage },
  {
    id: "detail",
    header: words.detail,
    cell: ({ entry, last, count }) => (
      <span className="break">
        {entry.detail}
        {count === 1 ? null : ` ${words.times({ count, last: momentText(isoOf(last.createdAt)) })}`}
      </span>
    ),
  },
  { id: "rail", header: words.rail, width: "wide", cell: ({ entry }) => entry.rail },
  {
    id: "actor",
    header: words.actor,
    width: "wide",
    cell: ({ entry }) => operatorName(entry.actor?.id),
  },
];

/**
 * The operators' view of a payout with its history. For an exception, it includes the resolution.
 */
export function TreasuryPayout() {
  const { payoutId } = route.useParams();
  const found = useSuspenseQuery({
    queryKey: ["payouts", "journal", payoutId],
    queryFn: () => answerOf(rpcs.operations.getPayoutJournal({ payoutId })),
  });
  const { payout, entries, requestId } = found.data;
  return (
    <Page
      title={
        payout === undefined
          ? t.shell.pages.payout
          : t.payouts.one.titleTo({ name: payout.beneficiaryName })
      }
      id={payoutId}
      state={
        <>
          {payout === undefined ? null : <PayoutStateBadge payout={payout} />}{" "}
          {requestId === "" ? null : (
            <Link to="/trace" search={{ request_id: requestId }}>
              {operatorTexts.platform.trace.ofPayout}
            </Link>
          )}
        </>
      }
      actions={<PayoutResolution payoutId={payoutId} />}
    >
      {payout === undefined ? null : <PayoutFacts payout={payout} />}
      <ProposedResolution payoutId={payoutId} />
      <Section title={words.journal}>
        <DataTable
          caption={words.journalCaption}
          columns={columns}
          rows={runsOf(entries, JournalEntry_Kind.QUERY).map((run, place) => ({ ...run, place }))}
          keyOf={({ place }) => String(place)}
        />
      </Section>
    </Page>
  );
}

/** The reference of a payout's instruction in bank files: the id without its prefix. */
const endToEndId = (payoutId: string) => payoutId.slice(payoutId.indexOf("_") + 1).toUpperCase();

function PayoutFacts({ payout }: { payout: Payout }) {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = payout;
  const unknownYet = payout.status === PayoutStatus.INITIATED ? words.notKnownYet : "";
  return (
    <div className="card">
      <Facts
        rows={[
          [t.payouts.sent, <Money key="s" amount={payout.sourceAmount} currency={source} />],
          [
            t.payouts.received,
            payout.status === PayoutStatus.FAILED ? undefined : (
              <Money key="r" amount={payout.receivingAmount} currency={destination} />
            ),
          ],
          [t.payouts.one.fees, <Money key="f" amount={payout.totalFees} currency={source} />],
          [
            operatorTexts.treasury.balances.merchant,
            <MerchantName key="merchant" id={payout.merchantId} />,
          ],
          [operatorTexts.treasury.balances.account, payout.accountId],
          [
            t.payouts.beneficiary,
            <span key="beneficiary">
              {payout.beneficiaryName}{" "}
              <span className="mono soft break">{payout.beneficiaryId}</span>
            </span>,
          ],
          [words.merchantReference, payout.referenceId],
          [words.railReference, <code key="rail">{payout.id}</code>],
          [words.endToEnd, payout.network === "" ? endToEndId(payout.id) : ""],
          [t.payouts.account, payout.beneficiaryAccountNumberMasked],
          [t.payouts.method, `${payout.transferMethod} ${payout.network}`.trim()],
          [t.payouts.one.bankReference, payout.uniqueTransactionReference || unknownYet],
          [t.payouts.one.returnedReference, payout.returnedReference],
          [
            t.payouts.one.failure,
            [payout.failureMessage, payout.failureCode, payout.railCode]
              .filter((text) => text !== "")
              .join(" · "),
          ],
          [t.list.created, <Moment key="c" at={isoOf(payout.createdAt)} />],
          [t.payouts.one.updated, <Moment key="u" at={isoOf(payout.updatedAt)} />],
        ]}
      />
    </div>
  );
}
