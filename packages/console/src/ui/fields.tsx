import { AreaField, SelectField, TextField } from "./field.tsx";

/** A field of a form: a selection if it has options, otherwise a text. */
export type FieldOf<Name> = {
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly required?: true;
  readonly type?: "date" | "email";
  readonly inputMode?: "decimal" | "numeric";
  readonly maxLength?: number;
  /** A text of several lines. */
  readonly isLong?: true;
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** The label of an empty first option. */
  readonly none?: string;
};

/** Draws fields. `field` returns the value of each, and how to change it. */
export function Fields<Name extends string>(props: {
  fields: readonly FieldOf<Name>[];
  field: (name: Name) => { value: string; onChange: (value: string) => void };
}) {
  return props.fields.map(({ options, none, isLong, ...own }) => {
    const all = { ...own, ...props.field(own.name) };
    if (isLong) return <AreaField key={own.name} {...all} />;
    if (options === undefined) return <TextField key={own.name} {...all} />;
    return <SelectField key={own.name} {...all} options={options} none={none} />;
  });
}
