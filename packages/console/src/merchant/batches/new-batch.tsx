import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { accounts, batches, beneficiaries } from "../../api/lists.ts";
import { pathOf, readAll } from "../../api/pages.ts";
import { getText } from "../../api/request.ts";
import { useDraft } from "../../session/draft.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { saveCsv } from "../../ui/csv.ts";
import { FileField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Part } from "../../ui/part.tsx";
import { isZero } from "../../ui/rules/amounts.ts";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
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
  return (
    <Page {...(corrects === "" ? {} : { title: words.titleFix, lead: words.leadFix })}>
      <Part id={corrects}>
        <Read key={corrects} corrects={corrects} />
      </Part>
    </Page>
  );
}

function Read({ corrects }: { corrects: string }) {
  const { data } = useSuspenseQuery(partiesQuery);
  const { data: failed } = useSuspenseQuery({
    queryKey: [batches.path, "failed lines", corrects],
    queryFn: () =>
      corrects === "" ? null : getText(pathOf(batches, corrects, "/failed-lines.csv")),
  });
  const parties = useMemo(
    () => ({ accounts: data.accounts, payees: payeesOf(data.payees.items, data.payees.isCut) }),
    [data],
  );
  return <NewPayroll {...{ parties, corrects, failed }} />;
}

function NewPayroll(props: { parties: Parties; corrects: string; failed: string | null }) {
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
    const found = failed === null ? undefined : read(new TextEncoder().encode(failed), "");
    return found === undefined || "problem" in found ? null : withAccountOfLines(found);
  });
  const [payroll, setPayroll, forget, isLost] = useDraft(
    `batch:${merchant?.id}:${corrects}`,
    initial,
  );
  if (payroll !== null) {
    const change = (next: Payroll | null) => setPayroll(next ?? initial);
    return (
      <>
        <UnsavedGuard isChanged={isLost} />
        <PayrollForm {...{ payroll, parties, forget, onChange: change }} />
      </>
    );
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
        <Button onClick={saveTemplate}>{words.template}</Button>
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
