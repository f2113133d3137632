import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { accounts, batches, beneficiaries } from "../../api/lists.ts";
import { readAll } from "../../api/pages.ts";
import { getText } from "../../api/request.ts";
import { useDraft } from "../../session/draft.ts";
import { useSession } from "../../session/use-session.ts";
import { Awaited } from "../../ui/awaited.tsx";
import { saveCsv } from "../../ui/csv.ts";
import { FileField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { isZero } from "../../ui/rules/amounts.ts";
import { PayrollForm } from "./payroll-form.tsx";
import { rememberedColumns } from "./remembered-columns.ts";
import { fields, guessColumns, namesOf } from "./rules/columns.ts";
import { payeesOf } from "./rules/payees.ts";
import { type Parties, type Payroll, withAccountOfLines } from "./rules/payroll.ts";
import { readSheet, type SheetProblem } from "./rules/sheet.ts";
import { words } from "./words.ts";

const route = getRouteApi("/shell/batches/new");

/** Reads all parties, because names of other beneficiaries decide if a name is unique. */
const partiesQuery = queryOptions({
  queryKey: ["batch parties"],
  queryFn: async () => {
    const [own, payees] = await Promise.all([
      readAll(accounts),
      readAll(beneficiaries, { archived: false }),
    ]);
    return { accounts: own.items.filter((each) => each.closed_at === ""), payees };
  },
  staleTime: 60_000,
});

/** Reads a payroll from a file, or the failed lines of a batch, and submits it as a batch. */
export function NewBatch() {
  const { corrects = "" } = route.useSearch();
  const found = useQuery(partiesQuery);
  const failed = useQuery({
    queryKey: [batches.path, "failed lines", corrects],
    queryFn: () => getText(`${batches.path}/${encodeURIComponent(corrects)}/failed-lines.csv`),
    enabled: corrects !== "",
  });
  const parties = useMemo(() => {
    if (found.data === undefined) return undefined;
    const { accounts: own, payees } = found.data;
    return { accounts: own, payees: payeesOf(payees.items, payees.isCut) };
  }, [found.data]);
  const isReady = parties !== undefined && (corrects === "" || failed.data !== undefined);
  return (
    <Page
      title={corrects === "" ? words.title : words.titleFix}
      lead={corrects === "" ? undefined : words.leadFix}
    >
      {isReady ? (
        <NewPayroll key={corrects} {...{ parties, corrects, failed: failed.data }} />
      ) : (
        <Awaited found={parties === undefined ? found : failed} />
      )}
    </Page>
  );
}

function NewPayroll(props: { parties: Parties; corrects: string; failed: string | undefined }) {
  const { parties, corrects, failed } = props;
  const { merchant } = useSession();
  const [problem, setProblem] = useState<SheetProblem>();
  const read = (bytes: Uint8Array, fileName: string): Payroll | SheetProblem => {
    const sheet = readSheet(bytes);
    if ("problem" in sheet) return sheet;
    const { accounts: own } = parties;
    const remembered = corrects === "" ? rememberedColumns(merchant?.id) : {};
    const likeliest = own.find(({ available }) => !isZero(available)) ?? own[0];
    return {
      ...sheet,
      fileName,
      columnOf: guessColumns(namesOf(sheet), words.fields, remembered),
      amountStyle: "plain",
      accountId: likeliest?.id ?? "",
      reference: "",
      corrects,
    };
  };
  const [initial] = useState(() => {
    const found = failed === undefined ? undefined : read(new TextEncoder().encode(failed), "");
    return found === undefined || "problem" in found ? null : withAccountOfLines(found);
  });
  const [payroll, setPayroll, forget] = useDraft(`batch:${merchant?.id}:${corrects}`, initial);
  if (payroll !== null) {
    const change = (next: Payroll | null) => setPayroll(next ?? initial);
    return <PayrollForm {...{ payroll, parties, forget, onChange: change }} />;
  }
  if (corrects !== "") return <Notice tone="info">{words.nothingToFix}</Notice>;
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    const next = read(new Uint8Array(await file.arrayBuffer()), file.name);
    if ("problem" in next) setProblem(next);
    else setPayroll(next);
  };
  return (
    <div className="form card">
      <FileField
        label={words.file}
        hint={words.hint}
        accept=".csv,.txt,.tsv,text/csv"
        error={problem && problemText(problem)}
        onChange={(file) => void choose(file)}
      />
      <div>
        <button type="button" className="button" onClick={saveTemplate}>
          {words.template}
        </button>
      </div>
    </div>
  );
}

const problemText = (found: SheetProblem) =>
  "row" in found
    ? words.rowProblems[found.problem]({ row: found.row })
    : words.fileProblems[found.problem];

/** Saves a file with the columns that people need, and an example line. */
function saveTemplate(): void {
  const columns = fields.flatMap(({ name: id, example }) =>
    example === undefined ? [] : [{ id, header: words.fields[id] ?? id, csv: () => example }],
  );
  saveCsv("payroll-template", columns, [{}]);
}
