import type { Payout } from "@disburse/sdk/gen/types.ts";
import { queryOptions, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { deliveries, eventsOf, payouts } from "../../api/lists.ts";
import { readAll, sourceOf } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FactsSection } from "../../ui/facts.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { BatchLink, PayeeLink, PayoutLink } from "../../ui/record-link.tsx";
import { momentText } from "../../ui/rules/times.ts";
import { AccountName, actorName } from "../names.tsx";
import { accountOf, nameOf } from "../rules/beneficiary.ts";
import { deliveryColumns } from "../webhooks/columns.tsx";
import { Approval, ApprovalNotice } from "./approval.tsx";
import { PayoutState } from "./columns.tsx";
import { PayAgain } from "./pay-again.tsx";

const words = t.payouts.one;
const route = getRouteApi("/shell/payouts/$payoutId");

const pathOf = (payoutId: string) => `${payouts.path}/${encodeURIComponent(payoutId)}`;

const payoutQuery = (payoutId: string, showsBeneficiary: boolean) =>
  queryOptions({
    queryKey: [payouts.path, "one", payoutId],
    queryFn: () =>
      get<Payout>(pathOf(payoutId), showsBeneficiary ? { "expand[]": "beneficiary" } : {}),
    // A fallback if live updates don't arrive.
    refetchInterval: ({ state }) => (state.data?.status === "initiated" ? 5_000 : false),
  });

const cancellable: readonly string[] = [
  ...["queued", "processing", "awaiting_approval", "awaiting_funds", "awaiting_balance"],
];

export function PayoutPage() {
  const { payoutId } = route.useParams();
  const session = useSession();
  const found = useSuspenseQuery(payoutQuery(payoutId, may(session, "beneficiary:read")));
  const payout = found.data;
  const mayCancel = may(session, "payout:write") && cancellable.includes(payout.sub_status);
  return (
    <Page
      title={payout.beneficiary ? words.titleTo({ name: nameOf(payout.beneficiary) }) : words.title}
      id={payout.id}
      state={<PayoutState {...payout} />}
      actions={
        <>
          <a className="button" href={`${pathOf(payoutId)}/receipt.pdf`} download>
            {words.receipt}
          </a>
          <a
            className="button"
            data-kind="plain"
            href={`${pathOf(payoutId)}/receipt`}
            download={`${payoutId}.json`}
          >
            {words.receiptSigned}
          </a>
          <Approval payout={payout} />
          <PayAgain payout={payout} />
          {mayCancel ? <Cancel payout={payout} /> : null}
        </>
      }
    >
      <ApprovalNotice payout={payout} />
      <BalanceNotice payout={payout} />
      {payout.sub_status === "unknown" ? <Notice tone="warn">{words.unknownNotice}</Notice> : null}
      <div className="columns">
        <PayoutFacts payout={payout} />
        <Section title={words.timeline}>
          <Timeline payoutId={payoutId} version={payout.updated_at} />
        </Section>
      </div>
      {may(session, "webhook:read") ? (
        <Section title={words.deliveries}>
          <List
            caption={words.deliveries}
            source={sourceOf(deliveries, { transaction_id: payoutId })}
            columns={deliveryColumns}
            keyOf={({ id }) => id}
            empty={words.noDeliveries}
          />
        </Section>
      ) : null}
    </Page>
  );
}

/** Explains what a payout waits for, and until when. */
function BalanceNotice({ payout: { sub_status: state, expires_at: until } }: { payout: Payout }) {
  if (state !== "awaiting_balance" || until === undefined) return null;
  return <Notice tone="warn">{words.balanceNotice({ until: momentText(until) })}</Notice>;
}

