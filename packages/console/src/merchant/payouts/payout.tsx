import type { Payout } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue } from "react";
import { deliveries, eventsOf, payouts } from "../../api/lists.ts";
import { pathOf, readAll, recordOf, sourceOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { BatchLink, PayeeLink, PayoutLink } from "../../ui/record-link.tsx";
import { moneyText } from "../../ui/rules/amounts.ts";
import { momentText } from "../../ui/rules/times.ts";
import { AccountName, actorName } from "../names.tsx";
import { accountOf, nameOf } from "../rules/beneficiary.ts";
import { deliveryColumns } from "../webhooks/columns.tsx";
import { Approval, ApprovalNotice } from "./approval.tsx";
import { PayoutState } from "./columns.tsx";
import { PayAgain } from "./pay-again.tsx";

const words = t.payouts.one;

const cancellable: readonly string[] = [
  ...["queued", "processing", "awaiting_approval", "awaiting_funds", "awaiting_balance"],
];

export function PayoutPage() {
  const { payoutId } = useParams({ from: "/shell/payouts/$payoutId" });
  const isNamed = may(useSession(), "beneficiary:read");
  const { data: payout } = useSuspenseQuery({
    ...recordOf<Payout>(payouts, payoutId, isNamed ? { "expand[]": "beneficiary" } : {}),
    // A fallback if live updates don't arrive.
    refetchInterval: ({ state }) => (state.data?.status === "initiated" ? 5_000 : false),
  });
  const { beneficiary, sub_status: state, expires_at: until } = payout;
  return (
    <Page
      title={beneficiary && words.titleTo({ name: nameOf(beneficiary) })}
      id={payout.id}
      state={<PayoutState {...payout} />}
      actions={
        <>
          <a className="button" href={pathOf(payouts, payoutId, "/receipt.pdf")} download>
            {words.receipt}
          </a>
          <a
            className="button"
            data-kind="plain"
            href={pathOf(payouts, payoutId, "/receipt")}
            download={`${payoutId}.json`}
          >
            {words.receiptSigned}
          </a>
          <Approval payout={payout} />
          <PayAgain payout={payout} />
          {cancellable.includes(state) ? (
            <May scope="payout:write">
              <ConfirmButton
                label={words.cancel}
                text={until === undefined ? words.cancelText : words.cancelWaitText}
                confirm={(key) => post(pathOf(payouts, payoutId, "/cancel"), {}, key)}
              />
            </May>
          ) : null}
        </>
      }
    >
      <ApprovalNotice payout={payout} />
      {state === "awaiting_balance" && until !== undefined ? (
        <Notice tone="warn">{words.balanceNotice({ until: momentText(until) })}</Notice>
      ) : null}
      {state === "unknown" ? <Notice tone="warn">{words.unknownNotice}</Notice> : null}
      <div className="columns">
        <FactsSection title={words.facts} rows={factsOf(payout)} />
        <Section title={words.timeline}>
          <Timeline payoutId={payoutId} version={payout.updated_at} />
        </Section>
      </div>
      <May scope="webhook:read">
        <ListSection
          title={t.shell.pages.deliveries}
          source={sourceOf(deliveries, { transaction_id: payoutId })}
          columns={deliveryColumns}
          keyOf={({ id }) => id}
          empty={words.noDeliveries}
        />
      </May>
    </Page>
  );
}

/** Links to the payout that another one replaces, or that replaces it. */
const related = (id: string) => (id === "" ? undefined : <PayoutLink id={id} />);

function factsOf(payout: Payout): (readonly [string, ReactNode])[] {
  const { source_currency_code: source, destination_currency_code: destination } = payout;
  const { beneficiary, beneficiary_id: payee, max_source_amount: most, expires_at: until } = payout;
  const isOpen = payout.status === "initiated";
  const failure = [payout.failure_message, payout.failure_code, payout.rail_code];
  const received = moneyText(payout.receiving_amount, destination);
  const expected = payout.expected_settlement_at;
  const link = <PayeeLink id={payee}>{beneficiary && nameOf(beneficiary)}</PayeeLink>;
  return [
    [t.payouts.sent, moneyText(payout.source_amount, source)],
    [t.payouts.received, payout.status === "failed" ? undefined : received],
    [words.maximum, until && most && moneyText(most, source)],
    [words.waitsUntil, until && most && isOpen && <Moment key="until" at={until} />],
    [words.fees, moneyText(payout.total_fees, source)],
    [words.rate, `1 ${source} = ${payout.exchange_rate} ${destination}`],
    [t.payouts.reference, payout.reference_id],
    [words.account, <AccountName key="account" id={payout.account_id} />],
    [t.list.makers, actorName(payout.created_by)],
    [t.shell.pages.batch, payout.batch_id && <BatchLink key="batch" id={payout.batch_id} />],
    [t.payouts.scheduled.one, payout.scheduled_payout_id],
    ...Object.entries(payout.metadata).map(
      ([key, value]) => [`${words.metadata}: ${key}`, value] as const,
    ),
    [t.payouts.beneficiary, link],
    [t.payouts.account, beneficiary && accountOf(beneficiary)],
    [words.reissueOf, related(payout.reissue_of)],
    [words.reissuedAs, related(payout.reissued_as)],
    [words.bankReference, payout.unique_transaction_reference],
    [words.returnedReference, payout.returned_reference],
    [words.failure, failure.filter((text) => text !== "").join(" · ")],
    [words.expected, isOpen && expected && <Moment key="expected" at={expected} />],
    [t.list.created, <Moment key="created" at={payout.created_at} />],
    [words.updated, <Moment key="updated" at={payout.updated_at} />],
    [t.list.id, <CopyButton key="id" text={payout.id} label={t.list.copyId} />],
    [words.quote, <code key="quote">{payout.quote_id}</code>],
  ];
}

function Timeline({ payoutId, version }: { payoutId: string; version: string }) {
  // The timeline changes as the payout progresses.
  const found = useSuspenseQuery({
    queryKey: [eventsOf(payoutId).path, useDeferredValue(version)],
    queryFn: () => readAll(eventsOf(payoutId)),
  });
  return (
    <ol className="timeline">
      {found.data.items.map(({ version: number, cause, created_at: at, ...event }) => (
        <li key={`${number}:${cause}:${at}`}>
          <div>
            {t.payouts.causes[cause] ?? cause} {related(event.reissued_as)}
          </div>
          {event.reissue_of === "" ? null : (
            <div>
              {words.reissueOf} {related(event.reissue_of)}
            </div>
          )}
          <div className="soft small">
            <Moment at={at} />
          </div>
          {event.failure_message === "" ? null : <div>{event.failure_message}</div>}
        </li>
      ))}
    </ol>
  );
}
