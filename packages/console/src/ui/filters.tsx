import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { SelectField, TextField } from "./field.tsx";
import { daysOf, periods } from "./rules/times.ts";
import { useNarrow } from "./use-narrow.ts";

/** A list filter: a selection, an exact text, or a day. */
export type Filter = { readonly name: string; readonly label: string } & (
  | { readonly kind: "text" | "day" }
  | {
      readonly kind: "choice";
      readonly options: readonly (readonly [string, string])[];
      /** Label of the empty option. Defaults to "any". */
      readonly none?: string;
    }
);

/** A selection by value and label. `none` is the label of the empty one. */
export const choiceFilter = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
  none: string = t.states.any,
): Filter => {
  const all = Array.isArray(options) ? options : Object.entries(options);
  return { name, label, kind: "choice", options: all, none };
};

export const textFilter = (name: string, label: string): Filter => ({ name, label, kind: "text" });

/** The days of creation, from and to. */
export const createdFilters: readonly Filter[] = [
  { name: "created_from", label: t.list.from, kind: "day" },
  { name: "created_to", label: t.list.to, kind: "day" },
];

export type FilterValues = Readonly<Record<string, string | undefined>>;

type Filtered = {
  readonly filters: readonly Filter[];
  readonly values: FilterValues;
  readonly onChange: (values: FilterValues) => void;
};

/** Shows a list's filters and keeps them in the URL, so that a link shows the same list. */
export function Filters({ filters, values, onChange }: Filtered) {
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useNarrow("tablet");
  const chosen = filters.filter(({ name }) => values[name]);
  const count = chosen.length;
  // Typed text stays when the sheet is closed.
  const [typed, setTyped] = useState(values);
  useEffect(() => setTyped(values), [values]);
  const onSet = () => setOpen(false);
  const form = <Form {...{ filters, values, onChange, typed, setTyped, onSet }} />;
  return (
    <search className="stack" aria-label={t.list.filters}>
      {isNarrow ? (
        <>
          <Button onClick={() => setOpen(true)}>
            {count > 0 ? t.list.filtersSet({ count }) : t.list.filters}
          </Button>
          <Modal title={t.list.filters} isOpen={isOpen} onOpenChange={setOpen} isSheet>
            {form}
          </Modal>
        </>
      ) : (
        form
      )}
      {count > 0 ? <Chips {...{ filters: chosen, values, onChange }} /> : null}
    </search>
  );
}

export const isFiltered = (values: FilterValues) =>
  Object.values(values).some((value) => value !== undefined && value !== "");

/** Filters of a page without a list page. */
export function PageFilters({ filters }: { filters: readonly Filter[] }) {
  const navigate = useNavigate();
  const onChange = (search: FilterValues) => void navigate({ to: ".", search });
  return <Filters {...{ filters, onChange }} values={useSearch({ strict: false })} />;
}

function Form(
  props: Filtered & {
    typed: FilterValues;
    setTyped: (typed: FilterValues) => void;
    onSet: () => void;
  },
) {
  const { filters, values, onChange, typed, setTyped, onSet } = props;
  const set = (next: FilterValues) => {
    onSet();
    onChange(next);
  };
  const days = filters.filter(({ kind }) => kind === "day").map(({ name }) => name);
  const choosePeriod = (period: (typeof periods)[number]) => {
    const chosen = daysOf(period, new Date());
    set({ ...typed, ...Object.fromEntries(days.map((name, at) => [name, chosen[at]])) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set(typed);
  };
  return (
    <form className="filters" onSubmit={submit}>
      {filters.map((filter) => {
        const { name, label, kind } = filter;
        const own = { label, value: typed[name] ?? "" };
        const type = (text: string) => setTyped({ ...typed, [name]: text });
        if (kind !== "choice") {
          const inputType = kind === "day" ? "date" : "search";
          return <TextField key={name} {...own} type={inputType} onChange={type} />;
        }
        const choose = (value: string) => onChange({ ...typed, [name]: value });
        const { options, none = t.states.any } = filter;
        return <SelectField key={name} {...own} {...{ options, none }} onChange={choose} />;
      })}
      {days.length < 2 ? null : (
        <div className="row periods">
          {periods.map((period) => (
            <Button key={period} kind="plain" onClick={() => choosePeriod(period)}>
              {t.list.periods[period]}
            </Button>
          ))}
        </div>
      )}
      <div className="row">
        <Button type="submit">{t.actions.apply}</Button>
        {filters.some(({ name }) => values[name]) ? (
          <Button kind="plain" onClick={() => set({})}>
            {t.actions.clearFilters}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

/** The filters in force. A click removes one. */
const Chips = ({ filters, values, onChange }: Filtered) => (
  <ul className="row" aria-label={t.list.filtersInForce}>
    {filters.map((filter) => (
      <li key={filter.name}>
        <button
          type="button"
          className="chip"
          title={t.list.removeFilter}
          onClick={() => onChange({ ...values, [filter.name]: undefined })}
        >
          {filter.label}: <strong>{shownValue(filter, values[filter.name] ?? "")}</strong>{" "}
          <span aria-hidden="true">×</span>
          <span className="visually-hidden">{t.list.removeFilter}</span>
        </button>
      </li>
    ))}
  </ul>
);

function shownValue(filter: Filter, value: string): string {
  if (filter.kind !== "choice") return value;
  return filter.options.find(([each]) => each === value)?.[1] ?? value;
}
