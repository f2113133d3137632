import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { t } from "../../catalogue/en.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge } from "../../ui/badge.tsx";
import { ExportButton, wholeList } from "../../ui/export-button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { ConfirmStep } from "../confirm-step.tsx";

const words = t.treasury.rails;

const currenciesOf = (row: RailInfo) => row.currencyCodes.join(", ");
const methodsOf = (row: RailInfo) => [...row.transferMethods, ...row.networks].join(", ");

function stateOf({ paused, available }: RailInfo): string {
  if (paused) return words.paused;
  return available ? words.available : words.unavailable;
}

const columns: readonly Column<RailInfo>[] = [
  { id: "rail", header: words.rail, cell: ({ name }) => name, csv: ({ name }) => name },
  {
    id: "state",
    header: words.state,
    cell: (row) => <State rail={row} />,
    csv: (row) => stateOf(row),
  },
  {
    id: "why",
    header: words.why,
    cell: ({ reason }) => <span className="break">{reason}</span>,
    csv: ({ reason }) => reason,
  },
  {
    id: "currencies",
    header: words.currencies,
    width: "wide",
    cell: currenciesOf,
    csv: currenciesOf,
  },
  {
    id: "methods",
    header: words.methods,
    width: "wide",
    cell: methodsOf,
    csv: methodsOf,
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
  const rails = found.data?.rails ?? [];
  return (
    <Page
      title={words.title}
      actions={<ExportButton name="rails" read={wholeList(rails)} columns={columns} />}
    >
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      <DataTable
        caption={words.caption}
        columns={mayPause ? [...columns, pauseColumn] : columns}
        rows={rails}
        keyOf={({ name }) => name}
      />
    </Page>
  );
}

function State({ rail }: { rail: RailInfo }) {
  const tone = rail.available ? "good" : "bad";
  return <Badge tone={rail.paused ? "warn" : tone}>{stateOf(rail)}</Badge>;
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
