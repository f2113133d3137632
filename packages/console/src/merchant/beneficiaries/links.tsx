import type { BeneficiaryLink } from "@disburse/sdk/gen/types.ts";
import { beneficiaryLinks } from "../../api/lists.ts";
import { sourceOf } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { PayeeLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { AskBeneficiary } from "./ask-beneficiary.tsx";

const words = t.beneficiaries.links;

const nameOf = (row: BeneficiaryLink) =>
  row.beneficiary_name || `${row.beneficiary_first_name} ${row.beneficiary_last_name}`.trim();

const columns: readonly Column<BeneficiaryLink>[] = [
  momentColumn("created", t.list.created, (row) => row.created_at),
  {
    id: "state",
    header: t.list.status,
    cell: ({ state }) => <StateBadge state={state} words={words.states} />,
    csv: (row) => row.state,
  },
  { id: "name", header: t.beneficiaries.name, cell: nameOf, csv: nameOf },
  {
    id: "reference",
    header: words.reference,
    cell: (row) => <span className="break">{row.reference_id}</span>,
    csv: (row) => row.reference_id,
  },
  textColumn("currency", t.beneficiaries.currency, (row) => row.destination_currency),
  momentColumn("expires", words.expires, (row) => row.expires_at, { width: "wide" }),
  {
    id: "beneficiary",
    header: words.beneficiary,
    cell: ({ beneficiary_id: id, failure_code: why }) =>
      id === "" ? why || "–" : <PayeeLink id={id} />,
    csv: (row) => row.beneficiary_id,
  },
];

const revokeColumn: Column<BeneficiaryLink> = {
  id: "revoke",
  header: t.list.actions,
  cell: (row) =>
    row.state === "open" ? (
      <DeleteButton
        path={beneficiaryLinks.path}
        id={row.id}
        label={words.revoke}
        text={words.revokeText}
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
