import { type ComponentProps, useId, useState } from "react";
import { t } from "../../catalogue/texts.ts";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { bankCountry, countries, countryCode, countryName } from "../rules/country.ts";
import { isBic } from "./rules/form-body.ts";
import type { FormField } from "./rules/form-field.ts";
import type { useBodyForm } from "./use-body-form.ts";

type Form = ReturnType<typeof useBodyForm>["form"];

/** Renders the fields of a form. Omits fields with only one possible value. */
export function FormFields(props: {
  fields: readonly FormField[];
  form: Form;
  /** The server's refusals by field. */
  refused: Readonly<Record<string, string>>;
}) {
  const { fields, form, refused } = props;
  return (
    <div className="fields">
      {fields
        .filter(({ isRequired, choices }) => !(isRequired && choices?.length === 1))
        .map((field) => (
          <form.Field key={field.path} name={field.path}>
            {({ state, handleChange }) => (
              <BodyField
                field={field}
                value={String(state.value ?? field.initial)}
                error={refused[field.path] ?? state.meta.errors.map(String)[0]}
                onChange={handleChange}
              />
            )}
          </form.Field>
        ))}
    </div>
  );
}

function BodyField(props: {
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { field, value, error, onChange } = props;
  const { path, label, isRequired, choices, labels, maxLength, type, initial } = field;
  const frame = {
    label: isRequired ? label : `${label} ${t.forms.optional}`,
    value,
    error,
    onChange,
    hint: hintOf(field, value),
    required: isRequired,
    name: path,
  };
  if (choices !== undefined) {
    const nameOf = (each: string) =>
      type === "country" ? countryName(each) : (labels?.[each] ?? each);
    const options = choices.map((each) => [each, nameOf(each)] as const);
    return (
      <SelectField
        {...frame}
        {...((initial === "" || !isRequired) && { none: "" })}
        options={options}
      />
    );
  }
  if (type === "country") return <CountryField {...frame} />;
  if (type === "words") return <AreaField {...frame} />;
  const kind = type === "date" || type === "email" ? type : "text";
  return <TextField {...frame} type={kind} maxLength={lengthOf(path, maxLength)} />;
}

/** People write IBANs in groups of four. */
const lengthOf = (path: string, max: number | undefined) =>
  path === "iban" || path.endsWith("account_number") ? undefined : max;

/** Under a BIC, tells where its bank is. */
function hintOf({ path, hint }: FormField, value: string): string | undefined {
  const country = isBic(path) ? bankCountry(value) : "";
  const text = country === "" ? hint.trim() : t.forms.bankIn({ country: countryName(country) });
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
