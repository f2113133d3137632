import {
  type JournalEntry,
  JournalEntry_Kind,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { type Payout, PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { onceOnly } from "../../api/pages.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { useHasRole } from "../../session/use-session.ts";
import { NotFound } from "../../shell/failures.tsx";
import { support } from "../../shell/pages.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { longColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { momentText } from "../../ui/rules/times.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { MerchantName } from "../merchants.tsx";
import { subStatusOf } from "./payouts.tsx";
import { PayoutResolution, ProposedResolution } from "./resolution.tsx";
import { type Run, runsOf } from "./rules/polls.ts";

const words = operatorTexts.treasury.payouts;
const route = getRouteApi("/shell/treasury/payouts/$payoutId");

const columns: readonly Column<Run<JournalEntry>>[] = [
  momentColumn("at", t.list.created, ({ entry }) => isoOf(entry.createdAt)),
  textColumn(
    "kind",
    words.step,
    ({ entry }) => words.kinds[enumName(JournalEntry_Kind, entry.kind)] ?? "",
  ),
  textColumn("stage", words.stage, ({ entry }) => entry.stage),
  longColumn("detail", words.detail, ({ entry, last, count }) =>
    count === 1
      ? entry.detail
      : `${entry.detail} ${words.times({ count, last: momentText(isoOf(last.createdAt)) })}`,
  ),
  textColumn("rail", words.rail, ({ entry }) => entry.rail, { width: "wide" }),
  textColumn("actor", words.actor, ({ entry }) => operatorName(entry.actor?.id), { width: "wide" }),
];

/** The operators' view of a payout. */
export function TreasuryPayout() {
  const { payoutId } = route.useParams();
  const mayReadHistory = useHasRole(...support);
  return mayReadHistory ? <WithHistory payoutId={payoutId} /> : <WithoutHistory id={payoutId} />;
}

/** A payout with its history. For an exception, it includes the resolution. */
function WithHistory({ payoutId }: { payoutId: string }) {
  const found = useAnswer(["payouts", "journal", payoutId], () =>
    rpcs.operations.getPayoutJournal({ payoutId }),
  );
  const { payout, entries, requestId } = found;
  if (payout === undefined) return <NotFound />;
  return (
    <Page
      title={t.payouts.one.titleTo({ name: payout.beneficiaryName })}
      id={payoutId}
      state={
        <>
          <State payout={payout} />{" "}
          {requestId === "" ? null : (
            <Link to="/trace" search={{ request_id: requestId }}>
              {operatorTexts.platform.trace.ofPayout}
            </Link>
          )}
        </>
      }
      actions={<PayoutResolution payoutId={payoutId} />}
    >
      <PayoutFacts payout={payout} />
      <ProposedResolution payoutId={payoutId} />
      <Section title={words.journal}>
        <DataTable
          caption={words.journalCaption}
          columns={columns}
          rows={runsOf(entries, JournalEntry_Kind.QUERY)}
          keyOf={({ entry }) => String(entries.indexOf(entry))}
        />
      </Section>
    </Page>
  );
}

/** A payout for those who may not read its history. */
function WithoutHistory({ id }: { id: string }) {
  const readPayout = async () => {
    // The audit trail names who looks for a payout without knowing its merchant.
    const { payouts } = await rpcs.operations.findRecords({ reference: id });
    const merchantId = payouts.find((each) => each.id === id)?.merchantId;
    if (merchantId === undefined) return { payout: undefined };
    return rpcs.payout.getPayout({ merchantId, payoutId: id });
  };
  const { payout } = useAnswer(["payouts", "found", id], readPayout, onceOnly);
  if (payout === undefined) return <NotFound />;
  const title = t.payouts.one.titleTo({ name: payout.beneficiaryName });
  return (
    <Page title={title} id={id} state={<State payout={payout} />}>
      <PayoutFacts payout={payout} />
    </Page>
  );
}

const State = ({ payout }: { payout: Payout }) => (
  <StateBadge state={subStatusOf(payout)} words={t.payouts.subStatuses} />
);

/** The reference of a payout's instruction in bank files: the id without its prefix. */
const endToEndId = (payoutId: string) => payoutId.slice(payoutId.indexOf("_") + 1).toUpperCase();

function PayoutFacts({ payout }: { payout: Payout }) {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = payout;
  const failure = [payout.failureMessage, payout.failureCode, payout.railCode];
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
          [t.payouts.one.failure, failure.filter((text) => text !== "").join(" · ")],
          [t.list.created, <Moment key="c" at={isoOf(payout.createdAt)} />],
          [t.payouts.one.updated, <Moment key="u" at={isoOf(payout.updatedAt)} />],
        ]}
      />
    </div>
  );
}
