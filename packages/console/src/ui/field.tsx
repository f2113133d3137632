import { type ComponentProps, type ReactNode, useId } from "react";

type Labelled = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean | undefined;
};

type Texted = Labelled & { readonly value: string; readonly onChange: (value: string) => void };

/** A control with its label, and with the error and hint that screen readers read with it. */
function Field(
  props: Labelled & { control: (attributes: ReturnType<typeof attributesOf>) => ReactNode },
) {
  const { label, hint = "", error = "", required = false, control } = props;
  const id = useId();
  const texts = Object.entries({ error, hint }).filter(([, text]) => text !== "");
  const described = texts.map(([kind]) => `${id}-${kind}`).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {control(attributesOf(id, error !== "", required, described))}
      {texts.map(([kind, text]) => (
        <span key={kind} className={`field-${kind}`} id={`${id}-${kind}`}>
          {text}
        </span>
      ))}
    </div>
  );
}

const attributesOf = (id: string, isInvalid: boolean, isRequired: boolean, described: string) => ({
  id,
  className: "input",
  "aria-invalid": isInvalid,
  "aria-required": isRequired,
  "aria-describedby": described || undefined,
});

type Input = ComponentProps<"input">;

/** `list` is the id of a list of suggestions. */
export function TextField(
  props: Texted & Pick<Input, "type" | "inputMode" | "maxLength" | "name" | "list" | "onBlur">,
) {
  const { label, hint, error, required, onChange, ...own } = props;
  return (
    <Field
      {...{ label, hint, error, required }}
      control={(attributes) => (
        <input
          autoComplete="off"
          {...attributes}
          {...own}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    />
  );
}

export function AreaField(props: Texted & Pick<Input, "maxLength">) {
  const { label, hint, error, required, onChange, ...own } = props;
  return (
    <Field
      {...{ label, hint, error, required }}
      control={(attributes) => (
        <textarea
          rows={3}
          {...attributes}
          {...own}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    />
  );
}

export function FileField(
  props: Labelled & Pick<Input, "accept"> & { onChange: (file: File | undefined) => void },
) {
  const { label, hint, error, required, onChange, accept } = props;
  return (
    <Field
      {...{ label, hint, error, required }}
      control={(attributes) => (
        <input
          {...attributes}
          className=""
          type="file"
          accept={accept}
          onChange={(event) => onChange(event.target.files?.[0])}
        />
      )}
    />
  );
}

/** A selection. If `none` is given, an empty first option has this label. */
export function SelectField(
  props: Texted &
    Pick<Input, "name"> & {
      readonly options: readonly (readonly [value: string, label: string])[];
      readonly none?: string | undefined;
    },
) {
  const { label, hint, error, required, onChange, options, none, ...own } = props;
  const all = none === undefined ? options : [["", none] as const, ...options];
  return (
    <Field
      {...{ label, hint, error, required }}
      control={(attributes) => (
        <select {...attributes} {...own} onChange={(event) => onChange(event.target.value)}>
          {all.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}
