import type { RequestCommand } from "@disburse/commands/table/command.ts";
import { useId } from "react";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, FileField, SelectField, TextField } from "../../ui/field.tsx";
import { useSuggestions } from "./call.ts";
import {
  type ActionField,
  fieldsOf,
  type ItemList,
  itemsIn,
  listsOf,
  titleOf,
  type Values,
} from "./rules/form.ts";

const words = operatorTexts.operators;

type Problems = Readonly<Record<string, string>>;
type FormProps = {
  readonly command: RequestCommand;
  readonly values: Values;
  /** Problems by the label of their field. */
  readonly problems: Problems;
  readonly onChange: (change: Values) => void;
};

export function ActionFields({ command, values, problems, onChange }: FormProps) {
  return (
    <>
      {fieldsOf(command).map((field) => (
        <Field
          key={field.key}
          {...{ field, values }}
          error={problems[field.label]}
          onChange={(text) => onChange({ [field.key]: text })}
        />
      ))}
      {listsOf(command).map((list) => (
        <Items key={list.path} {...{ list, values, problems, onChange }} />
      ))}
    </>
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
  const value = values[key] ?? "";
  const id = useId();
  const suggestions = useSuggestions(field.source, values);
  const shared = { label: title, hint: hint || undefined, value, error, onChange };
  const own = { ...shared, required: isRequired };
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
function Items(props: { list: ItemList } & Omit<FormProps, "command">) {
  const { list, values, problems, onChange } = props;
  const { path, fields } = list;
  const items = itemsIn(values, list);
  const next = (items.at(-1) ?? -1) + 1;
  return (
    <fieldset className="stack">
      <legend>{titleOf(path.replaceAll(".", " "))}</legend>
      {items.map((at) => (
        <div key={at} className="row">
          {fields.map(({ name, title }) => {
            const key = `${path}.${at}.${name}`;
            const value = values[key] ?? "";
            const change = (text: string) => onChange({ [key]: text });
            const shown = { label: title, value, error: problems[key], onChange: change };
            return <TextField key={key} {...shown} />;
          })}
          <Button
            onClick={() =>
              onChange(
                Object.fromEntries(fields.map(({ name }) => [`${path}.${at}.${name}`, undefined])),
              )
            }
          >
            {words.removeItem}
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange({ [`${path}.${next}.${fields[0]?.name}`]: "" })}>
        {words.addItem}
      </Button>
    </fieldset>
  );
}

/** Reads a file as its name and, on the next line, its content as base64, the JSON form of bytes. */
async function contentOf(file: File): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer()).toBase64();
  return `${file.name.replaceAll("\n", " ")}\n${content}`;
}
