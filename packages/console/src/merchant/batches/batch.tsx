import type { Batch, BatchLine } from "@disburse/sdk/gen/types.ts";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { batches, linesOf } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { codeColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/field.tsx";
import { List } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Money } from "../../ui/money.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { BatchLink, PayoutLink } from "../../ui/record-link.tsx";
import { amountOf, moneyText } from "../../ui/rules/amounts.ts";
import { momentText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { AccountName, actorName } from "../names.tsx";
import { Decision } from "../payouts/decision.tsx";

const words = t.batches.one;
const route = getRouteApi("/shell/batches/$batchId");
const pathOf = (id: string) => `${batches.path}/${encodeURIComponent(id)}`;

const columns: readonly Column<BatchLine>[] = [
  { id: "number", header: words.number, cell: (row) => row.number },
  {
    id: "state",
    header: t.list.status,
    cell: ({ state, sub_status: sub }) =>
      sub === undefined ? (
        <StateBadge state={state} words={words.lineStates} />
      ) : (
        <StateBadge state={sub} words={t.payouts.subStatuses} />
      ),
  },
  codeColumn("beneficiary", t.payouts.beneficiary, (row) => row.beneficiary_id, { width: "wide" }),
  {
    id: "sent",
    header: t.payouts.sent,
    align: "end",
    width: "first",
    cell: ({ source_amount: amount, source_currency_code: currency }) =>
      amount === undefined ? "–" : <Money amount={amount} currency={currency} />,
  },
  {
    id: "received",
    header: t.payouts.received,
    align: "end",
    cell: ({ receiving_amount: amount, destination_currency_code: currency }) =>
      amount === undefined ? "–" : <Money amount={amount} currency={currency} />,
  },
  {
    id: "payout",
    header: t.payouts.one.title,
    cell: ({ payout_id: id }) => (id === "" ? "–" : <PayoutLink id={id} />),
  },
  {
    id: "why",
    header: words.why,
    width: "wide",
    cell: (row) => (
      <span className="break">
        {row.failure_message || row.failure_code}{" "}
        {row.corrected_by_batch_id === "" ? null : (
          <BatchLink id={row.corrected_by_batch_id}>{words.corrected}</BatchLink>
        )}
      </span>
    ),
  },
];

/** Batches publish no events, so the page polls. */
const readAgainMs: Readonly<Record<string, number>> = { awaiting_approval: 5_000, running: 2_000 };

export function BatchPage() {
  const { batchId } = route.useParams();
  const session = useSession();
  const found = useSuspenseQuery({
    queryKey: [batches.path, "one", batchId],
    queryFn: () => get<Batch>(pathOf(batchId)),
    refetchInterval: ({ state }) => readAgainMs[state.data?.state ?? ""] ?? false,
  });
  const client = useQueryClient();
  const changedAt = found.data?.updated_at;
  useEffect(() => {
    // The lines change as the batch progresses.
    if (changedAt !== undefined) {
      void client.invalidateQueries({ queryKey: [linesOf(batchId).path] });
    }
  }, [client, batchId, changedAt]);
  const batch = found.data;
  return (
    <Page
      title={words.titleOf({ name: batch.reference_id || momentText(batch.created_at) })}
      id={batch.id}
      state={<StateBadge state={batch.state} words={t.batches.states} />}
      actions={
        <>
          <a className="button" href={`${pathOf(batchId)}/report.csv`} download>
            {words.report}
          </a>
          {may(session, "payout:write") && batch.failed_count > 0 ? (
            <Link to="/batches/new" search={{ corrects: batchId }} className="button">
              {words.fix}
            </Link>
          ) : null}
          {may(session, "payout:approve") ? <Decide batch={batch} /> : null}
          {may(session, "payout:write") ? <Cancel batch={batch} /> : null}
        </>
      }
    >
      {batch.state === "awaiting_approval" && batch.approval.by_another ? (
        <Notice tone="warn">{words.byAnother}</Notice>
      ) : null}
      <BatchFacts batch={batch} />
      <Section title={words.lines}>
        <List
          caption={words.lines}
          source={sourceOf(linesOf(batchId))}
          columns={columns}
          keyOf={({ number }) => String(number)}
        />
      </Section>
    </Page>
  );
}

function BatchFacts({ batch }: { batch: Batch }) {
  const { source_currency_code: source, source_total: total, max_total_amount: max } = batch;
  const { decided_by: by, decided_at: decidedAt, reason } = batch.approval;
  const { corrects_batch_id: corrects } = batch;
  const receiving = batch.receiving_totals.map((each) =>
    moneyText(each.amount, each.currency_code),
  );
  return (
    <div className="card">
      <Facts
        rows={[
          [words.account, <AccountName key="account" id={batch.account_id} />],
          [t.list.makers, actorName(batch.created_by)],
          [words.corrects, corrects === "" ? null : <BatchLink key="corrects" id={corrects} />],
          [t.batches.lines, String(batch.line_count)],
          [words.sourceTotal, total && moneyText(total.amount, total.currency_code)],
          [words.receivingTotal, receiving.join(", ")],
          [words.max, max && moneyText(max, source)],
          [t.batches.cost, moneyText(batch.total_amount, source)],
          [words.waiting, String(batch.waiting_count)],
          [words.executed, String(batch.executed_count)],
          [words.failed, String(batch.failed_count)],
          [words.cancelled, String(batch.cancelled_count)],
          [words.decided, <Moment key="decided" at={decidedAt} />],
          [t.list.deciders, [actorName(by), reason].filter((text) => text !== "").join(": ")],
          [words.finished, <Moment key="finished" at={batch.finished_at} />],
        ]}
      />
    </div>
  );
}

function useChange({ id }: Batch) {
  const client = useQueryClient();
  return async (action: string, body: object, idempotencyKey: string) => {
    await send("POST", `${pathOf(id)}/${action}`, { body, idempotencyKey });
    await client.invalidateQueries({ queryKey: [batches.path] });
  };
}

/** Approves only the content that the person saw, identified by its digest. */
function Decide({ batch }: { batch: Batch }) {
  const change = useChange(batch);
  const [max, setMax] = useState("");
  if (batch.state !== "awaiting_approval") return null;
  const amount = amountOf(max);
  return (
    <Decision
      texts={words}
      approve={words.approve}
      approval={{ max_total_amount: amount, digest: batch.approval.digest }}
      isReady={amount !== undefined}
      send={change}
    >
      <TextField
        label={words.maximum({ currency: batch.source_currency_code })}
        value={max}
        onChange={setMax}
        inputMode="decimal"
        required
        {...(max !== "" && amount === undefined ? { error: t.payouts.create.badAmount } : {})}
      />
    </Decision>
  );
}

function Cancel({ batch }: { batch: Batch }) {
  const change = useChange(batch);
  if (batch.state !== "awaiting_approval" && batch.state !== "running") return null;
  return (
    <ConfirmButton
      label={words.cancel}
      text={words.cancelText}
      confirm={(key) => change("cancel", {}, key)}
    />
  );
}
