import { type ReactNode, useId } from "react";

type FieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
};

function Frame(props: {
  id: string;
  label: string;
  hint: string | undefined;
  error: string | undefined;
  children: ReactNode;
}) {
  const { id, label, hint, error, children } = props;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {error === undefined ? null : (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
      {hint === undefined ? null : (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

function described(
  id: string,
  { hint, error, required = false }: Pick<FieldProps, "hint" | "error" | "required">,
) {
  const ids = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`];
  const describedBy = ids.filter((each) => each !== "").join(" ");
  return {
    id,
    className: "input",
    "aria-invalid": error !== undefined,
    "aria-required": required,
    ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
  };
}

export function TextField(
  props: FieldProps & {
    readonly type?: "text" | "date" | "email" | "search" | "url";
    readonly inputMode?: "decimal" | "numeric";
    readonly maxLength?: number | undefined;
    readonly name?: string;
    /** The id of a list of suggestions. */
    readonly list?: string;
    readonly onBlur?: () => void;
  },
) {
  const { label, value, onChange, hint, error, type = "text", inputMode, maxLength, name } = props;
  const { list, onBlur } = props;
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        {...described(id, props)}
        type={type}
        value={value}
        maxLength={maxLength}
        inputMode={inputMode}
        name={name}
        list={list}
        onBlur={onBlur}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </Frame>
  );
}

export function AreaField(props: FieldProps & { readonly maxLength?: number }) {
  const { label, value, onChange, hint, error, maxLength } = props;
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        {...described(id, props)}
        rows={3}
        value={value}
        maxLength={maxLength}
        onChange={(event) => onChange(event.target.value)}
      />
    </Frame>
  );
}

export function FileField(
  props: Omit<FieldProps, "value" | "onChange"> & {
    readonly accept?: string;
    readonly onChange: (file: File | undefined) => void;
  },
) {
  const { label, onChange, hint, error, accept } = props;
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        {...described(id, props)}
        className=""
        type="file"
        accept={accept}
        onChange={(event) => onChange(event.target.files?.[0])}
      />
    </Frame>
  );
}

/** A selection. If `none` is given, an empty first option has this label. */
export function SelectField(
  props: FieldProps & {
    readonly options: readonly (readonly [value: string, label: string])[];
    readonly none?: string;
    readonly name?: string;
  },
) {
  const { label, value, onChange, hint, error, options, none, name } = props;
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select
        {...described(id, props)}
        value={value}
        name={name}
        onChange={(event) => onChange(event.target.value)}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}
