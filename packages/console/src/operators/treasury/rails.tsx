import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { wholeSource } from "../../api/pages.ts";
import { answerOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
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

const source = wholeSource(["rails"], async () => {
  const { rails } = await answerOf(rpcs.operations.listRails({}));
  return rails;
});

export function Rails() {
  const mayAct = hasRole(useSession(), "treasury", "treasury_approver");
  return (
    <ListPage
      caption={words.caption}
      source={() => source}
      columns={mayAct ? [...railColumns, actionsColumn] : railColumns}
      keyOf={({ name }) => name}
      file={{ name: "rails" }}
    />
  );
}
