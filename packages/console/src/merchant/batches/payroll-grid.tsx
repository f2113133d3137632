import { useRef, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Cell } from "./cell.tsx";
import { shownFields } from "./rules/columns.ts";
import {
  autoReference,
  cellOf,
  type Parties,
  type Payroll,
  type ProblemsOf,
  placeOf,
  possibleDuplicate,
  withCell,
  withNewRow,
} from "./rules/payroll.ts";
import { type Row, reasonColumn } from "./rules/sheet.ts";
import { words } from "./words.ts";

/** Rows on a page. The page stays quick with 10,000 lines, and screen readers count its rows. */
const pageRows = 50;

/** The lines, with each problem beside its cell. Enter goes to the cell below. */
export function PayrollGrid(props: {
  payroll: Payroll;
  parties: Parties;
  onChange: (payroll: Payroll) => void;
  problems: ProblemsOf;
}) {
  const { payroll, onChange, problems } = props;
  const [page, setPage] = useState(0);
  // Lines that are corrected stay until the filter is pressed again.
  const [filter, setFilter] = useState<ReadonlySet<number>>();
  const grid = useRef<HTMLDivElement>(null);
  const rows = payroll.rows.filter(({ id }) => filter?.has(id) ?? true);
  const pages = Math.max(1, Math.ceil(rows.length / pageRows));
  const at = Math.min(page, pages - 1);
  const wrong = payroll.rows.filter(({ id }) => problems.has(id));
  const show = (ids: ReadonlySet<number> | undefined) => {
    setFilter(ids);
    setPage(0);
  };
  const add = () => {
    show(undefined);
    setPage(Math.floor(payroll.rows.length / pageRows));
    onChange(withNewRow(payroll));
    requestAnimationFrame(() => {
      grid.current?.querySelector<HTMLInputElement>("tr:last-child input")?.focus();
    });
  };
  return (
    <Section
      title={t.batches.one.lines}
      actions={
        <div className="row">
          <Button
            disabled={wrong.length === 0}
            onClick={() => show(new Set(wrong.map(({ id }) => id)))}
          >
            {words.onlyWrong({ count: wrong.length })}
          </Button>
          {filter === undefined ? null : (
            <Button onClick={() => show(undefined)}>
              {words.all({ count: payroll.rows.length })}
            </Button>
          )}
          <Button onClick={add}>{words.addLine}</Button>
        </div>
      }
    >
      {(problems.get(0) ?? []).map(({ field, text }) => (
        <p key={`${field} ${text}`} className="field-error">
          {field} {text}
        </p>
      ))}
      <div className="grid" ref={grid}>
        <DataTable
          caption={t.batches.one.lines}
          columns={columnsOf(props)}
          rows={rows.slice(at * pageRows, (at + 1) * pageRows)}
          keyOf={({ id }) => String(id)}
        />
      </div>
      {pages === 1 ? null : (
        <nav className="row" aria-label={words.pages}>
          <Button disabled={at === 0} onClick={() => setPage(at - 1)}>
            {words.previous}
          </Button>
          <span role="status">{words.page({ page: at + 1, pages })}</span>
          <Button disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
            {words.next}
          </Button>
        </nav>
      )}
    </Section>
  );
}

function columnsOf(props: Parameters<typeof PayrollGrid>[0]): Column<Row>[] {
  const { payroll, parties, onChange, problems } = props;
  const { payees } = parties;
  const setCell = (row: Row, field: string, text: string) =>
    onChange(withCell(payroll, row.id, field, text));
  const textsOf = ({ id }: Row, field: string) =>
    (problems.get(id) ?? []).filter((each) => placeOf(payroll, each.field) === field);
  const reason = payroll.header.indexOf(reasonColumn);
  return [
    { id: "row", header: words.row, cell: ({ id }) => id },
    ...(reason === -1
      ? []
      : [{ id: "reason", header: t.batches.one.why, cell: ({ cells }: Row) => cells[reason] }]),
    ...shownFields(payroll.columnOf).map((field): Column<Row> => {
      const header = words.fields[field] ?? field;
      const cell = (row: Row) => {
        const text = cellOf(payroll, row, field);
        const found = field === "beneficiary_id" ? payees.find(text) : [];
        const [payee] = found.length === 1 ? found : [];
        const value = payee?.beneficiary_id === text ? payees.textOf(payee) : text;
        return (
          <Cell
            label={words.cell({ column: header, row: row.id })}
            name={field}
            value={value}
            problems={textsOf(row, field).map(({ text }) => text)}
            onChange={(next) => setCell(row, field, next)}
            hint={payee === undefined ? "" : payees.labelOf(payee)}
            placeholder={field === "reference_id" ? autoReference(payroll, row) : ""}
            choices={
              found.length > 1
                ? found.map((each) => [payees.textOf(each), payees.labelOf(each)] as const)
                : []
            }
            {...(field === "beneficiary_id" ? { suggest: payees.suggest } : {})}
          />
        );
      };
      return { id: field, header, cell };
    }),
    {
      id: "line",
      header: words.line,
      cell: (row) => {
        const found = textsOf(row, "");
        return (
          <div className="row">
            {found.map(({ text, field, isMistake }) => (
              <span key={text} className={isMistake ? "field-error" : "field-hint"}>
                {isMistake ? (words.fields[field] ?? field) : ""} {text}
              </span>
            ))}
            {found.some(({ code }) => code === possibleDuplicate) ? (
              <Button onClick={() => setCell(row, "allow_duplicate", "true")}>
                {words.payAnyway}
              </Button>
            ) : null}
            <Button
              aria-label={words.removeLine({ row: row.id })}
              onClick={({ currentTarget }) => {
                const line = currentTarget.closest("tr");
                const next = line?.nextElementSibling ?? line?.previousElementSibling;
                next?.querySelector("input")?.focus();
                onChange({ ...payroll, rows: payroll.rows.filter(({ id }) => id !== row.id) });
              }}
            >
              {words.remove}
            </Button>
          </div>
        );
      },
    },
  ];
}
