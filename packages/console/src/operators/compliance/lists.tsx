import type {
  ListImport,
  ListSource,
  ListVersion,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReadPage } from "../../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, readAllPages, rpcPagesOf } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { momentColumn, textColumn } from "../../ui/columns.tsx";
import { ExportButton, wholeList } from "../../ui/export-button.tsx";
import { PagedTable } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
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
  {
    id: "state",
    header: words.state,
    cell: ({ state }) => <StateBadge state={state} words={words.states} />,
    csv: ({ state }) => state,
  },
  { id: "change", header: words.change, cell: changeOf, csv: changeOf },
  textColumn("by", words.by, ({ actor }) => actor?.id ?? "", { width: "wide" }),
  {
    id: "problem",
    header: words.problem,
    width: "wide",
    cell: ({ problem, notes }) => <span className="break">{problem || notes[0]}</span>,
    csv: ({ problem, notes }) => problem || notes.join("; "),
  },
];

export function Lists() {
  const found = useQuery({
    queryKey: ["compliance", "lists"],
    queryFn: async () => {
      const [{ lists, retained }, { sources }] = await Promise.all([
        answerOf(rpcs.compliance.listLists({})),
        answerOf(rpcs.compliance.listSources({})),
      ]);
      return { lists, retained, sources };
    },
  });
  return (
    <Page
      title={words.title}
      actions={<ActionLink name="lists import" label={words.import} values={{}} />}
    >
      {found.isPending ? <p role="status">{t.states.loading}</p> : null}
      {found.isError ? <ProblemNotice error={found.error} /> : null}
      {found.data === undefined ? null : (
        <>
          <Section
            title={words.inForce}
            actions={
              <ExportButton
                name="lists"
                read={wholeList(found.data.lists)}
                columns={versionColumns}
              />
            }
          >
            {found.data.retained.map(({ list, forms }) => (
              <Notice key={list} tone="info">
                {words.retained({ list, forms })}
              </Notice>
            ))}
            <DataTable
              caption={words.inForce}
              columns={versionColumns}
              rows={found.data.lists}
              keyOf={({ list }) => list}
            />
          </Section>
          <Monitoring />
          <Sources sources={found.data.sources} />
        </>
      )}
      <Imports />
    </Page>
  );
}

function Sources({ sources }: { sources: readonly ListSource[] }) {
  const mayCheck = hasRole(useSession(), "compliance_officer");
  return (
    <Section
      title={words.sources}
      actions={
        sources.length > 0 ? (
          <ExportButton name="list-sources" read={wholeList(sources)} columns={sourceColumns} />
        ) : null
      }
    >
      {sources.length === 0 ? (
        <Notice tone="info">{words.noSources}</Notice>
      ) : (
        <>
          {sources.some(({ failures }) => failures > 1) ? (
            <Notice tone="bad">{words.unavailable}</Notice>
          ) : null}
          <DataTable
            caption={words.sources}
            columns={mayCheck ? [...sourceColumns, checkColumn] : sourceColumns}
            rows={sources}
            keyOf={({ list }) => list}
          />
        </>
      )}
    </Section>
  );
}

function Imports() {
  const read: ReadPage<ListImport> = async (page) => {
    const { imports, nextCursor } = await rpcs.compliance.listImports(page);
    return pageOf(imports, nextCursor);
  };
  const found = useInfiniteQuery(rpcPagesOf(["compliance", "imports"], read));
  return (
    <Section
      title={words.imports}
      actions={
        <ExportButton name="imports" read={() => readAllPages(read)} columns={importColumns} />
      }
    >
      <PagedTable
        caption={words.imports}
        columns={importColumns}
        keyOf={({ id }) => id}
        found={found}
      />
    </Section>
  );
}
