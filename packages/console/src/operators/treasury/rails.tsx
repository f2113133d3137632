import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { t } from "../../catalogue/en.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { ConfirmStep } from "../confirm-step.tsx";

const words = t.treasury.rails;

const columns: readonly Column<RailInfo>[] = [
  { id: "rail", header: words.rail, cell: ({ name }) => name },
  { id: "state", header: words.state, cell: (row) => <State rail={row} /> },
  {
    id: "why",
    header: words.why,
    cell: ({ reason }) => <span className="break">{reason}</span>,
  },
  {
    id: "currencies",
    header: words.currencies,
    width: "wide",
    cell: (row) => row.currencyCodes.join(", "),
  },
  {
    id: "methods",
    header: words.methods,
    width: "wide",
    cell: (row) => [...row.transferMethods, ...row.networks].join(", "),
  },
];

const pauseColumn: Column<RailInfo> = {
  id: "pause",
  header: t.list.actions,
  cell: (row) => <Pause rail={row} />,
};

/** The rails, and whether they take payouts. */
export function Rails() {
  const mayPause = hasRole(useSession(), "treasury", "treasury_approver");
  const found = useQuery({
    queryKey: ["rails"],
    queryFn: () => answerOf(rpcs.operations.listRails({})),
  });
  return (
    <Page title={words.title}>
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      <DataTable
        caption={words.caption}
        columns={mayPause ? [...columns, pauseColumn] : columns}
        rows={found.data?.rails ?? []}
        keyOf={({ name }) => name}
      />
    </Page>
  );
}

function State({ rail: { paused, available } }: { rail: RailInfo }) {
  if (paused) return <Badge tone="warn">{words.paused}</Badge>;
  return (
    <Badge tone={available ? "good" : "bad"}>
      {available ? words.available : words.unavailable}
    </Badge>
  );
}

function Pause({ rail: { name, paused } }: { rail: RailInfo }) {
  const [reason, setReason] = useState("");
  return (
    <ConfirmStep
      label={paused ? words.resume : words.pause}
      text={paused ? words.resumeText : words.pauseText}
      kind="plain"
      isReady={paused || reason.trim() !== ""}
      step={(mutation) =>
        rpcs.operations.setRailPaused({
          ...{ mutation, rail: name, paused: !paused },
          reason: paused ? "" : reason.trim(),
        })
      }
      stale={["rails"]}
    >
      {paused ? null : (
        <TextField
          label={words.reason}
          value={reason}
          onChange={setReason}
          maxLength={255}
          required
        />
      )}
    </ConfirmStep>
  );
}
