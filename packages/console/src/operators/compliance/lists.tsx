import type {
  ListImport,
  ListSource,
  ListVersion,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { wholeSource } from "../../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole, operatorName } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { momentColumn, stateColumn, textColumn } from "../../ui/columns.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { ActionLink } from "../actions/action-link.tsx";
import { ConfirmStep } from "../confirm-step.tsx";
import { Monitoring } from "./monitoring.tsx";
import { sourceColumns } from "./source-columns.tsx";

const words = operatorTexts.compliance.lists;

const versionColumns: readonly Column<ListVersion>[] = [
  textColumn("list", words.list, (row) => row.list),
  textColumn("version", words.version, (row) => row.version),
  {
    id: "entries",
    header: words.entries,
    align: "end",
    cell: (row) => row.entries,
    csv: (row) => String(row.entries),
  },
  momentColumn("imported", words.imported, (row) => isoOf(row.importedAt)),
  {
    id: "checksum",
    header: words.checksum,
    width: "wide",
    cell: (row) => <code className="break">{row.checksum.slice(0, 16)}</code>,
    csv: (row) => row.checksum,
  },
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
      stale={["compliance"]}
    />
  ),
};

const changeOf = ({ change }: ListImport) =>
  change === undefined ? "–" : `+${change.added} ~${change.changed} −${change.removed}`;

const importColumns: readonly Column<ListImport>[] = [
  momentColumn("started", words.imported, (row) => isoOf(row.startedAt)),
  textColumn("list", words.list, ({ version }) => version?.list ?? ""),
  {
    id: "version",
    header: words.version,
    cell: ({ id, state, version }) =>
      state === "in_force" || state === "superseded" ? (
        <Link to="/compliance/lists/$importId" params={{ importId: id }}>
          {version?.version}
        </Link>
      ) : (
        version?.version
      ),
    csv: ({ version }) => version?.version ?? "",
  },
  stateColumn(words.state, ({ state }) => state, words.states),
  { id: "change", header: words.change, cell: changeOf, csv: changeOf },
  textColumn("by", words.by, ({ actor }) => operatorName(actor?.id), { width: "wide" }),
  {
    id: "problem",
    header: words.problem,
    width: "wide",
    cell: ({ problem, notes }) => <span className="break">{problem || notes[0]}</span>,
    csv: ({ problem, notes }) => problem || notes.join("; "),
  },
];

const listsInForce = wholeSource(["compliance", "lists"], async () => {
  const { lists } = await answerOf(rpcs.compliance.listLists({}));
  return lists;
});

const sources = wholeSource(["compliance", "sources"], async () => {
  const answer = await answerOf(rpcs.compliance.listSources({}));
  return answer.sources;
});

const imports = rpcSource(["compliance", "imports"], async (page) => {
  const answer = await rpcs.compliance.listImports(page);
  return pageOf(answer.imports, answer.nextCursor);
});

export function Lists() {
  const mayCheck = hasRole(useSession(), "compliance_officer");
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
        source={sources}
        columns={mayCheck ? [...sourceColumns, checkColumn] : sourceColumns}
        keyOf={({ list }) => list}
        empty={words.noSources}
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
  const { data } = useSuspenseQuery({
    queryKey: ["compliance", "retained"],
    queryFn: () => answerOf(rpcs.compliance.listLists({})),
  });
  return data.retained.map(({ list, forms }) => (
    <Notice key={list} tone="info">
      {words.retained({ list, forms })}
    </Notice>
  ));
}
