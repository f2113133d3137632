import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { Link } from "@tanstack/react-router";
import { beneficiaries } from "../../api/lists.ts";
import { pathOf } from "../../api/pages.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { May } from "../../session/may.tsx";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { AddLink } from "../../ui/add-link.tsx";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import type { Bulk } from "../../ui/bulk.tsx";
import { codeColumn, momentColumn, textColumn } from "../../ui/columns.tsx";
import { choiceFilter, createdFilters, type Filter } from "../../ui/filters.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { PayeeLink } from "../../ui/record-link.tsx";
import type { Column } from "../../ui/table.tsx";
import { accountOf, nameOf } from "../rules/beneficiary.ts";
import { listed } from "../rules/span.ts";
import { AskBeneficiary } from "./ask-beneficiary.tsx";

const words = t.beneficiaries;

const columns: readonly Column<Beneficiary>[] = [
  textColumn("name", words.name, nameOf, {
    cell: (row) => <PayeeLink id={row.beneficiary_id}>{nameOf(row)}</PayeeLink>,
  }),
  textColumn("state", words.screening, (row) => row.screening_status, {
    cell: ({ screening_status: state, archived, payable }) => (
      <span className="row">
        <StateBadge state={state} words={words.screeningStates} />
        {archived ? <Badge tone="plain">{words.archived}</Badge> : null}
        {payable ? null : <Badge tone="warn">{words.unpayable}</Badge>}
      </span>
    ),
  }),
  textColumn("currency", words.currency, (row) => row.destination_currency ?? ""),
  codeColumn("account", words.account, accountOf, { width: "wide" }),
  textColumn("method", words.method, (row) => row.transfer_method, { width: "wide" }),
  momentColumn("created", t.list.created, (row) => row.created_at, { width: "wide" }),
];

const fileColumns: readonly Column<Beneficiary>[] = [
  textColumn("id", t.list.id, (row) => row.beneficiary_id),
  ...columns,
];

const filters: readonly Filter[] = [
  choiceFilter("screening_status", words.screening, words.screeningStates),
  choiceFilter("beneficiary_type", words.type, words.types),
  choiceFilter("beneficiary_account_type", words.accountType, words.accountTypes),
  choiceFilter("archived", words.archived, words.archiveChoices),
  ...createdFilters,
];

const archiving: Bulk<Beneficiary> = {
  nameOf,
  actions: [
    {
      label: words.one.archive,
      text: words.one.archiveText,
      kind: "danger",
      change: ({ beneficiary_id: id }) => send("DELETE", pathOf(beneficiaries, id)),
    },
  ],
};

export function Beneficiaries() {
  return (
    <ListPage
      caption={words.caption}
      empty={words.empty}
      source={listed(beneficiaries)}
      columns={columns}
      keyOf={(row) => row.beneficiary_id}
      file={{ name: "beneficiaries", columns: fileColumns }}
      filters={filters}
      bulk={may(useSession(), "beneficiary:write") ? archiving : undefined}
      add={
        <May scope="beneficiary:write">
          <Link to="/beneficiaries/links" className="button">
            {words.links.all}
          </Link>
          <AskBeneficiary />
          <AddLink scope="beneficiary:write" to="/beneficiaries/new">
            {words.add}
          </AddLink>
        </May>
      }
    />
  );
}
