import type { RailInfo } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { useHasRole } from "../../session/use-session.ts";
import { treasurers } from "../../shell/pages.ts";
import { ListPage } from "../../ui/list-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { rails } from "./rail-list.tsx";

const words = operatorTexts.treasury.rails;

const actionsColumn: Column<RailInfo> = {
  id: "actions",
  header: t.list.actions,
  cell: ({ name: rail, paused }) => (
    <span className="row">
      {paused ? (
        <ActionLink name="rails resume" label={words.resume} values={{ rail }} />
      ) : (
        <ActionLink name="rails pause" label={words.pause} values={{ rail }} />
      )}
      <ActionLink name="rails fund" label={words.fund} values={{ rail }} />
      <ActionLink name="rails sweep" label={words.sweep} values={{ rail }} />
    </span>
  ),
};

export function Rails() {
  const mayAct = useHasRole(...treasurers);
  return (
    <ListPage
      {...rails}
      caption={t.shell.pages.rails}
      source={() => rails.source}
      columns={mayAct ? [...rails.columns, actionsColumn] : rails.columns}
      file={{ name: "rails" }}
    />
  );
}
