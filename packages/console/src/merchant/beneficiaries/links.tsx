import type { BeneficiaryLink } from "@disburse/sdk/gen/types.ts";
import { beneficiaryLinks } from "../../api/lists.ts";
import { pathOf, sourceOf } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { longColumn, momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { PayeeLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { AskBeneficiary } from "./ask-beneficiary.tsx";

const words = t.beneficiaries.links;

const nameOf = (row: BeneficiaryLink) =>
  row.beneficiary_name || `${row.beneficiary_first_name} ${row.beneficiary_last_name}`.trim();

const columns: readonly Column<BeneficiaryLink>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  stateColumn(t.list.status, (row) => row.state, words.states),
  textColumn("name", t.beneficiaries.name, nameOf),
  longColumn("reference", t.payouts.reference, (row) => row.reference_id),
  textColumn("currency", t.beneficiaries.currency, (row) => row.destination_currency),
  momentColumn("expires", words.expires, (row) => row.expires_at, { width: "wide" }),
  textColumn("beneficiary", t.payouts.beneficiary, (row) => row.beneficiary_id, {
    cell: ({ beneficiary_id: id, failure_code: why }) =>
      id === "" ? why || "–" : <PayeeLink id={id} />,
  }),
];

const revokeColumn: Column<BeneficiaryLink> = {
  id: "revoke",
  header: t.list.actions,
  cell: ({ id, state }) =>
    state === "open" ? (
      <ConfirmButton
        label={words.revoke}
        text={words.revokeText}
        confirm={() => send("DELETE", pathOf(beneficiaryLinks, id))}
      />
    ) : null,
};

export function BeneficiaryLinks() {
  const mayWrite = may(useSession(), "beneficiary:write");
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={() => sourceOf(beneficiaryLinks)}
      columns={mayWrite ? [...columns, revokeColumn] : columns}
      keyOf={({ id }) => id}
      file={{ name: "beneficiary-links" }}
      add={mayWrite ? <AskBeneficiary /> : null}
    />
  );
}
