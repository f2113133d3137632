import { type FormEvent, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";
import { SelectField, TextField } from "./field.tsx";
import { daysOf, periods } from "./rules/times.ts";
import { useNarrow } from "./use-narrow.ts";

/** A list filter: a selection, an exact text, or a day. */
export type Filter =
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: "text" | "day";
    }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: "choice";
      readonly options: readonly (readonly [string, string])[];
      /** Label of the empty option. Defaults to "any". */
      readonly none?: string;
    };

/** A selection by value and label. `none` is the label of the empty one. */
export const choiceFilter = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
  none: string = t.states.any,
): Filter => ({
  ...{ name, label, kind: "choice", none },
  options: Array.isArray(options) ? options : Object.entries(options),
});

export const textFilter = (name: string, label: string): Filter => ({ name, label, kind: "text" });

/** The days of creation, from and to. */
export const createdFilters: readonly Filter[] = [
  { name: "created_from", label: t.list.from, kind: "day" },
  { name: "created_to", label: t.list.to, kind: "day" },
];

export type FilterValues = Readonly<Record<string, string | undefined>>;

/** Shows a list's filters and keeps them in the URL, so that a link shows the same list. */
export function Filters(props: {
  filters: readonly Filter[];
  values: FilterValues;
  onChange: (values: FilterValues) => void;
}) {
  const { filters, values, onChange } = props;
  const [typed, setTyped] = useState(values);
  useEffect(() => setTyped(values), [values]);
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useNarrow();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setOpen(false);
    onChange(typed);
  };
  const days = filters.filter(({ kind }) => kind === "day").map(({ name }) => name);
  const choosePeriod = (period: (typeof periods)[number]) => {
    const [from, to] = daysOf(period, new Date());
    setOpen(false);
    onChange({
      ...typed,
      ...Object.fromEntries(days.map((name, at) => [name, at === 0 ? from : to])),
    });
  };
  const chips = filters.filter(({ name }) => (values[name] ?? "") !== "");
  const count = chips.length;
  const form = (
    <form className="filters" onSubmit={submit}>
      {filters.map((filter) => {
        const { name, label } = filter;
        const value = typed[name] ?? "";
        const type = (next: string) => setTyped({ ...typed, [name]: next });
        if (filter.kind === "choice") {
          const choose = (next: string) => onChange({ ...typed, [name]: next });
          const { options, none = t.states.any } = filter;
          return <SelectField key={name} {...{ label, value, options, none, onChange: choose }} />;
        }
        const kind = filter.kind === "day" ? "date" : "search";
        return <TextField key={name} {...{ label, value, type: kind, onChange: type }} />;
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
        {count > 0 ? (
          <Button
            kind="plain"
            onClick={() => {
              setOpen(false);
              onChange({});
            }}
          >
            {t.actions.clearFilters}
          </Button>
        ) : null}
      </div>
    </form>
  );
  const set = (
    <ul className="row chips" aria-label={t.list.filtersInForce}>
      {chips.map((filter) => (
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
  if (!isNarrow) {
    return (
      <search className="stack" aria-label={t.list.filters}>
        {form}
        {count > 0 ? set : null}
      </search>
    );
  }
  return (
    <search className="stack" aria-label={t.list.filters}>
      <Button onClick={() => setOpen(true)}>
        {count > 0 ? t.list.filtersSet({ count }) : t.list.filters}
      </Button>
      <Modal title={t.list.filters} isOpen={isOpen} onOpenChange={setOpen} isSheet>
        {form}
      </Modal>
      {count > 0 ? set : null}
    </search>
  );
}

function shownValue(filter: Filter, value: string): string {
  if (filter.kind !== "choice") return value;
  return filter.options.find(([each]) => each === value)?.[1] ?? value;
}
