import type {
  ListImport,
  ListSource,
  ListVersion,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { Link } from "@tanstack/react-router";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { rpcSource } from "../../api/rpc-pages.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { operatorName } from "../../session/session.ts";
import { useHasRole } from "../../session/use-session.ts";
import {
  codeColumn,
  countColumn,
  longColumn,
  momentColumn,
  stateColumn,
  textColumn,
} from "../../ui/columns.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { listSources } from "./list-sources.tsx";
import { Monitoring } from "./monitoring.tsx";

const words = operatorTexts.compliance.lists;

const versionColumns: readonly Column<ListVersion>[] = [
  textColumn("list", words.list, (row) => row.list),
  textColumn("version", words.version, (row) => row.version),
  countColumn("entries", words.entries, ({ entries }) => entries),
  momentColumn("imported", words.imported, (row) => isoOf(row.importedAt)),
  codeColumn("checksum", words.checksum, ({ checksum }) => checksum, {
    width: "wide",
    cell: ({ checksum }) => <code className="break">{checksum.slice(0, 16)}</code>,
  }),
];

const checkColumn: Column<ListSource> = {
  id: "check",
  header: t.list.actions,
  cell: ({ list }) => (
    <ConfirmStep
      label={words.check}
      text={words.checkText}
      kind="plain"
      step={(mutation) => rpcs.compliance.checkSource({ mutation, list })}
    />
  ),
};

const changeOf = ({ change }: ListImport) =>
  change === undefined ? "–" : `+${change.added} ~${change.changed} −${change.removed}`;

const importColumns: readonly Column<ListImport>[] = [
  momentColumn("started", words.imported, (row) => isoOf(row.startedAt)),
  textColumn("list", words.list, ({ version }) => version?.list ?? ""),
  textColumn("version", words.version, ({ version }) => version?.version ?? "", {
    cell: ({ id, state, version }) =>
      state === "in_force" || state === "superseded" ? (
        <Link to="/compliance/lists/$importId" params={{ importId: id }}>
          {version?.version}
        </Link>
      ) : (
        version?.version
      ),
  }),
  stateColumn(words.state, ({ state }) => state, words.states),
  textColumn("change", words.change, changeOf),
  textColumn("by", words.by, ({ actor }) => operatorName(actor?.id), { width: "wide" }),
  longColumn("problem", words.problem, ({ problem, notes }) => problem || notes.join("; "), {
    width: "wide",
  }),
];

const listsInForce = rpcSource(["compliance", "lists"], "lists", () =>
  rpcs.compliance.listLists({}),
);

const imports = rpcSource(["compliance", "imports"], "imports", rpcs.compliance.listImports);

export function Lists() {
  const mayCheck = useHasRole("compliance_officer");
  return (
    <Page actions={<ActionLink name="lists import" label={words.import} values={{}} />}>
      <ListSection
        title={words.inForce}
        source={listsInForce}
        columns={versionColumns}
        keyOf={({ list }) => list}
        file="lists"
      >
        <Retained />
      </ListSection>
      <Monitoring />
      <ListSection
        title={words.sources}
        {...listSources}
        columns={mayCheck ? [...listSources.columns, checkColumn] : listSources.columns}
        file="list-sources"
        notes={(rows) =>
          rows.some(({ failures }) => failures > 1) ? (
            <Notice tone="bad">{words.unavailable}</Notice>
          ) : null
        }
      />
      <ListSection
        title={words.imports}
        source={imports}
        columns={importColumns}
        keyOf={({ id }) => id}
        file="imports"
      />
    </Page>
  );
}

/** Lists that were shortened suspiciously keep their last whole version. */
function Retained() {
  const { retained } = useAnswer(["compliance", "retained"], () => rpcs.compliance.listLists({}));
  return retained.map(({ list, forms }) => (
    <Notice key={list} tone="info">
      {words.retained({ list, forms })}
    </Notice>
  ));
}
