import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { t } from "../../catalogue/en.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ExportButton, wholeList } from "../../ui/export-button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { railColumns } from "./rail-columns.tsx";

const words = t.treasury.rails;

const pauseColumn: Column<RailInfo> = {
  id: "pause",
  header: t.list.actions,
  cell: (row) => <Pause rail={row} />,
};

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
      actions={<ExportButton name="rails" read={wholeList(rails)} columns={railColumns} />}
    >
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      <DataTable
        caption={words.caption}
        columns={mayPause ? [...railColumns, pauseColumn] : railColumns}
        rows={rails}
        keyOf={({ name }) => name}
      />
    </Page>
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
          mutation,
          rail: name,
          paused: !paused,
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
