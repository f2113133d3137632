import { type FormEvent, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
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
  const count = Object.values(values).filter((value) => value !== undefined && value !== "").length;
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
            <button
              key={period}
              type="button"
              className="button"
              data-kind="plain"
              onClick={() => choosePeriod(period)}
            >
              {t.list.periods[period]}
            </button>
          ))}
        </div>
      )}
      <div className="row">
        <button type="submit" className="button">
          {t.actions.apply}
        </button>
        {count > 0 ? (
          <button
            type="button"
            className="button"
            data-kind="plain"
            onClick={() => {
              setOpen(false);
              onChange({});
            }}
          >
            {t.actions.clearFilters}
          </button>
        ) : null}
      </div>
    </form>
  );
  if (!isNarrow) return <search aria-label={t.list.filters}>{form}</search>;
  return (
    <search aria-label={t.list.filters}>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {count > 0 ? t.list.filtersSet({ count }) : t.list.filters}
      </button>
      <Modal title={t.list.filters} isOpen={isOpen} onOpenChange={setOpen} isSheet>
        {form}
      </Modal>
    </search>
  );
}
