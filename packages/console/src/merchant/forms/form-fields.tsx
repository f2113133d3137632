import { type ComponentProps, useId, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { bankCountry, countries, countryCode, countryName } from "../rules/country.ts";
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
          const { path, isRequired, choices, maxLength, type } = field;
          const label = t.forms.labels[path] ?? field.label;
          const frame = {
            label: isRequired ? label : `${label} ${optional}`,
            value: fieldValue(field, values),
            onChange: (value: string) => onChange({ ...values, [path]: value }),
            error: problems[path],
            hint: hintOf(field, values),
            required: isRequired,
            name: path,
          };
          if (choices !== undefined) {
            const nameOf = type === "country" ? countryName : (each: string) => each;
            const options = choices.map((each) => [each, nameOf(each)] as const);
            return <SelectField key={path} {...frame} none="" options={options} />;
          }
          if (type === "country") return <CountryField key={path} {...frame} />;
          const kind = type === "date" || type === "email" ? type : "text";
          return (
            <TextField key={path} {...frame} type={kind} maxLength={lengthOf(path, maxLength)} />
          );
        })}
    </div>
  );
}

/** People write IBANs in groups of four. */
const lengthOf = (path: string, max: number | undefined) =>
  path === "iban" || path.endsWith("account_number") ? undefined : max;

/** Under a BIC, tells where its bank is. */
function hintOf({ path, hint }: FormField, values: FormValues): string | undefined {
  const country = bankCountry(values[path] ?? "");
  const isBank = (path === "bic" || path.startsWith("routing_code_value_")) && country !== "";
  const text = isBank ? t.forms.bankIn({ country: countryName(country) }) : hint.trim();
  return text === "" ? undefined : text;
}

/** A country that a person finds by its name. The value is its code. */
function CountryField(props: ComponentProps<typeof TextField>) {
  const [typed, setTyped] = useState<string>();
  const id = useId();
  return (
    <>
      <TextField
        {...props}
        hint={t.forms.countryHint}
        value={typed ?? countryName(props.value)}
        list={id}
        onChange={(text) => {
          setTyped(text);
          props.onChange(countryCode(text));
        }}
        onBlur={() => setTyped(undefined)}
      />
      <datalist id={id}>
        {countries.map(([code, name]) => (
          <option key={code} value={name}>
            {code}
          </option>
        ))}
      </datalist>
    </>
  );
}
