import { SelectField, TextField } from "../../ui/field.tsx";
import { type FormValues, fieldValue } from "./rules/form-body.ts";
import type { FormField } from "./rules/form-field.ts";

/** Renders the fields of a form. Omits fields with only one possible value. */
export function FormFields(props: {
  fields: readonly FormField[];
  values: FormValues;
  problems: Readonly<Record<string, string>>;
  onChange: (values: FormValues) => void;
  optional: string;
}) {
  const { fields, values, problems, onChange, optional } = props;
  return (
    <div className="fields">
      {fields
        .filter(({ isRequired, choices }) => !(isRequired && choices?.length === 1))
        .map((field) => {
          const { path, label, hint, isRequired, choices, maxLength, type } = field;
          const frame = {
            label: isRequired ? label : `${label} ${optional}`,
            value: fieldValue(field, values),
            onChange: (value: string) => onChange({ ...values, [path]: value }),
            error: problems[path],
            hint: hint.trim() === "" ? undefined : hint,
            required: isRequired,
            name: path,
          };
          if (choices !== undefined) {
            const options = choices.map((each) => [each, each] as const);
            return <SelectField key={path} {...frame} none="" options={options} />;
          }
          const kind = type === "date" || type === "email" ? type : "text";
          return <TextField key={path} {...frame} type={kind} maxLength={maxLength} />;
        })}
    </div>
  );
}
