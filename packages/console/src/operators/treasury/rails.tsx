import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ExportButton, wholeList } from "../../ui/export-button.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { railColumns } from "./rail-columns.tsx";

const words = operatorTexts.treasury.rails;

const actionsColumn: Column<RailInfo> = {
  id: "actions",
  header: t.list.actions,
  cell: ({ name, paused }) => (
    <span className="row">
      {paused ? (
        <ActionLink name="rails resume" label={words.resume} values={{ rail: name }} />
      ) : (
        <ActionLink name="rails pause" label={words.pause} values={{ rail: name }} />
      )}
      <ActionLink name="rails fund" label={words.fund} values={{ rail: name }} />
      <ActionLink name="rails sweep" label={words.sweep} values={{ rail: name }} />
    </span>
  ),
};

export function Rails() {
  const mayAct = hasRole(useSession(), "treasury", "treasury_approver");
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
        columns={mayAct ? [...railColumns, actionsColumn] : railColumns}
        rows={rails}
        keyOf={({ name }) => name}
      />
    </Page>
  );
}
