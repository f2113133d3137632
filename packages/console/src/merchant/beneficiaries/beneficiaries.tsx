import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { beneficiaries } from "../../api/lists.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import type { Bulk } from "../../ui/bulk.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { PayeeLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { accountOf, nameOf } from "../rules/beneficiary.ts";
import { listed } from "../rules/span.ts";
import { AskBeneficiary } from "./ask-beneficiary.tsx";

const words = t.beneficiaries;

const columns: readonly Column<Beneficiary>[] = [
  {
    id: "name",
    header: words.name,
    cell: (row) => <PayeeLink id={row.beneficiary_id}>{nameOf(row)}</PayeeLink>,
    csv: nameOf,
  },
  {
    id: "screening",
    header: words.screening,
    cell: ({ screening_status: state, archived, payable }) => (
      <span className="row">
        <StateBadge state={state} words={words.screeningStates} />
        {archived ? <Badge tone="plain">{words.archived}</Badge> : null}
        {payable ? null : <Badge tone="warn">{words.unpayable}</Badge>}
      </span>
    ),
    csv: (row) => row.screening_status,
  },
  textColumn("currency", words.currency, (row) => row.destination_currency ?? ""),
  codeColumn("account", words.account, accountOf, { width: "wide" }),
  textColumn("method", words.method, (row) => row.transfer_method, { width: "wide" }),
  momentColumn("created", t.list.created, (row) => row.created_at, { width: "wide" }),
];

const fileColumns: readonly Column<Beneficiary>[] = [
  { id: "id", header: t.list.id, cell: () => null, csv: (row) => row.beneficiary_id },
  ...columns,
];

const filters: readonly Filter[] = [
  {
    name: "screening_status",
    label: words.screening,
    kind: "choice",
    options: Object.entries(words.screeningStates),
  },
  {
    name: "beneficiary_type",
    label: words.type,
    kind: "choice",
    options: Object.entries(words.types),
  },
  {
    name: "beneficiary_account_type",
    label: words.accountType,
    kind: "choice",
    options: Object.entries(words.accountTypes),
  },
  {
    name: "archived",
    label: words.archivedOnly,
    kind: "choice",
    options: Object.entries(words.archiveChoices),
  },
  { name: "created_from", label: t.list.from, kind: "day" },
  { name: "created_to", label: t.list.to, kind: "day" },
];

function useArchiving(isAllowed: boolean): Bulk<Beneficiary> | undefined {
  const client = useQueryClient();
  if (!isAllowed) return undefined;
  return {
    nameOf,
    actions: [
      {
        label: words.one.archive,
        text: words.one.archiveText,
        kind: "danger",
        change: ({ beneficiary_id: id }) =>
          send("DELETE", `${beneficiaries.path}/${encodeURIComponent(id)}`),
      },
    ],
    onDone: () => client.invalidateQueries({ queryKey: [beneficiaries.path] }),
  };
}

export function Beneficiaries() {
  const session = useSession();
  return (
    <ListPage
      title={words.title}
      caption={words.caption}
      empty={words.empty}
      source={listed(beneficiaries)}
      columns={columns}
      keyOf={(row) => row.beneficiary_id}
      file={{ name: "beneficiaries", columns: fileColumns }}
      filters={filters}
      bulk={useArchiving(may(session, "beneficiary:write"))}
      add={
        may(session, "beneficiary:write") ? (
          <>
            <Link to="/beneficiaries/links" className="button">
              {words.links.all}
            </Link>
            <AskBeneficiary />
            <Link to="/beneficiaries/new" className="button" data-kind="primary">
              {words.add}
            </Link>
          </>
        ) : null
      }
    />
  );
}