function PayoutFacts({ payout }: { payout: Payout }) {
  const { source_currency_code: source, destination_currency_code: destination } = payout;
  const failure = [payout.failure_message, payout.failure_code, payout.rail_code];
  return (
    <FactsSection
      title={words.facts}
      rows={[
        [t.payouts.sent, <Money key="sent" amount={payout.source_amount} currency={source} />],
        [
          t.payouts.received,
          payout.status === "failed" ? undefined : (
            <Money key="received" amount={payout.receiving_amount} currency={destination} />
          ),
        ],
        ...waitRows(payout),
        [words.fees, <Money key="fees" amount={payout.total_fees} currency={source} />],
        [words.rate, `1 ${source} = ${payout.exchange_rate} ${destination}`],
        [t.payouts.reference, payout.reference_id],
        [words.account, <AccountName key="account" id={payout.account_id} />],
        [t.list.makers, actorName(payout.created_by)],
        ...(payout.batch_id === ""
          ? []
          : [[t.batches.one.title, <BatchLink key="batch" id={payout.batch_id} />] as const]),
        [t.payouts.scheduled.one, payout.scheduled_payout_id],
        ...Object.entries(payout.metadata).map(
          ([key, value]) => [`${words.metadata}: ${key}`, value] as const,
        ),
        [
          t.payouts.beneficiary,
          <PayeeLink key="beneficiary" id={payout.beneficiary_id}>
            {payout.beneficiary === undefined ? payout.beneficiary_id : nameOf(payout.beneficiary)}
          </PayeeLink>,
        ],
        [t.payouts.account, payout.beneficiary && accountOf(payout.beneficiary)],
        [words.reissueOf, payoutLink(payout.reissue_of)],
        [words.reissuedAs, payoutLink(payout.reissued_as)],
        [words.bankReference, payout.unique_transaction_reference],
        [words.returnedReference, payout.returned_reference],
        [words.failure, failure.filter((text) => text !== "").join(" · ")],
        [
          words.expected,
          payout.status === "initiated" && payout.expected_settlement_at ? (
            <Moment key="expected" at={payout.expected_settlement_at} />
          ) : undefined,
        ],
        [t.list.created, <Moment key="created" at={payout.created_at} />],
        [words.updated, <Moment key="updated" at={payout.updated_at} />],
        [t.list.id, <CopyButton key="id" text={payout.id} label={t.list.copyId} />],
        [words.quote, <code key="quote">{payout.quote_id}</code>],
      ]}
    />
  );
}

/** The terms of a payout that waits for balance, or has ended without having been paid. */
function waitRows({ max_source_amount: most, expires_at: until, ...payout }: Payout) {
  if (most === undefined || until === undefined) return [];
  const currency = payout.source_currency_code;
  const isOver = payout.status !== "initiated";
  return [
    [words.maximum, <Money key="most" amount={most} currency={currency} />],
    [words.waitsUntil, isOver ? undefined : <Moment key="until" at={until} />],
  ] as const;
}

/** Links to a related payout: the original of a reissue, or the reissue. */
function payoutLink(payoutId: string) {
  if (payoutId === "") return undefined;
  return <PayoutLink key={payoutId} id={payoutId} />;
}

function Timeline({ payoutId, version }: { payoutId: string; version: string }) {
  // The timeline changes as the payout progresses.
  const found = useSuspenseQuery({
    queryKey: [eventsOf(payoutId).path, useDeferredValue(version)],
    queryFn: () => readAll(eventsOf(payoutId)),
  });
  const events = found.data.items;
  return (
    <ol className="timeline">
      {events.map(({ version: number, cause, created_at: at, ...event }) => (
        <li key={`${number}:${cause}:${at}`}>
          <div>
            {t.payouts.causes[cause] ?? cause} {payoutLink(event.reissued_as)}
          </div>
          {event.reissue_of === "" ? null : (
            <div>
              {words.reissueOf} {payoutLink(event.reissue_of)}
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

function Cancel({ payout: { id, expires_at: until } }: { payout: Payout }) {
  const client = useQueryClient();
  return (
    <ConfirmButton
      label={words.cancel}
      text={until === undefined ? words.cancelText : words.cancelWaitText}
      confirm={async (idempotencyKey) => {
        await send("POST", `${pathOf(id)}/cancel`, { idempotencyKey, body: {} });
        await client.invalidateQueries({ queryKey: [payouts.path] });
      }}
    />
  );
}
