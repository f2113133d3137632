import type { RequestCommand } from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { type FormEvent, type ReactNode, useId } from "react";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, FileField, SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { StepNotice } from "../../ui/problem-notice.tsx";
import { useSuggestions } from "./call.ts";
import {
  type ActionField,
  fieldsOf,
  type ItemList,
  itemFields,
  itemsIn,
  listsOf,
  titleOf,
  type Values,
} from "./rules/form.ts";

const words = operatorTexts.operators;

type Edited = {
  readonly values: Values;
  readonly error: Error | null;
  readonly onChange: (change: Values) => void;
};

/** Returns what is wrong with the field that has this label in errors of the request. */
const problemOf = (error: Error | null, label: string) =>
  error instanceof InputError && error.label === label ? error.problem : undefined;

/** The form of an action, with the problem of the last request. */
export function ActionForm(
  props: Edited & {
    readonly command: RequestCommand;
    readonly onSubmit: () => void;
    /** More fields. */
    readonly children?: ReactNode;
    readonly buttons: ReactNode;
  },
) {
  const { command, onSubmit, children, buttons, ...edited } = props;
  const { values, error, onChange } = edited;
  const problem = problemOf(error, "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="form card" onSubmit={submit} noValidate>
      {command.details === undefined ? null : (
        <p className="soft">{command.details.replaceAll("\n", " ")}</p>
      )}
      {fieldsOf(command).map((field) => (
        <Field
          key={field.key}
          {...{ field, values }}
          error={problemOf(error, field.label)}
          onChange={(text) => onChange({ [field.key]: text })}
        />
      ))}
      {listsOf(command).map((list) => (
        <Items key={list.path} list={list} {...edited} />
      ))}
      {children}
      {problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}
      {error === null || error instanceof InputError ? null : <StepNotice error={error} />}
      <div className="row">{buttons}</div>
    </form>
  );
}

function Field(props: {
  field: ActionField;
  values: Values;
  error: string | undefined;
  onChange: (text: string) => void;
}) {
  const { field, values, error, onChange } = props;
  const { key, title, hint, kind, isRequired, choices } = field;
  const id = useId();
  const suggestions = useSuggestions(field.source, values);
  const shared = { label: title, hint: hint || undefined, required: isRequired, error, onChange };
  const own = { ...shared, value: values[key] ?? "" };
  if (kind === "choice" || kind === "flag") {
    const options = kind === "flag" ? ["yes"] : choices;
    return (
      <SelectField
        {...own}
        none={kind === "flag" ? t.states.no : t.states.none}
        options={options.map((each) => [each, titleOf(each)] as const)}
      />
    );
  }
  if (kind === "file") {
    const read = async (file: File | undefined) => onChange(file ? await contentOf(file) : "");
    return <FileField {...own} onChange={(file) => void read(file)} />;
  }
  if (kind === "lines") return <AreaField {...own} />;
  if (kind === "many") {
    const known = choices.length > 0 ? `: ${choices.join(", ")}` : "";
    return <AreaField {...own} hint={`${hint}${known}. ${words.eachLine}`} />;
  }
  return (
    <>
      <TextField {...own} list={id} />
      <datalist id={id}>
        {suggestions.map((each) => (
          <option key={each.value} value={each.value} label={each.name} />
        ))}
      </datalist>
    </>
  );
}

/** The items of a list, with buttons that add and remove one. */
function Items({ list, values, error, onChange }: Edited & { list: ItemList }) {
  const items = itemsIn(values, list);
  const set = (at: number, text: string | undefined) =>
    onChange(Object.fromEntries(itemFields(list, at).map(({ key }) => [key, text])));
  return (
    <fieldset className="stack">
      <legend>{titleOf(list.path.replaceAll(".", " "))}</legend>
      {items.map((at) => (
        <div key={at} className="row">
          {itemFields(list, at).map(({ key, title }) => (
            <TextField
              key={key}
              label={title}
              value={values[key] ?? ""}
              error={problemOf(error, key)}
              onChange={(text) => onChange({ [key]: text })}
            />
          ))}
          <Button onClick={() => set(at, undefined)}>{words.removeItem}</Button>
        </div>
      ))}
      <Button onClick={() => set((items.at(-1) ?? -1) + 1, "")}>{words.addItem}</Button>
    </fieldset>
  );
}

/** Reads a file as its name and, on the next line, its content as base64, the JSON form of bytes. */
async function contentOf(file: File): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer()).toBase64();
  return `${file.name.replaceAll("\n", " ")}\n${content}`;
}
