import {
  type EntryDifference,
  EntryDifference_Kind,
  type ListVersion,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { readAllFrom, type Source } from "../../api/pages.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { pageOf, rpcSource } from "../../api/rpc-pages.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { codeColumn } from "../../ui/columns.tsx";
import { ExportButton } from "../../ui/export-button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { momentText } from "../../ui/rules/times.ts";
import type { Column } from "../../ui/table.tsx";
import { entryTitle, fieldChanges } from "./rules/difference.ts";

const words = operatorTexts.compliance.changes;
const route = getRouteApi("/shell/compliance/lists/$importId");

/** Maximum number of imports offered for comparison. */
const importsMax = 100;

const tones: Readonly<Record<string, Tone>> = { added: "warn", changed: "info", removed: "plain" };
const kindOf = ({ kind }: EntryDifference) => enumName(EntryDifference_Kind, kind);
const changeText = (row: EntryDifference) =>
  fieldChanges(row)
    .map(({ field, gone, added }) => {
      const parts = [...gone.map((each) => `− ${each}`), ...added.map((each) => `+ ${each}`)];
      return `${words.fields[field] ?? field}: ${parts.join("; ") || words.order}`;
    })
    .join(" | ");

export const differenceColumns: readonly Column<EntryDifference>[] = [
  {
    id: "kind",
    header: words.kind,
    cell: (row) => (
      <Badge tone={tones[kindOf(row)] ?? "plain"}>{words.kinds[kindOf(row)] ?? ""}</Badge>
    ),
    csv: kindOf,
  },
  { id: "name", header: words.name, cell: entryTitle, csv: entryTitle },
  {
    id: "changed",
    header: words.changed,
    cell: (row) => <Changes row={row} />,
    csv: changeText,
  },
  codeColumn("uid", words.uid, ({ uid }) => uid, { width: "wide" }),
];

function Changes({ row }: { row: EntryDifference }) {
  const changes = fieldChanges(row);
  if (changes.length === 0) return <span className="soft">–</span>;
  return (
    <ul className="plain">
      {changes.map(({ field, gone, added }) => (
        <li key={field}>
          {words.fields[field] ?? field}: {gone.length + added.length === 0 ? words.order : null}
          {gone.map((each) => (
            <del key={each}>{each} </del>
          ))}
          {added.map((each) => (
            <ins key={each}>{each} </ins>
          ))}
        </li>
      ))}
    </ul>
  );
}

export function ListChanges() {
  const { importId } = route.useParams();
  const { base: baseImportId = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const key = ["compliance", "changes", importId, baseImportId];
  const source: Source<EntryDifference> = rpcSource(key, async (page) => {
    const request = { importId, baseImportId, ...page };
    const { differences, nextCursor } = await rpcs.compliance.compareImports(request);
    return pageOf(differences, nextCursor);
  });
  const versions = useSuspenseQuery({
    queryKey: [...key, "versions"],
    queryFn: () => answerOf(rpcs.compliance.compareImports({ importId, baseImportId, limit: 1 })),
  });
  const { version, base } = versions.data;
  return (
    <Page
      title={words.title({ version: nameOf(version) })}
      lead={base === undefined ? words.first : words.since({ version: nameOf(base) })}
      actions={
        <ExportButton
          name={`changes-${version?.list ?? ""}`}
          read={() => readAllFrom(source)}
          columns={differenceColumns}
        />
      }
    >
      <Bases
        {...{ importId, list: version?.list ?? "", value: baseImportId }}
        onChange={(next) => void navigate({ search: next === "" ? {} : { base: next } })}
      />
      <List
        caption={words.caption}
        columns={differenceColumns}
        keyOf={({ uid }) => uid}
        empty={words.none}
        source={source}
      />
    </Page>
  );
}

const nameOf = (version: ListVersion | undefined) => `${version?.list} ${version?.version}`;

function Bases(props: {
  importId: string;
  list: string;
  value: string;
  onChange: (importId: string) => void;
}) {
  const { importId, list, value, onChange } = props;
  const { data } = useQuery({
    queryKey: ["compliance", "imports", list],
    queryFn: () => answerOf(rpcs.compliance.listImports({ list, limit: importsMax })),
    enabled: list !== "",
  });
  const others = (data?.imports ?? []).filter(
    ({ id, state }) => id !== importId && (state === "in_force" || state === "superseded"),
  );
  return (
    <div className="filters">
      <SelectField
        label={words.base}
        value={value}
        onChange={onChange}
        none={words.replaced}
        options={others.map(({ id, version, startedAt }) => [
          id,
          `${version?.version} (${momentText(isoOf(startedAt))})`,
        ])}
      />
    </div>
  );
}
