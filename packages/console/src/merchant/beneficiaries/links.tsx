import type { BeneficiaryLink } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { beneficiaryLinks } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
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
      id === "" ? (
        why || "–"
      ) : (
        <Link to="/beneficiaries/$beneficiaryId" params={{ beneficiaryId: id }}>
          {id}
        </Link>
      ),
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
    <Page
      title={words.title}
      actions={
        <>
          <ExportButton
            name="beneficiary-links"
            read={() => readAll(beneficiaryLinks, {})}
            columns={columns}
          />
          {mayWrite ? <AskBeneficiary /> : null}
        </>
      }
    >
      <List
        caption={words.caption}
        empty={words.empty}
        list={beneficiaryLinks}
        query={{}}
        columns={mayWrite ? [...columns, revokeColumn] : columns}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}
