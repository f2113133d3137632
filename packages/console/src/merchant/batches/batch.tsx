import type { Batch, BatchLine } from "@disburse/sdk/gen/types.ts";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { batches, linesOf } from "../../api/lists.ts";
import { pathOf, recordOf, sourceOf } from "../../api/pages.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/field.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { BatchLink, PayoutLink } from "../../ui/record-link.tsx";
import { amountOf, moneyText } from "../../ui/rules/amounts.ts";
import { momentText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { AccountName, actorName, usePayeeNames } from "../names.tsx";
import { orderColumns } from "../payouts/columns.tsx";
import { Decision } from "../payouts/decision.tsx";

const words = t.batches.one;

const columnsWith = (payeeName: (id: string) => string): readonly Column<BatchLine>[] => [
  { id: "number", header: words.number, cell: (row) => row.number },
  {
    id: "state",
    header: t.list.status,
    cell: ({ state, sub_status: sub }) => (
      <StateBadge state={sub ?? state} words={sub ? t.payouts.subStatuses : words.lineStates} />
    ),
  },
  ...orderColumns(payeeName),
  {
    id: "payout",
    header: t.shell.pages.payout,
    cell: ({ payout_id: id }) => (id === "" ? "–" : <PayoutLink id={id} />),
  },
  {
    id: "why",
    header: words.why,
    width: "wide",
    cell: ({ failure_message: why, failure_code: code, corrected_by_batch_id: corrected }) => (
      <span className="break">
        {why || code}{" "}
        {corrected === "" ? null : <BatchLink id={corrected}>{words.corrected}</BatchLink>}
      </span>
    ),
  },
];

/** Batches publish no events, so the page polls. */
const readAgainMs: Readonly<Record<string, number>> = { awaiting_approval: 5_000, running: 2_000 };

export function BatchPage() {
  const { batchId } = useParams({ from: "/shell/batches/$batchId" });
  const { data: batch } = useSuspenseQuery({
    ...recordOf<Batch>(batches, batchId),
    refetchInterval: ({ state }) => readAgainMs[state.data?.state ?? ""] ?? false,
  });
  const client = useQueryClient();
  const { state, updated_at: changedAt } = batch;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines change as the batch does.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: [linesOf(batchId).path] });
  }, [client, batchId, changedAt]);
  const columns = columnsWith(usePayeeNames());
  const isWaiting = state === "awaiting_approval";
  return (
    <Page
      title={words.titleOf({ name: batch.reference_id || momentText(batch.created_at) })}
      id={batch.id}
      state={<StateBadge state={state} words={t.batches.states} />}
      actions={
        <>
          <a className="button" href={pathOf(batches, batchId, "/report.csv")} download>
            {words.report}
          </a>
          <May scope="payout:write">
            {batch.failed_count > 0 ? (
              <Link to="/batches/new" search={{ corrects: batchId }} className="button">
                {words.fix}
              </Link>
            ) : null}
          </May>
          <May scope="payout:approve">{isWaiting ? <Decide batch={batch} /> : null}</May>
          <May scope="payout:write">
            {isWaiting || state === "running" ? (
              <ConfirmButton
                label={words.cancel}
                text={words.cancelText}
                confirm={(key) => post(pathOf(batches, batchId, "/cancel"), {}, key)}
              />
            ) : null}
          </May>
        </>
      }
    >
      {isWaiting && batch.approval.by_another ? (
        <Notice tone="warn">{words.byAnother}</Notice>
      ) : null}
      <BatchFacts batch={batch} />
      <ListSection
        title={words.lines}
        source={sourceOf(linesOf(batchId))}
        columns={columns}
        keyOf={({ number }) => String(number)}
      />
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
          [t.payouts.one.account, <AccountName key="account" id={batch.account_id} />],
          [t.list.makers, actorName(batch.created_by)],
          [words.corrects, corrects && <BatchLink key="corrects" id={corrects} />],
          [t.batches.lines, String(batch.line_count)],
          [words.sourceTotal, total && moneyText(total.amount, total.currency_code)],
          [words.receivingTotal, receiving.join(", ")],
          [t.payouts.one.maximum, max && moneyText(max, source)],
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

/** Approves only the content that the person saw, identified by its digest. */
function Decide({ batch }: { batch: Batch }) {
  const [max, setMax] = useState("");
  const amount = amountOf(max);
  const isBad = max !== "" && amount === undefined;
  return (
    <Decision
      path={pathOf(batches, batch.id)}
      texts={words}
      approve={words.approve}
      approval={{ max_total_amount: amount, digest: batch.approval.digest }}
      isReady={amount !== undefined}
    >
      <TextField
        label={words.maximum({ currency: batch.source_currency_code })}
        value={max}
        onChange={setMax}
        inputMode="decimal"
        required
        error={isBad ? t.payouts.create.badAmount : undefined}
      />
    </Decision>
  );
}
